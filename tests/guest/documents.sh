# SPDX-License-Identifier: GPL-2.0-only
#
# documents.sh - what the files of documents/ are written in: sourced by dialects.guest
#
# Each has one document's examples verbatim, and the lines that it prints for them. What an example
# needs besides is told in front of it, and holds for that one only:
#
#	options=		of bprobe
#	work=			the command that makes it happen
#	today=OLD=NEW		the function that does the work today
#	typed=WORD=TEXT		what is typed where the document has a word for it
#	body=1			the document shows lines without what stands in front of them
#	departs=		a sed script for what is printed otherwise today, on both sides, and
#	why=			why that is so: it goes to the table
#
# Each prints a line '=row', of which dialects.sh makes the table in doc/dialects.md. All of a row is
# the same on each kernel: names, addresses, sizes, numbers and times are replaced.

openat2='do_sys_openat2, which every open reaches, in place of do_sys_open'

address() { awk -v name="$1" '$3 == name { print "0x" $1; exit }' /proc/kallsyms; }

document() { document=$1; forget; }

forget() { options= work= today= typed= body= departs= why=; }

# A line without what differs from machine to machine: task, times, addresses, sizes, symbols, numbers.
# A flag is one character of the latency columns, so that their number counts.
shape() {
	sed -E '
		s/^( *)([^ ].*)-[0-9]+ +\[[0-9]{3}\] /TASK-PID [CPU] /
		s/^(TASK-PID \[CPU\] )[.A-Za-z?#]([.A-Za-z?#])[.A-Za-z?#]([.0-9?])  *[0-9]+\.[0-9]{6}: /\1FLAGS4 TIME: /
		s/^(TASK-PID \[CPU\] )[.A-Za-z?#]([.A-Za-z?#])[.A-Za-z?#][.0-9?][.0-9?]  *[0-9]+\.[0-9]{6}: /\1FLAGS5 TIME: /
		s/^(TASK-PID \[CPU\]) +[0-9]+\.[0-9]{6}: /\1 TIME: /
		s/[A-Za-z_][A-Za-z0-9_.]*\+0x[0-9a-f]+\/0x[0-9a-f]+/SYM+OFF\/SIZE/g
		s/<- [A-Za-z0-9_.]+/<- SYM/
		s/: [A-Za-z0-9_.]+: @[A-Za-z0-9_.]+\+[0-9]+/: SYM: @SYM+N/
		s/: [A-Za-z0-9_.]+: <-[A-Za-z0-9_.]+\+[0-9]+/: SYM: <-SYM+N/
		s/^(.*TIME: )?[A-Za-z0-9_.]+(->|<-)/\1SYM\2/
		s/0x[0-9a-f]+/0xN/g
		s/=-?[0-9a-f]+([ ,)]|$)/=N\1/g'
}

# verdict STATUS WHAT [FILE...]: a test of the example $name
verdict() {
	[ "$1" = 0 ] || failed=1
	status=$1 what=$2
	shift 2
	check "$status" "$name: $what" "$@"
}

# row EXAMPLE RUNS [FILE]: FILE has what it printed, with what differs replaced
row() {
	EXAMPLE=$1 RUNS=$2 WHY=$why awk -v document="$document" '
		{ sub(/^ */, ""); gsub(/\|/, "\\|") }
		!/^(#|$)/ && !had[$0]++ { lines = lines (lines == "" ? "" : "<br>") "`" $0 "`" }
		END {
			printf "=row | %s | %s | %s | %s | %s |\n", document, ENVIRON["EXAMPLE"], ENVIRON["RUNS"],
			       lines == "" ? "nothing" : lines, ENVIRON["WHY"]
		}' "${3:-/dev/null}"
	forget
}

yes_or_no() { [ "$failed" = 0 ] && echo yes || echo no; }

# The columns in front of a line: a task's name has 16, its number at least 5, a time's seconds, too.
columns() {
	pid='([0-9]{5,}|[0-9]{4} |[0-9]{3} {2}|[0-9]{2} {3}|[0-9] {4})'
	seconds='([0-9]{5,}| [0-9]{4}| {2}[0-9]{3}| {3}[0-9]{2}| {4}[0-9])'
	! grep -qvE "^.{16}-$pid \[[0-9]{3}\] ([^ ]{4} )?$seconds\.[0-9]{6}: " "$1"
}

# example DEFINITION...: what the document prints for them is on standard input
example() {
	cat > shown
	name="$document: $*" failed=0 cells=
	for definition; do
		cells="$cells${cells:+<br>}\`${options:+$options }$definition\`"
		shift
		[ ! "$typed" ] || definition=$(printf '%s\n' "$definition" | sed "s/${typed%%=*}/${typed#*=}/")
		set -- "$@" "$definition"
	done

	# As it stands it attaches, or says what became of the function.
	bprobe --no-lint $options "$@" -- true > out 2> err
	verdict $? runs err
	for definition; do
		shift
		[ ! "$today" ] || definition=$(printf '%s\n' "$definition" | sed "s/\b${today%=*}\b/${today#*=}/")
		set -- "$@" "$definition"
	done
	bprobe --no-lint $options "$@" -- sh -c "$work" > out 2> err
	compare_lines
	row "$cells" "$(yes_or_no)" got
}

# What is in out with what is in shown: its head, its lines in their order, and no line of another form.
compare_lines() {
	grep '^#' shown > head.want
	grep '^#' out | tail -n "$(grep -c . head.want)" > head
	if [ -s head.want ]; then
		sed -E "$departs" head.want > a
		sed -E "$departs" head > b
		cmp -s a b
		verdict $? "the head is the document's" head.want out
	fi
	grep -v '^#' shown > lines.want
	grep -v '^#' out > lines
	shape < lines.want > want
	if [ "$body" ]; then
		shape < lines | sed 's/.*TIME: //' > got
		columns lines
	else
		shape < lines > got
		columns lines.want && columns lines
	fi
	verdict $? "the columns are the document's" out
	awk 'NR == FNR { want[++n] = $0; form[$0]; next }
	     !($0 in form) { bad = 1 }
	     at < n && $0 == want[at + 1] { at++ }
	     END { exit bad || at < n }' want got
	verdict $? "prints what the document shows" want got out
}

# refused DEFINITION MESSAGE
refused() {
	name="$document: $1" failed=0
	bprobe --no-lint $options "$1" -- true > out 2> err
	[ $? = 125 ] && grep -qF -e "$2" err
	check $? "$name: is refused" err
	row "\`${options:+$options }$1\`" refused
}

# step THERE HERE: what the document types into a shell, and what is typed here; what the document shows comes on
# standard input
step() {
	cat > shown
	name="$document: $1" failed=0
	sh -c "$2" > out 2> err
	verdict $? "$2" err
	if grep -q '^#.*TASK-PID' shown; then
		compare_lines
	else
		sed -E "$departs" shown > want
		sed -E "$departs" out > got
		cmp -s want got
		verdict $? "prints what the document shows" want got
	fi
	row "\`$1\`: \`$(printf '%s\n' "$2" | sed 's/|/\\|/g')\`" "$(yes_or_no)" got
}
