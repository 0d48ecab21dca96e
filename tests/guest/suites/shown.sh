#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# shown.sh - runs every command that the README, the manual and the pages for users show, on each KERNEL given
#
#   shown.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. shown.awk takes the commands, and what is shown below them, out of the text. shown.guest runs them on a machine
# like a user's (guest.sh -M), because what is shown was printed by the programs of such a machine. Of each command the
# exit status is checked, that a command that traces has a hit, and that what is shown below it was printed:
#
#   - numbers, addresses, times, flags and blanks may differ;
#   - a line of three dots stands for any lines, three dots in a line for any text, ^C for the key;
#   - without a line of three dots no line of standard output has another form (ftrace's header does not count);
#   - of standard error a page shows what it wants to.
#
# shown.tsv lists the commands that are not run, or end with another status than 0, with the reason.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"
machine=-M
top=$here/../../..
shown=$work/shown
mkdir "$shown"

# page FILE [WORD OF AWK]...: its commands, numbered behind those of the pages before it
page() {
	local file=$1
	shift
	awk -v dir="$shown" -v page="${file##*/}" -v first="$(cat "$shown/count")" "$@" -f "$here/shown.awk" "$top/$file"
}

extract() {
	echo 0 > "$shown/count"
	page README.md -v spans=1
	page doc/bprobe.1 -v man=1
	for file in recipes kept places lines tasks filters grammar dialects json triggers fleet pictures report; do page doc/$file.md; done
}

# entry COMMAND FIELD: what shown.tsv has of it
entry() { COMMAND=$1 awk -F '\t' -v field="$2" '!/^#/ && $1 == ENVIRON["COMMAND"] { print $field }' "$here/../rows/shown.tsv"; }

quoted() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

# The lines of /shown/typed, in what follows for each command that is run.
typed() {
	local dir command what where
	for dir in "$shown"/[0-9]*; do
		command=$(cat "$dir/command") where=$(cat "$dir/where")
		what=$(entry "$command" 2)
		case $what in
		'not run')	echo "$(entry "$command" 3)" > "$dir/skipped"; continue ;;
		'status '*)	echo "${what#status }" > "$dir/want" ;;
		*)		echo 0 > "$dir/want" ;;
		esac
		case $what in
		'after '*)	after=${what#after }; touch "$dir/no-hit" ;;
		*)		after='Ctrl-C ends' ;;
		esac
		echo "try ${dir##*/} ${where%:*} $(quoted "$(cat "$dir/prompt")") $(quoted "$after") $(quoted "$command")"
	done > "$shown/typed"
	cut -d ' ' -f 3 "$shown/typed" | uniq > "$shown/pages"
}

# What the guest says of each command, into its directory. The rest is the guest's own: it is printed.
sort_out() {
	awk -v dir="$shown" '
		/^@@ / { at = dir "/" $2; printf "" > (at "/out"); printf "" > (at "/err"); next }
		/^@= / { print $2 > (at "/status"); close(at "/status"); close(at "/out"); close(at "/err"); at = ""; next }
		at && /^o/ { print substr($0, 3) > (at "/out"); next }
		at && /^e/ { print substr($0, 3) > (at "/err"); next }
		at && /^f/ { print substr($0, 3) > (at "/empty"); next }
		/^left / { print substr($0, 6) > (dir "/left"); next }
		{ print "# " $0 }'
}

# A line without what differs from machine to machine and from run to run.
shape() {
	sed -E '
		s/(\[[0-9]{3}\]) [^ ]{4,5} +([0-9]+\.)/\1 FLAGS \2/
		s/0x[0-9a-f]+/N/g
		s/[0-9]+(\.[0-9]+)*/N/g
		s/N (ns|us|ms|s)\b/N TIME/g
		s/[ \t]+/ /g; s/^ //; s/ $//' "$1"
}

