#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# events.sh [-b BPROBE] [-w WL] [-n HITS] [KERNEL] - events of a guest, by rsyslog's RELP, into files and into ClickHouse
#
# A guest keeps an event, makes HITS known hits (1,000,000), and writes them into files, while the reader is killed three times. Then rsyslog
# sends these files by RELP to another rsyslog, which writes files, and doc/fleet/clickhouse-insert puts those into ClickHouse. The sender is
# killed, the receiver is stopped, killed and started again, and ClickHouse is killed while it inserts. At the end no number is missing, and what
# came twice is gone after FINAL. The configurations are those of doc/fleet, with other paths and ports. Part of `make check-fleet`.
# TAP on standard output. KEEP=DIR keeps the guest's files.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bprobe=${O:-$here/../../build}/bprobe wl=${O:-$here/../../build}/tests/wl hits=1000000
while getopts b:w:n: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	n)	hits=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))
kernel=${1:-6.12} doc=$here/../../doc/fleet
PATH=$PATH:/usr/sbin:/sbin
for program in rsyslogd clickhouse-server clickhouse-client python3; do
	command -v "$program" > /dev/null && continue
	echo "ok 1 - events by RELP into ClickHouse # SKIP $program is not installed"
	echo 1..1
	exit 0
done
. "$here/clickhouse.lib"
tmp=$(mktemp -d)
trap 'kill -9 $(cat "$tmp"/*.pid 2> /dev/null) 2> /dev/null; wait 2> /dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
# ---- the node ----

truncate -s 4G "$tmp/disk"
echo "$hits" > "$tmp/events"
"$here/../guest/rig/guest.sh" -k "$kernel" -M -m 4096 -t 3000 -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" -f "$tmp/events=/events" -D "$tmp/disk" \
	"$here/events.guest" > "$tmp/guest.log" 2>&1
mkdir -p "$tmp/node" "$tmp/spool" "$tmp/in" "$tmp/node-work" "$tmp/collector-work"
tar x -C "$tmp/node" -f "$tmp/disk" 2> "$tmp/tar.err"
rm -f "$tmp/disk"
grep -q '^EVENTS-END' "$tmp/guest.log" && [ -s "$tmp/node/run4.json" ]
result $? "the node has written files" "$tmp/guest.log"
[ "$failed" = 0 ] || { echo "1..$n"; exit 1; }
[ -z "${KEEP:-}" ] || cp -r "$tmp/node" "$KEEP"
numbers() { awk -f "$here/../guest/suites/numbers.awk" "$@"; }
for file in "$tmp"/node/run?.json; do sed -n '/}$/p' "$file"; done | numbers > "$tmp/numbers"
echo "# the node's files: $(cat "$tmp/numbers")"
equal "$(sed 's/ numbers,.* twice, /: /' "$tmp/numbers")" "seek: $hits: 0 missing" "each of $hits hits is in the node's files, or lost and told"
events=$(sed 's/.*numbers, \([0-9]*\) events.*/\1/' "$tmp/numbers") twice=$(sed 's/.* \([0-9]*\) twice.*/\1/' "$tmp/numbers")
alone=$((events - twice))		# if no lost range was repeated
# A killed reader repeats one block at most: 64 KiB of lines of 400 bytes and more.
equal "$((twice <= 3 * 65536 / 400))" 1 "three readers were killed: $twice numbers came twice, a block for each at most"

# ---- sender and receiver ----

relp=$(port)
sed "s|/var/spool/rsyslog-bprobe|$tmp/node-work|; s|/var/spool/bprobe|$tmp/spool|; s|collector.example.org|127.0.0.1|; s|20514|$relp|" \
	"$doc/rsyslog-node.conf" > "$tmp/node.conf"
