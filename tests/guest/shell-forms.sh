# SPDX-License-Identifier: GPL-2.0-only
#
# shell-forms.sh - README's table of what is typed into tracefs and into bprobe: sourced by dialects.guest
#
# Each row is typed as it stands, on the left in tracefs and on the right beside it, and what comes of it is
# compared. Behind a row's last `...` is prose. /shell-forms has the table's rows.

T=/sys/kernel/tracing

# typed CELL: what of it is typed, one a line. On the right that is what begins with bprobe.
typed_left() { printf '%s\n' "$1" | grep -o '`[^`]*`' | tr -d '`' | head -n 1; }
typed_right() { printf '%s\n' "$1" | grep -o '`bprobe [^`]*`' | tr -d '`'; }

# What a reader that never ends prints, until it has printed a line of the workload's.
read_some() {
	sh -c "exec $1" > "$2" 2> /tmp/err &
	reader=$!
	until_true grep -q 'wl-' "$2"
	status=$?
	kill $reader
	wait $reader 2> /dev/null
	return $status
}

# state: of both sides after each row: the definitions, what is enabled, the filter, and whether anything is recorded
kernels_state() {
	sed 's/^r[0-9]*:/r:/' $T/kprobe_events | while read -r head rest; do
		event=$T/events/${head#*:}
		filter=$(cat "$event/filter")
		[ "$filter" = none ] && filter= || filter=" if $filter"
		[ "$(cat "$event/enable")" = 1 ] && enabled=enabled || enabled=disabled
		printf '%s %s%s # %s, kept\n' "$head" "$rest" "$filter" $enabled
	done
	grep -v '^#' $T/trace | grep -q 'wl-' && echo recorded
}

our_state() {
	bprobe -l
	bprobe --trace -q | grep -q 'wl-' && echo recorded
}

# The line behind the time, of the workload's hits: name, place, values. Behind an ENDBR the kernel shows +0x4.
bodies() { grep 'wl-' "$1" | sed 's/^.*[0-9]\.[0-9]*: //; s/+0x4\//+0x0\//' | grep '^myprobe:' | sort -u; }

row_number=0
grep '^| `' /shell-forms > rows
while IFS='|' read -r nothing left right nothing; do
	row_number=$((row_number + 1))
	typed_left "$left" > left.cmd
	typed_right "$right" > right.cmd
	name="README: $(cat left.cmd): $(tr '\n' ';' < right.cmd)"
	: > theirs; : > ours
	case $(cat left.cmd) in
	*trace_pipe)
		wl open /etc/xyz
		(cd $T && read_some "$(cat /tmp/left.cmd)" /tmp/theirs) && read_some "$(cat right.cmd)" ours
		status=$? ;;
	*config.gz)
		sh -c "$(cat right.cmd)" > out 2> err
		status=$? ;;
	mount*)
		status=0 ;;		# not here: nothing of debugfs is there in these guests
	*)
		(cd $T && sh -c "$(cat /tmp/left.cmd)") > theirs 2> err && sh -e right.cmd > ours 2>> err
		status=$? ;;
	esac
	check $status "$name" err ours
	case $(cat left.cmd) in
	'cat kprobe_events')
		sed 's/^r[0-9]*:/r:/' theirs > a; sed 's/ # .*//' ours > b ;;
	*/format)
		sed 's/^ID: .*/ID: N/' theirs > a; sed 's/^ID: .*/ID: N/' ours > b ;;
	'cat kprobe_profile')	# one was enabled before the other
		sed 's/  *[1-9][0-9]*  *[0-9]*$/ HITS/' theirs > a; sed 's/  *[1-9][0-9]*  *[0-9]*$/ HITS/' ours > b ;;
	'cat trace'*)
		bodies theirs > a; bodies ours > b
		grep -q . a; check $? "$name: a line was recorded" theirs ;;
	*)
		: > a; : > b ;;
	esac
	cmp -s a b
	check $? "$name: prints the same" a b
	kernels_state > a
	our_state > b 2> err
	cmp -s a b
	check $? "$name: comes to the same" a b
	# What the next rows read, and remove.
	case $(cat left.cmd) in
	*'1 > events/kprobes/enable' | 'cat kprobe_profile')
		wl open /etc/xyz ;;
	*-:myret*)
		echo 'p:last do_sys_openat2' > $T/kprobe_events
		bprobe --keep --disabled 'p:last do_sys_openat2' ;;
	esac
done < rows
[ "$row_number" -ge 18 ]
check $? "README: the table has all rows" rows
! [ -s $T/kprobe_events ] && ! bprobe -l | grep -q .
check $? "README: nothing is left of the table" err
