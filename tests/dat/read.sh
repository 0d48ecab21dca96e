#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# read.sh BPROBE MADE - what --read takes and leaves of one file and of several, and in which order
#
# MADE writes files of machines and boots that need not exist (made.c). What is expected follows from the records that it was given:
# "TIME CPU TGID PID COMM EVENT N [LOST]". TAP on stdout. Nothing is traced.
set -u
bprobe=$(realpath "$1") made=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "$here/../guest/rig/lib.sh"
cd "$work" || exit 1

read_dat() { "$bprobe" --read "$@" > out 2> err; }

# numbers: n of each event, in the order of the lines of out
numbers() { sed -n 's/.* n=\([0-9]*\).*/\1/p' out | xargs; }

# ---- one file: names, filters, tasks, times ----

# n is also the number of the record. Task 300 of process 200 has two names.
cat > one.txt << 'END'
1000000000 0 100 100 alpha one 1
1000000999 1 100 101 alpha two 2
1000001000 0 200 200 beta one 3
1000001001 1 200 300 beta two 4
1500000000 2 200 300 gamma one 5
2000000000 2 0 0 swapper/2 two 6 7
3000000000 3 100 100 alpha two 7
END
"$made" one.dat web 11 - func < one.txt

reads() {	# reads NAME NUMBERS OPTION...
	name=$1 want=$2
	shift 2
	read_dat -q one.dat "$@"
	is "$name: status" $? 0
	is "... the events" "$(numbers)" "$want"
	is "... without a word" "$(cat err)" ""
}

reads "all" "1 2 3 4 5 6 7"
reads "a name" "1 3 5" one
reads "names" "1 2 3 4 5 6 7" one made/two
reads "--filter behind the file" "3 4 5" --filter 'n > 2 && n < 6'
reads "a filter of a text" "6" two --filter 'text == "text 6"'
reads "a filter of one name, and another name" "1 3 4 5 6 7" one two --filter 'n > 2'
reads "filters of two names" "1 7" one --filter 'n == 1' two --filter 'n == 7'
reads "a filter of the file and of a name: both" "5" --filter 'n > 3' one --filter 'n != 7'
reads "a filter of comm" "5" --filter 'comm == "gamma"'
reads "a filter of the CPU" "5 6" --filter 'CPU == 2'
reads "a filter with -n" "3 4" --filter 'n > 2' -n 2
reads "--pid" "1 2 7" --pid 100
reads "--pid with two values" "1 2 6 7" -p 100,0
reads "--tid" "4 5" --tid 300
reads "--comm" "3 4" --comm beta
reads "--not --comm" "1 2 5 6 7" --not --comm beta
reads "--pid and --not --tid" "3" --pid 200 --not --tid 300
reads "--since, to the nanosecond" "3 4 5 6 7" --since 1.000001
reads "... and one more" "4 5 6 7" --since 1.000001001
reads "... and one more" "5 6 7" --since 1.000001002
reads "--until has the microsecond that lines print" "1 2" --until 1.000000
reads "... and the next one" "1 2 3 4" --until 1.000001
reads "... with nine digits: this nanosecond" "1 2 3" --until 1.000001000
reads "--since and --until" "5 6" --since 1.5 --until 2
reads "... from the first event" "5 6" --since +0.5 --until +1
reads "... that exclude all" "" --since +2.1

read_dat one.dat -q --filter 'n > 2' one --filter 'n < 5' --filter 'n == 3'
is "two filters behind one name: status" $? 64
"$bprobe" -q --read --filter 'n == 3' one.dat > out 2> err
is "--filter in front of the file" "$(numbers)" 3
reads "all losses are shown" "1 2 3 4 5 6 7"
is "... as they were" "$(grep -c 'CPU:2 \[LOST 7 EVENTS\]' out)" 1
reads "losses outside the times are not" "7" --since 2.5
is "... as they were" "$(grep -c LOST out)" 0

read_dat -q one.dat --filter 'text ~ "*3" || text ~ "*4"'
is "a field that another event lacks: status" $? 0
is "... the events" "$(numbers)" 4
is "... and what it says" "$(cat err)" "bprobe: made/one: the event has no field 'text': none of its events is printed"
read_dat -q one.dat --filter 'nosuch == 1'
is "a field that all events lack: status" $? 1
says "... and the message" "has no field 'nosuch'" err
read_dat -q one.dat one --filter 'n =='
is "a filter with an error: status" $? 1
says "... and its caret" '^  n ==$' err
read_dat -q one.dat three
is "a name that means nothing: status" $? 1
says "... and the message" "one.dat has no event called 'three'" err
cp one.dat three
read_dat -q one.dat three
says "a file without a dot: how to write it" 'write ./three' err
for option in "--uid 0" "--cgroup /" "--pidns" "--mntns" "--once" "--rate 5" "--self"; do
	# shellcheck disable=SC2086
	read_dat one.dat $option
	is "$option: status" $? 64
