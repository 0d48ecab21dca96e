#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scale.sh [-b BPROBE] [-w WL] [-n ROWS] [KERNEL] - the events of 1000 nodes in one ClickHouse
#
# A guest's 20,000 real events become ROWS rows (100,000,000) of 1000 hosts: each host has them with boot ids, numbers, times and durations of its own. Then
# counts, p50 and p99 by function are asked for. TAP on standard output, with the times; the limit of 5 seconds is for an idle machine with two
# processors, so a slower answer is told, and is no failure. Needs 15 GB below $TMPDIR. Part of `make check-fleet`.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bprobe=${O:-$here/../../build}/bprobe wl=${O:-$here/../../build}/tests/wl rows=100000000
while getopts b:w:n: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	n)	rows=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))
PATH=$PATH:/usr/sbin:/sbin
. "$here/clickhouse.lib"
command -v clickhouse-server > /dev/null || { echo "ok 1 - 1000 nodes in ClickHouse # SKIP clickhouse-server is not installed"; echo 1..1; exit 0; }
tmp=$(mktemp -d)
trap 'kill -9 $(cat "$tmp"/*.pid 2> /dev/null) 2> /dev/null; wait 2> /dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
n=0 failed=0

"$here/../guest/rig/guest.sh" -k "${1:-6.12}" -t 900 -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" "$here/scale.guest" 2> "$tmp/guest.err" | tr -d '\r' > "$tmp/log"
sed -n '/^SCHEMA-BEGIN$/,/^SCHEMA-END$/p' "$tmp/log" | sed '1d;$d' > "$tmp/schema.sql"
sed -n '/^EVENTS-BEGIN$/,/^EVENTS-END$/p' "$tmp/log" | sed '1d;$d' | base64 -d | gunzip > "$tmp/events.json"
real=$(wc -l < "$tmp/events.json")
[ "$real" -ge 10000 ]
result $? "a guest has made $real events" "$tmp/log"
[ "$failed" = 0 ] || { echo "1..$n"; exit 1; }
serve
clickhouse-client --port "$tcp" -n < "$tmp/schema.sql"
clickhouse-client --port "$tcp" --query 'INSERT INTO kprobes_call FORMAT JSONEachRow' < "$tmp/events.json"
result $? "they are a table"
query 'CREATE TABLE fleet AS kprobes_call'
# Each host has a boot id, and each copy other numbers, times and durations. A duration is stretched by 0.5 to 1.5.
query "DESCRIBE TABLE fleet" | cut -f 1 | while read -r column; do
	case $column in
	host)	echo "concat('node', toString(node)) AS host" ;;
	boot)	echo "concat(leftPad, substring(boot, 9)) AS boot" ;;
	seq)	echo "seq + copy * 1000000 AS seq" ;;
	time_ns) echo "time_ns + copy * 60000000000 + node * 977 AS time_ns" ;;
	args_elapsed) echo "toUInt64(args_elapsed * (0.5 + (cityHash64(seq, node, copy) % 1000) / 1000)) AS args_elapsed" ;;
	*)	echo "\`$column\`" ;;
	esac
done | sed "s/leftPad/substring(hex(cityHash64(node)), 1, 8)/" | paste -sd, > "$tmp/columns"
copies=$(((rows + real * 1000 - 1) / (real * 1000)))
start=$(date +%s)
# 20 nodes at a time: a block of the result is made in memory.
for part in $(seq 0 $((copies * 50 - 1))); do
	query "INSERT INTO fleet SELECT $(cat "$tmp/columns") FROM (SELECT *, $((part / 50)) AS copy,
		arrayJoin(arrayMap(i -> i + $((part % 50 * 20)), range(20))) AS node FROM kprobes_call)" || break
done
made=$(query 'SELECT count() FROM fleet')
echo "# $made rows in $(($(date +%s) - start)) seconds, $(query "SELECT formatReadableSize(sum(bytes)) FROM system.parts WHERE table = 'fleet' AND active")"
[ "$made" -ge "$rows" ]
result $? "$made rows of $(query 'SELECT uniqExact(host) FROM fleet') hosts"

ask() {	# ask FUNCTION: how long the question takes, three times; the shortest time is $took
	local try
	took=
	for try in 1 2 3; do
		took="$took$(clickhouse-client --port "$tcp" --time --query "SELECT \`function\`, count() AS calls, $1(0.5, 0.99)(args_elapsed) AS p50_p99
			FROM fleet GROUP BY \`function\` ORDER BY calls DESC" 2>&1 > "$tmp/answer" | tail -n 1)
"
	done
	took=$(printf %s "$took" | sort -n | head -n 1)
	echo "# counts, p50 and p99 by function, $1: $took s"
}
ask quantiles		# of a sample of 8192 values each
ask quantilesTDigest	# of all values
sed 's/^/#   /' "$tmp/answer"
[ "$(awk '{ n += $2 } END { printf "%d\n", n }' "$tmp/answer")" = "$made" ] && [ "$(wc -l < "$tmp/answer")" -ge 5 ]
result $? "the answer has each row"
# Exact quantiles of the same rows, for one function: TDigest is near to them.
function=$(head -n 1 "$tmp/answer" | cut -f 1)
# ... of the hosts node1, node10 to node19 and node100 to node199: their rows fit into memory.
both=$(query "SELECT quantileExact(0.5)(args_elapsed), quantileExact(0.99)(args_elapsed), quantileTDigest(0.5)(args_elapsed), quantileTDigest(0.99)(args_elapsed)
	FROM fleet WHERE \`function\` = '$function' AND host LIKE 'node1%'")
echo "# $function: exact p50 and p99, and TDigest's: $both"
echo "$both" | awk '{ a = $3 / $1; b = $4 / $2; exit !(a > 0.97 && a < 1.03 && b > 0.97 && b < 1.03) }'
result $? "... near the exact quantiles"
echo "# the answer of all values took $took s; 5 s are the limit on an idle machine with two processors"
echo "1..$n"
exit $failed
