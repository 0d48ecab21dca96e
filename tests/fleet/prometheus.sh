#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# prometheus.sh [-b BPROBE] [-w WL] [KERNEL] - --metrics in Debian's Prometheus: does a query say what --profile says?
#
# A guest keeps events and makes known hits. node_exporter's textfile collector takes the file, Prometheus scrapes that, and its answers are
# compared with --profile of the same moment. promtool checks the file. Part of `make check-fleet`. TAP on standard output.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bprobe=${O:-$here/../../build}/bprobe wl=${O:-$here/../../build}/tests/wl
while getopts b:w: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))
kernel=${1:-6.12}
for program in prometheus promtool prometheus-node-exporter python3; do
	command -v "$program" > /dev/null && continue
	echo "ok 1 - metrics in Prometheus # SKIP $program is not installed"
	echo 1..1
	exit 0
done
tmp=$(mktemp -d)
pids=
trap 'kill $pids 2> /dev/null; wait 2> /dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP

"$here/../guest/rig/guest.sh" -k "$kernel" -t 200 -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" "$here/metrics.guest" 2> /dev/null | tr -d '\r' > "$tmp/log"
mkdir "$tmp/text" "$tmp/data"
sed -n '/^METRICS-BEGIN$/,/^METRICS-END$/p' "$tmp/log" | sed '1d;$d' > "$tmp/text/bprobe.prom"
sed -n '/^PROFILE-BEGIN$/,/^PROFILE-END$/p' "$tmp/log" | sed '1d;$d' > "$tmp/profile"
n=0
result() { n=$((n + 1)); [ "$1" = 0 ] && echo "ok $n - $2" || { echo "not ok $n - $2"; sed 's/^/# /' "${3:-/dev/null}" | head -20; }; }

[ -s "$tmp/text/bprobe.prom" ] && [ -s "$tmp/profile" ]
result $? "the guest has printed metrics and a profile" "$tmp/log"
promtool check metrics < "$tmp/text/bprobe.prom" > "$tmp/said" 2>&1 && [ ! -s "$tmp/said" ]
result $? 'promtool has no remark' "$tmp/said"

# Two ports that nobody has; another process may take them first, so what comes up is asked whether it is ours.
ports=$(python3 -c 'import socket
s = [socket.socket() for _ in range(2)]
for one in s: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in s])')
exporter=${ports% *} server=${ports#* }
prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$tmp/text" \
	--web.listen-address="127.0.0.1:$exporter" > "$tmp/exporter.log" 2>&1 &
pids="$pids $!"
cat > "$tmp/prometheus.yml" << END
global: { scrape_interval: 1s, scrape_timeout: 1s }
scrape_configs: [ { job_name: node, static_configs: [ { targets: ["127.0.0.1:$exporter"] } ] } ]
END
prometheus --config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/data" --web.listen-address="127.0.0.1:$server" > "$tmp/prometheus.log" 2>&1 &
pids="$pids $!"

SERVER=$server FIRST=$((n + 1)) PROFILE=$tmp/profile python3 - << 'END'
import json, os, time, urllib.parse, urllib.request
n = int(os.environ["FIRST"]) - 1
failed = False
def check(good, what):
    global n, failed
    n += 1
    failed = failed or not good
    print(f"{'ok' if good else 'not ok'} {n} - {what}")

def query(text):
    url = f"http://127.0.0.1:{os.environ['SERVER']}/api/v1/query?" + urllib.parse.urlencode({"query": text})
    try:
        with urllib.request.urlopen(url, timeout=5) as f:
            return [(r["metric"], float(r["value"][1])) for r in json.load(f)["data"]["result"]]
    except OSError:
        return []

for _ in range(120):
    if query("bprobe_build_info"):
        break
    time.sleep(0.5)
check(bool(query("bprobe_build_info")), "Prometheus has scraped the metrics")
columns = ["seen", "hits", "filtered", "limited", "missed", "faulted", "lost", "overwritten", "undecided"]
rows = [line.split() for line in open(os.environ["PROFILE"])]
for row in rows:
    if "(counted)" in row[0]:
        continue
    for name, want in zip(columns, row[1:]):
        got = query(f'bprobe_{name}_total{{event="{row[0]}"}}')
        if want == "unknown":
            check(not got and query(f'bprobe_missed_known{{event="{row[0]}"}}')[0][1] == 0, f"{row[0]}: {name} is not known in both")
        else:
            check(len(got) == 1 and got[0][1] == float(want), f"{row[0]}: {name} is {want} in both")
counted = [row for row in rows if row[0] == "sized(counted)"]
check(len(counted) == 1 and query("bprobe_counted_total")[0][1] == float(counted[0][2]) == 1000, "a histogram: 1000 counted hits in both")
# Offsets 1 to 1000: half of them are at most 500, in the bucket from 257 to 512, in which Prometheus takes an even distribution.
median = query('histogram_quantile(0.5, sum by (le) (bprobe_off_hist_bucket))')
check(len(median) == 1 and abs(median[0][1] - 500) < 1, "the median of 1 to 1000 from the buckets")
check(query("bprobe_off_hist_sum")[0][1] == 500500, "their sum")
print(f"1..{n}")
raise SystemExit(failed)
END
