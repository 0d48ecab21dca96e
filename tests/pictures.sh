#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pictures.sh BPROBE [NAME...] - makes the pictures in doc/pictures: what bprobe shows on a terminal
#
# Each command runs in a guest, whose terminal is a pane of tmux (guest.sh -M, Linux 6.12). NAME.txt is the text of the pane,
# NAME.svg the same with its colours, drawn by pictures.py. Programs and numbers differ from run to run.
set -u
export O=${O:-build}
bprobe=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
to=$here/../doc/pictures
rows=28 columns=124
export LC_ALL=C.UTF-8

# NAME, when it is taken, and the command. "redrawn": after bprobe has drawn anew in place; "live": the live view is some
# seconds old; "done": when the command has ended.
pictures() {
	cat << 'END'
histogram	redrawn	bprobe 'r vfs_read $elapsed if elapsed < 1000000' --histogram elapsed --by comm --top 2
count	redrawn	bprobe 'p vfs_*' --count --top 15
live	live	bprobe --live --by comm 'r:read vfs_read $elapsed' 'r:write vfs_write $elapsed' 'p:open do_sys_openat2' 'r:stat vfs_statx $elapsed'
stacks	done	bprobe -q --style=short 'p:lookup d_alloc_parallel file=name->name:string if file == "none"' -k -- cat /none /etc/none
END
}

die() { echo "pictures.sh: $1" >&2; exit 1; }

for program in tmux python3; do
	command -v $program > /dev/null || die "$program is missing: run tests/setup.sh"
done
work=$(mktemp -d)
pane() { tmux -S "$work/tmux" -f /dev/null -u "$@"; }
end() { pane kill-server 2> /dev/null; rm -rf "$work"; }
trap end EXIT
trap 'exit 1' INT TERM HUP

# Has the drawing changed, at the same place, often enough to have something in it?
redrawn() {
	pane capture-pane -p > "$work/now"
	[ "$(grep -c '|' "$work/now")" -gt 3 ] || return
	if [ "$(head -n 2 "$work/now")" != "$(head -n 2 "$work/before" 2> /dev/null)" ]; then
		drawings=0
	elif ! cmp -s "$work/before" "$work/now"; then
		drawings=$((drawings + 1))
	fi
	cp "$work/now" "$work/before"
	[ $drawings -ge 4 ]
}

is_taken() {	# is_taken WHEN
	case $1 in
	live)		pane capture-pane -p | grep -q '^bprobe: .* events, 0:0[5-9]' ;;
	redrawn)	redrawn ;;
	done)		[ "$(pane display-message -p '#{pane_title}')" = done ] ;;
	esac
}

picture() {	# picture NAME WHEN COMMAND
	local guest made drawings=0
	made="made by tests/pictures.sh $1: bprobe in Linux 6.12, on a terminal of tmux"
	printf '%s\n' "$rows $columns" "$3" > "$work/picture"
	rm -f "$work/before"
	pane new-session -d -x $columns -y $rows -s "$1" "exec '$here/guest/rig/guest.sh' -M -k 6.12 -t 150 -f '$bprobe=/bin/bprobe' \
		-f '$work/picture=/picture' '$here/guest/suites/pictures.guest' 2> '$work/errors'" || exit 1
	until is_taken "$2"; do
		pane has-session -t "$1" 2> /dev/null || { cat "$work/errors" >&2; die "$1: the guest has ended"; }
		sleep 0.2
	done
	pane capture-pane -p -e > "$work/colours"
	{ echo "($made)"; echo; pane capture-pane -p | sed 's/ *$//'; } | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' > "$to/$1.txt"
	python3 "$here/pictures.py" "$made" $columns < "$work/colours" > "$to/$1.svg" || exit 1
	guest=$(pane display-message -p '#{pane_pid}')
	kill $(pgrep -P "$guest" timeout)
	while pane has-session -t "$1" 2> /dev/null; do sleep 0.2; done
	echo "doc/pictures/$1.txt and .svg"
}

mkdir -p "$to"
while IFS='	' read -r name when command <&3; do
	[ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
	picture "$name" "$when" "$command"
done 3< <(pictures)