# Prints the shown lines that nothing is like, and the lines of standard output that are like none that is shown.
compare() {	# compare SHOWN OUT ERR, as shapes
	awk -v shown="$1" -v out="$2" -v err="$3" '
		function like(line, pattern,	at, end) {
			at = index(pattern, dots)
			if (!at)
				return line == pattern
			end = substr(pattern, at + length(dots))
			return substr(line, 1, at - 1) == substr(pattern, 1, at - 1) &&
			       length(line) >= at - 1 + length(end) && substr(line, length(line) - length(end) + 1) == end
		}
		function printed(pattern,	i) {
			for (i = 1; i <= gots; i++)
				if (like(got[i], pattern))
					return 1
			return 0
		}
		function expected(line,	i) {
			for (i = 1; i <= wants; i++)
				if (like(line, want[i]))
					return 1
			return 0
		}
		BEGIN {
			dots = "…"
			while ((getline line < shown) > 0) {
				if (line == dots)
					any = 1
				else if (line != "^C" && line != "")
					want[++wants] = line
			}
			while ((getline line < out) > 0)
				got[++gots] = line
			outs = gots
			while ((getline line < err) > 0)
				got[++gots] = line
			for (i = 1; i <= wants; i++)
				if (!printed(want[i]))
					print "not printed: " want[i]
			for (i = 1; i <= outs && !any; i++)
				if (got[i] != "" && got[i] !~ /^#/ && !expected(got[i]))
					print "not shown: " got[i]
		}'
}

judge() {	# judge DIR
	local name want status
	name="$(cat "$1/where"): $(cat "$1/command")"
	if [ -e "$1/skipped" ]; then
		echo "ok - $name # SKIP $(cat "$1/skipped")"
		return
	fi
	if [ ! -e "$1/status" ]; then
		echo "not ok - $name: did not end"
		return
	fi
	want=$(cat "$1/want") status=$(cat "$1/status")
	[ "$status" = "$want" ]
	check $? "$name: ends with $want" "$1/status" "$1/out" "$1/err"
	if [ ! -e "$1/no-hit" ] && grep -q 'Ctrl-C ends' "$1/err"; then
		grep -q 'hits: [1-9]\|counted: [1-9]' "$1/err" || grep -qE 'Hits: [1-9]|"hits":[1-9]|[1-9] \|#' "$1/out"
		check $? "$name: something is traced" "$1/err"
	fi
	[ ! -e "$1/empty" ] || echo "not ok - $name: writes nothing into $(cat "$1/empty")"
	[ -e "$1/shown" ] || return
	for part in shown out err; do shape "$1/$part" > "$work/$part.shape"; done
	compare "$work/shown.shape" "$work/out.shape" "$work/err.shape" > "$work/differs"
	[ ! -s "$work/differs" ]
	check $? "$name: prints what is shown" "$work/differs" "$1/out" "$1/err"
}

tests() {
	rm -f "$shown"/*/status "$shown/left"
	# Two of the machine's four CPUs: a tenth less for QEMU to do.
	suite_guest -p 2 -f "$wl=/bin/wl" -f "$shown=/shown" -f "$here/../tools/standins=/standins" "$here/shown.guest" | sort_out
	for dir in "$shown"/[0-9]*; do judge "$dir"; done
	[ ! -e "$shown/left" ]
	check $? "no page leaves a probe behind" $(find "$shown" -name left)
	[ -z "${KEEP:-}" ] || cp -r "$shown" "$KEEP"
}

texts() {
	[ ! -s "$work/unprompted" ]
	check $? "every command in a block has a prompt" "$work/unprompted"
	[ "$(cat "$shown"/*/where | grep -c '^README')" -ge 12 ] && [ "$(cat "$shown"/*/where | grep -c '^recipes')" -ge 10 ] &&
		[ "$(cat "$shown"/*/where | grep -c '^bprobe.1')" -ge 10 ]
	check $? "$(cat "$shown/count") commands are shown, enough of them in the README, in the recipes and in the manual"
	cat "$shown"/*/command > "$work/commands"
	grep -v '^#' "$here/../rows/shown.tsv" | cut -f 1 | grep -vxFf "$work/commands" > "$work/unused"
	[ ! -s "$work/unused" ]
	check $? "each command of shown.tsv is shown" "$work/unused"
	awk -F '\t' '!/^#/ && (NF != 3 || $2 !~ /^(not run|status [0-9]+|after .+)$/ || $3 == "")' "$here/../rows/shown.tsv" > "$work/malformed"
	[ ! -s "$work/malformed" ]
	check $? "each line of shown.tsv has its three fields" "$work/malformed"
}

extract > "$work/unprompted"
typed
texts > "$work/texts"
cat "$work/texts"
! grep -q '^not ok' "$work/texts" || { suite_kernels tests "$@"; exit 1; }
suite_kernels tests "$@"
