# SPDX-License-Identifier: GPL-2.0-only
#
# metrics.awk - is it the text format of Prometheus, 0.0.4? Prints what is not.
#
# https://prometheus.io/docs/instrumenting/exposition_formats/ and the naming practices: HELP and TYPE stand before the samples of their
# family, which stand together; a counter's name ends with _total; buckets grow, and the one of +Inf is the count; no sample comes twice.
function bad(why) { print NR ": " why ": " $0 }
/^# HELP / { help[$3] = 1; if ($3 in done) bad("a family in two places"); next }
/^# TYPE / {
	if (!($3 in help)) bad("no HELP before")
	if (family != "") done[family] = 1
	family = $3; type = $4
	if (type == "counter" && family !~ /_total$/) bad("a counter without _total")
	if (type != "counter" && family ~ /_total$/) bad("_total of no counter")
	next
}
/^#/ { next }
{
	if ($0 !~ /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\\\|\\"|\\n)*"(,|\}))*)? -?[0-9]+$/) bad("no sample")
	name = $0; sub(/[{ ].*/, "", name)
	base = name
	if (type == "histogram") sub(/_(bucket|count|sum)$/, "", base)
	if (base != family) bad("a sample of another family")
	sample = $0; sub(/ [^ ]*$/, "", sample)
	if (sample in seen) bad("a sample twice")
	seen[sample] = 1
	value = $NF
	if (name ~ /_bucket$/ && type == "histogram") {
		set = sample; sub(/,?le="[^"]*"/, "", set)
		if (set == last_set && value < last) bad("a bucket is smaller than the one before")
		last_set = set; last = value
		if (sample ~ /le="\+Inf"/) { sub(/_bucket/, "_count", set); inf[set] = value }
	}
	if (name ~ /_count$/ && type == "histogram" && inf[sample] != value) bad("the count is not that of +Inf")
}