sed "s|/var/spool/rsyslog-bprobe|$tmp/collector-work|; s|/var/spool/bprobe-in|$tmp/in|; s|20514|$relp|" "$doc/rsyslog-collector.conf" > "$tmp/collector.conf"
start() {	# start NAME
	rm -f "$tmp/$1.pid"
	rsyslogd -n -f "$tmp/$1.conf" -i "$tmp/$1.pid" >> "$tmp/$1.log" 2>&1 &
	disown
	until_true 30 test -s "$tmp/$1.pid"
}
end() {	# end NAME SIGNAL
	local pid
	pid=$(cat "$tmp/$1.pid")
	kill "-$2" "$pid"
	while kill -0 "$pid" 2> /dev/null; do sleep 0.05; done
}
lines() { cat "$tmp"/in/*.json 2> /dev/null | wc -l; }
has() { [ "$(lines)" -ge "$1" ]; }
total=$(cat "$tmp"/node/run?.json | wc -l)
start collector
start node
mv "$tmp"/node/run?.json "$tmp/spool/"
until_true 300 has $((total / 10)); end node KILL; start node
until_true 300 has $((total / 4)); end collector TERM; sleep 2; start collector
until_true 300 has $((total / 2)); end collector KILL; sleep 1; start collector
until_true 300 has $((total * 3 / 4)); end node KILL; end collector KILL; start collector; start node
# All lines since the last start of the sender have come when the last one has.
last=$(tail -n 1 "$tmp/spool/run4.json" | grep -o '"creation".*"seq":[0-9]*')
arrived() {
	local before
	before=$(lines)
	sleep 3
	[ "$before" = "$(lines)" ] && cat "$tmp"/in/*.json | grep -qF "$last,"
}
until_true 900 arrived
result $? "all lines have arrived" "$tmp/node.log"
cat "$tmp"/in/*.json > "$tmp/all"
sed -n '/^{.*}$/p' "$tmp/all" | numbers > "$tmp/numbers"
echo "# $(wc -l < "$tmp/all") lines of $total have arrived: $(cat "$tmp/numbers")"
equal "$(sed 's/ numbers,.* twice, /: /' "$tmp/numbers")" "seek: $hits: 0 missing" "sender and receiver were killed twice, and the receiver was stopped: no number is missing"

# ---- ClickHouse ----

serve
clickhouse-client --port "$tcp" -n < "$tmp/node/schema.sql"
result $? "ClickHouse takes the tables of --schema=clickhouse"
insert() { FINISHED=0 "$doc/clickhouse-insert" "$tmp/in" --port "$tcp" > "$tmp/insert.log" 2>&1; }
insert & inserting=$!
sleep 1
kill -9 "$(cat "$tmp/clickhouse.pid")"
wait $inserting
equal "$(($? != 0))" 1 "ClickHouse is killed while rows are inserted: clickhouse-insert says so"
serve
insert
result $? "... and repeats it" "$tmp/insert.log"
[ -z "$(ls "$tmp"/in/*.json 2> /dev/null)" ]
result $? "... until no file is left" "$tmp/insert.log"
# A row for each event; offsets are 1 to $hits.
raw=$(query 'SELECT count() FROM kprobes_seek')
echo "# ClickHouse: $raw rows, $(query 'SELECT count() FROM kprobes_seek FINAL') without those that came twice"
equal "$(query 'SELECT count() FROM kprobes_seek FINAL')" "$alone" "each event has one row"
equal "$(query 'SELECT sum(last_seq - first_seq + 1) FROM bprobe_gaps FINAL' | sed 's/^$/0/')" "$((hits - alone))" "the hits that were lost are in the ranges of bprobe_gaps"
equal "$(query "SELECT sum(highest - present) FROM (SELECT max(seq) AS highest, uniqExact(seq) AS present FROM (
	SELECT host, boot, creation, probe, cpu, seq FROM kprobes_seek FINAL UNION ALL
	SELECT host, boot, creation, probe, cpu, arrayJoin(range(toUInt64(last_seq - first_seq + 1))) + first_seq AS seq FROM bprobe_gaps FINAL)
	GROUP BY host, boot, creation, probe, cpu)")" 0 "the query of doc/fleet.md finds no missing number"
equal "$(query "SELECT sum(highest - present) FROM (SELECT max(seq) AS highest, uniqExact(seq) AS present FROM (
	SELECT host, boot, creation, probe, cpu, seq FROM kprobes_seek FINAL WHERE seq != 7 UNION ALL
	SELECT host, boot, creation, probe, cpu, arrayJoin(range(toUInt64(last_seq - first_seq + 1))) + first_seq AS seq FROM bprobe_gaps FINAL)
	GROUP BY host, boot, creation, probe, cpu)" | awk '{ print ($1 > 0) }')" 1 "... and finds one that is"
[ "$hits" != "$alone" ] ||
	equal "$(query 'SELECT sum(args_off), uniqExact(args_off) FROM kprobes_seek FINAL' | tr '\t' ' ')" "$((hits * (hits + 1) / 2)) $hits" "the offsets are 1 to $hits"
echo "1..$n"
exit $failed