done
read_dat one.dat --since 1.0000000001
is "ten decimals: status" $? 64
read_dat one.dat --since +18446744072.999
is "nearly 2^64 ns: status" $? 0
read_dat one.dat --since 18446744073
is "... and a second more: status" $? 64
read_dat one.dat -k
is "-k: status" $? 64
"$bprobe" --since 1 'p vfs_read' > out 2> err
is "--since for tracing: status" $? 64

# ---- files of one boot: their clock is one ----

cut_records() { awk -v from="$1" -v every="$2" 'NR % every == from' all.txt; }
# 3000 records, of which each third one goes into another file; their order is that of all.txt.
awk 'BEGIN {
	srand(7)
	for (i = 1; i <= 3000; i++) {
		ts += int(rand() * 5000) + 1
		print 5000000000 + ts, int(rand() * 4), 70 + i % 5, 70 + i % 5, "task" i % 5, i % 2 ? "one" : "two", i
	}
}' > all.txt
seq 3000 > want
for n in 0 1 2; do cut_records $n 3 | "$made" part$n.dat web 11 77 func; done
numbers_of_all() { sed -n 's/.* n=\([0-9]*\).*/\1/p' out > got; }
read_dat -q part2.dat part0.dat part1.dat
is "three files of one boot: status" $? 0
numbers_of_all; same "... all events in the order of their times" want got
is "... with the times that they have" "$(head -n 1 out | sed 's/.*\] [^ ]* *\([0-9.]*\): .*/\1/')" "$(awk 'NR == 1 { printf "%.6f", int($1 / 1000) / 1e6 }' all.txt)"
is "... and no host" "$(grep -c '^#' out)" 0
"$bprobe" -q --read part2.dat --read part0.dat --read part1.dat > out 2> err
numbers_of_all; same "the same with an option for each" want got
cp part0.dat file; cp part1.dat file1
"$bprobe" -q --read part2.dat --read file --read file1 > out 2> err
numbers_of_all; same "... and files without a dot in their names" want got
read_dat -q part2.dat part0.dat part1.dat one --filter 'n <= 100'
is "a name with a filter is of all files" "$(numbers)" "$(seq -s ' ' 1 2 99)"
read_dat -q part2.dat part0.dat --filter 'n < 10' part1.dat --filter 'n < 6'
is "a filter behind a file is of this file" "$(numbers | tr ' ' '\n' | awk '$1 % 3 != 2' | xargs)" "1 3 4 6 9"
is "... and not of another" "$(numbers | tr ' ' '\n' | awk '$1 % 3 == 2' | wc -l)" 1000

# ---- --rotate ----

head -n 1000 all.txt | "$made" turn.0001.dat web 11 77 func
sed -n 1001,2000p all.txt | "$made" turn.0002.dat web 11 77 func
tail -n 1000 all.txt | "$made" turn.0003.dat web - - func cut
"$made" turn.0005.dat web 11 77 func < one.txt		# of an earlier run
read_dat -q turn.dat
is "the files of --rotate by one name: status" $? 0
numbers_of_all; same "... all events" want got
says "... the last one was not completed" 'turn.0003.dat was not completed' err
read_dat -q turn.0003.dat turn.0002.dat turn.0001.dat
numbers_of_all; same "the same by their own names" want got

# ---- several hosts: the wall clock ----

# On the wall clock the records have the times of all.txt. Each host's own clock shows another time.
for n in 0 1 2; do
	offset=$((1700000000000000000 + n))
	cut_records $n 3 | awk -v n=$n '{ $1 = $1 + n * 1e10; print }' | "$made" host$n.dat host$n $n $((offset - n * 10000000000)) func_$n
	cut_records $n 3 | awk -v o=$n '{ printf "%.0f %d\n", $1 + o, $7 }' >> wall.txt
done
sort -s -n wall.txt | awk '{ print $2 }' > want
read_dat host2.dat host0.dat host1.dat -q
is "three hosts: status" $? 0
numbers_of_all; same "... all events by the wall clock" want got
awk '/^# host: / { host = $3; next } { split($0, part, "n="); n = part[2] + 0
	if (host != "host" n % 3 || !($0 ~ "\\(func_" n % 3 "\\+0x0/")) print }' out > wrong
is "... each below the name of its host, with its own symbols" "$(head -n 3 wrong)" ""
is "... the first time is the wall clock's" "$(sed -n 's/.*\] [^ ]* *\([0-9.]*\): .*/\1/p' out | head -n 1 | cut -d . -f 1)" 1700000005
is "... a name is printed when the host changes" "$(grep -c '^# host' out)" "$(awk '{ h = $1 % 3; if (NR == 1 || h != last) nr++; last = h } END { print nr }' want)"
head -n 1500 want | tail -n 1001 > want.0
moment() { sort -s -n wall.txt | awk -v nr="$1" 'NR == nr { printf "17000000%011d\n", $1 }' | sed 's/.........$/.&/'; }
read_dat host2.dat host0.dat host1.dat -q --since "$(moment 500)" --until "$(moment 1500)"
numbers_of_all; same "... --since and --until are times of the wall clock" want.0 got

