/*
 * durations.js - how long calls took.
 */
const latencyName = (l) => (l.begin >= 0 ? eventName(l.begin) + ' \u2192 ' : '') + eventName(l.event);

function bucketText(bucket) {
	const power = (n) => (n < 10 ? String(2 ** n) : 2 ** (n % 10) + ' KMGTPE'[Math.floor(n / 10)]);

	return bucket === 0 ? '[0, 1]' : bucket >= 64 ? '(8E, 16E)' : '(' + power(bucket - 1) + ', ' + power(bucket) + ']';
}

function showHistogram(l) {
	const box = $('histogram'), counts = new Map(l.buckets), first = l.buckets.length ? l.buckets[0][0] : 0;
	const last = l.buckets.length ? l.buckets[l.buckets.length - 1][0] : -1;
	const most = l.buckets.reduce((a, b) => Math.max(a, b[1]), 1);

	$('histogram-title').textContent = latencyName(l) + ', ' + str(l.function) + ': nanoseconds (K is 1024)';
	box.replaceChildren();
	for (let i = first; i <= last; i++) {
		const n = counts.get(i) || 0;

		create(box, 'span', bucketText(i));
		create(box, 'span', number(n));
		create(box, 'div', undefined, n ? '' : 'empty').style.width = n / most * 100 + '%';
	}
}

function makeDurations() {
	const all = data.latencies;

	if (!all.length)
		return;
	$('durations').hidden = false;
	const approximate = (i, n) => (all[i].exact ? '' : '~') + time(n);
	const percentile = (p) => numbers('P' + p, (i) => all[i]['p' + p], 96, (i) => approximate(i, all[i]['p' + p]),
					  (i) => number(all[i]['p' + p]) + ' ns');
	const table = new Table($('durations-table'), 'durations', [
		columnOf('Events', (i) => latencyName(all[i]), 190),
		columnOf('Function', (i) => str(all[i].function), 0),
		numbers('Count', (i) => all[i].count, 90),
		times('Average', (i) => all[i].avg, 96), times('Least', (i) => all[i].min, 96), percentile(50), percentile(90), percentile(99),
		times('Longest', (i) => all[i].max, 96), times('Sum', (i) => all[i].sum, 96),
	], all.length, { filter: all.length > 8, choose: (i) => showHistogram(all[i]) });

	$('durations-note').textContent = all.some((l) => !l.exact) ? '~: of more than ' + number(data.exact) +
		' durations, so up to 0.8 % too high.' : '';
	table.choose(0);
}