read_dat -q host2.dat host0.dat --json -n 9
sed 's/.*"host":"host\([0-9]\)","boot":"[^"]*\([0-9]\)".*"function":"func_\([0-9]\)".*"n":"*\([0-9]*\).*/\1 \2 \3 \4/' out > got
sort -s -n wall.txt | awk '$2 % 3 != 1 && ++nr <= 9 { h = $2 % 3; print h, h, h, $2 }' > want.0
same "--json: each object names its host" want.0 got
read_dat one.dat --json --host=other -n 1
says "--host=NAME of a recording" '^{"schema":1,"host":"other","boot":"9b09897c-9d3f-47b1-80aa-000000000011","kernel":"6.12.0-made","time_ns":1000000000,' out

read_dat host2.dat host0.dat -o two.json
is "-o FILE.json of two hosts: status" $? 0
# A process of the second machine has a number from 2^23 on, and the events of host N call func_N.
sed -n 's/.*"ph":"i","pid":\([0-9]*\),.*"ts":\([0-9.]*\),.*"n":"*\([0-9]*\).*"place":"func_\([0-9]\).*/\1 \2 \3 \4/p' two.json |
	awk '{ print ($1 < 8388608 ? 2 : 0), $4, $3 }' > got
sort -s -n wall.txt | awk '$2 % 3 != 1 { print $2 % 3, $2 % 3, $2 }' > want.0
same "... each event, on its machine, by the wall clock" want.0 got
is "... tasks are named by their host" "$(grep '"name":"process_name"' two.json | grep -vc '"args":{"name":"host[02]: task[0-9]*"}')" 0
read_dat host2.dat host0.dat -o two.pftrace
is "-o FILE.pftrace of two hosts" "$? $(grep -c "0 slices, $(wc -l < want.0) instants" err)" "0 1"

head -n 3 all.txt | "$made" again.dat host0 12 1700000000000000000 func
read_dat -q host0.dat again.dat -n 1
says "two boots of a host are told apart" '^# host: host0, boot: ' out
printf 'x\033[31my' > name; "$made" evil.dat "$(cat name)" 9 5 func < one.txt
read_dat -q evil.dat one.dat part0.dat
is "another file of its boot says what its clock showed: status" $? 0
read_dat -q evil.dat part0.dat -n 1
is "a name sends no control sequence" "$(head -n 1 out)" '# host: x\x1b[31my'

"$bprobe" --report host0.dat host1.dat > out 2> err
is "--report of two hosts: status" $? 1
says "... is refused" 'is about one boot of one machine, and these files are of several' err
says "... with what to do" 'help: report each alone' err
# An event of one file lacks the field, and its name has it in the other file.
grep ' one ' one.txt > ones.txt
"$made" ones.dat web 11 - func < ones.txt
read_dat -q one.dat ones.dat --filter 'text ~ "*"'
is "a field that the event of one name lacks: said once, with a file" "$(sed 's/ (ones*\.dat)$//' err)" "bprobe: made/one: the event has no field 'text': none of its events is printed"

# ---- files that cannot be read, or compared ----

read_dat -q one.dat host0.dat
is "a file that does not say its clock: status" $? 1
says "... which" 'it is not known what time the clock of one.dat showed' err
says "... and what to do" 'help: read it alone: bprobe --read one.dat' err
read_dat -q part0.dat nosuch.dat part1.dat
is "a file that is not there: status" $? 1
is "... the others are printed" "$(grep -c ' n=' out)" 2000
says "... and it is named" 'cannot open nosuch.dat: No such file' err
echo text > text.dat
read_dat -q part0.dat text.dat part1.dat
is "a file that is no trace.dat: status" $? 1
is "... the others are printed" "$(grep -c ' n=' out)" 2000
says "... and it is named" 'text.dat: this is not a trace.dat' err
# The pages are at the end: cut within the last one, and its records before the cut are whole.
head -c $(($(stat -c %s part1.dat) - 5000)) part1.dat > short.dat
read_dat -q part0.dat short.dat part2.dat
is "a damaged file: status" $? 2
says "... and it is named" '^bprobe: short.dat is damaged: ' err
[ "$(grep -c ' n=' out)" -gt 2000 ]; check $? "... the others are printed, and what is whole of it" err
sed -n 's/.* n=\([0-9]*\).*/\1/p' out > got; sort -n got > want
same "... in the order of their times" want got
exit $failed
