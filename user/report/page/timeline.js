/*
 * timeline.js - the events over time, in rows of tasks or CPUs.
 */
const AXIS = 22, OVERVIEW = 44, ROW = 20, ROWS_MOST = 200;

const timeline = {
	from: 0, to: 1, rows: [], byCpu: false, label: 150,

	begin() {
		this.span = Math.max(data.span, 1);
		this.hits = data.hits ? data.hits.time.length : 0;
		if (data.hits) {
			this.times = new Float64Array(this.hits);
			for (let i = 0, at = 0; i < this.hits; i++)
				this.times[i] = at += data.hits.time[i];
		}
		this.rate = unpack(data.rate, data.bins);
		this.makeRows();
		this.showAll();
	},

	showAll() {
		const margin = this.span / 100;

		this.set(-margin, this.span + margin);
	},

	makeRows() {
		this.rows = data.hits ? this.rowsOfHits() : this.rowsOfBins();
		$('timeline-box').scrollTop = 0;
	},

	/* The tasks with the most events; the others together. */
	rowsOfHits() {
		const keys = this.byCpu ? data.hits.cpu : data.hits.task, all = new Map();

		for (let i = 0; i < this.hits; i++) {
			if (!all.has(keys[i]))
				all.set(keys[i], []);
			all.get(keys[i]).push(i);
		}
		let sorted = [...all.entries()];

		sorted.sort(this.byCpu ? (a, b) => a[0] - b[0] : (a, b) => b[1].length - a[1].length || a[0] - b[0]);
		const rest = sorted.splice(ROWS_MOST);
		const rows = sorted.map(([key, hits]) => this.rowOf(this.byCpu ? 'CPU ' + key : taskText(key), hits, this.byCpu ? key : -1));

		if (rest.length) {
			const hits = [].concat(...rest.map((r) => r[1])).sort((a, b) => a - b);

			rows.push(this.rowOf(number(rest.length) + (this.byCpu ? ' more CPUs' : ' more tasks'), hits, -1));
		}
		return rows;
	},

	rowOf(name, hits, cpu) {
		let longest = 0;

		for (const i of hits)
			longest = Math.max(longest, data.hits.duration[i]);
		return { name, hits, longest, cpu };
	},

	rowsOfBins() {
		const from = this.byCpu ? data.cpu_rows : data.task_rows, rows = [];

		for (let i = 0; i < from.length; i += 2) {
			const nr = from[i], bins = unpack(from[i + 1], data.bins);
			const name = nr < 0 ? (this.byCpu ? 'other CPUs' : 'other tasks') : this.byCpu ? 'CPU ' + nr : taskText(nr);

			rows.push({ name, bins, most: bins.reduce((a, b) => Math.max(a, b), 0), cpu: this.byCpu ? nr : -1 });
		}
		return rows;
	},

	set(from, to) {
		const least = Math.min(100, this.span), most = this.span * 1.02;
		const width = Math.min(Math.max(to - from, least), most), middle = (from + to) / 2;

		this.from = Math.min(Math.max(middle - width / 2, -this.span / 100), this.span * 1.01 - width);
		this.to = this.from + width;
		$('range').textContent = time(Math.round(width)) + ' from ' + point(Math.max(0, Math.round(this.from))) + ' s';
		redraw();
	},

	zoom(factor, at) {
		const middle = at === undefined ? (this.from + this.to) / 2 : at;

		this.set(middle - (middle - this.from) * factor, middle + (this.to - middle) * factor);
	},

	move(part) {
		const by = (this.to - this.from) * part;

		this.set(this.from + by, this.to + by);
	},

	x(ns) { return this.label + (ns - this.from) / (this.to - this.from) * (this.width - this.label); },
	ns(x) { return this.from + (x - this.label) / (this.width - this.label) * (this.to - this.from); },

	draw() {
		const tall = AXIS + OVERVIEW + ROW * this.rows.length, height = Math.min(tall, 458);

		$('timeline-tall').style.height = tall + 'px';
		Object.assign(this, begin($('timeline'), height));
		this.label = this.width < 600 ? 92 : 170;
		this.offset = $('timeline-box').scrollTop;
		const c = this.context;

		c.save();
		c.beginPath();
		c.rect(0, AXIS + OVERVIEW, this.width, height);
		c.clip();
		const first = Math.floor(this.offset / ROW), last = Math.min(this.rows.length, first + Math.ceil(height / ROW) + 1);

		for (let i = first; i < last; i++)
			this.drawRow(this.rows[i], AXIS + OVERVIEW + i * ROW - this.offset, i);
		c.restore();
		this.drawGaps(height);
		this.drawAxis(height);
		this.drawOverview();
	},

	drawLabel(text, y) {
		const c = this.context;

		c.fillStyle = colours.ink;
		c.font = '12px ' + SANS;
		c.textAlign = 'left';
		c.fillText(fitted(c, text, this.label - 12), 6, y);
	},

	drawRow(row, y, i) {
		const c = this.context;

		if (i % 2 === 0) {
			c.fillStyle = colours.faint;
			c.fillRect(0, y, this.width, ROW);
		}
		c.save();
		c.beginPath();
		c.rect(this.label, y, this.width - this.label, ROW);
		c.clip();
		if (row.bins)
			this.drawBins(row, y);
		else
			this.drawHits(row, y);
		c.restore();
		this.drawLabel(row.name, y + ROW / 2 + 1);
	},

	/* Durations as bars, then the moments of all events. Of those in one column of pixels only the first of each colour is drawn. */
	drawHits(row, y) {
		const c = this.context, drawn = new Map();
		const start = lower(row.hits, this.times, this.from), end = this.to + row.longest;

		c.globalAlpha = .35;
		for (let n = start; n < row.hits.length && this.times[row.hits[n]] <= end; n++) {
			const i = row.hits[n], duration = data.hits.duration[i], x = this.x(this.times[i]);

			if (duration <= 0 || this.times[i] - duration > this.to)
				continue;
			const left = Math.max(this.x(this.times[i] - duration), this.label - 2), wide = Math.max(x - left, 1);
			const key = siteEvent(data.hits.site[i]) + ':' + Math.round(left) + ':' + Math.round(wide);

			if (drawn.has(key))
				continue;
			drawn.set(key, true);
			c.fillStyle = colourOf(siteEvent(data.hits.site[i]));
			c.fillRect(left, y + 5, wide, ROW - 10);
		}
		c.globalAlpha = 1;
		drawn.clear();
		for (let n = start; n < row.hits.length && this.times[row.hits[n]] <= this.to; n++) {
			const i = row.hits[n], x = Math.round(this.x(this.times[i])), e = siteEvent(data.hits.site[i]);

			if (drawn.get(e) === x)
				continue;
			drawn.set(e, x);
			c.fillStyle = colourOf(e);
			c.fillRect(x - 1, y + 3, 2, ROW - 6);
		}
	},

	drawBins(row, y) {
		const c = this.context, first = Math.max(0, Math.floor(this.from / data.width)), scale = Math.log(1 + row.most);

		c.fillStyle = colours.bar;
		for (let i = first; i < data.bins && i * data.width < this.to; i++) {
			if (!row.bins[i])
				continue;
			const left = this.x(i * data.width), right = this.x((i + 1) * data.width);

			c.globalAlpha = .25 + .75 * Math.log(1 + row.bins[i]) / scale;
			c.fillRect(left, y + 3, Math.max(right - left, 1), ROW - 6);
		}
		c.globalAlpha = 1;
	},

	/* Where events were lost: of one CPU in its row, otherwise in all. */
	drawGaps(height) {
		const c = this.context;

		c.fillStyle = colours.mark;
		for (const [cpu, from, to] of data.gaps) {
			const left = Math.max(this.x(from), this.label), right = Math.min(this.x(to), this.width);

			if (right < this.label || left > this.width)
				continue;
			c.globalAlpha = .9;
			c.fillRect(left, AXIS + OVERVIEW - 3, Math.max(right - left, 2), 3);
			c.globalAlpha = .14;
			this.rows.forEach((row, i) => {
				const y = AXIS + OVERVIEW + i * ROW - this.offset;

				if (row.cpu === cpu && y < height && y >= AXIS + OVERVIEW)
					c.fillRect(left, y, Math.max(right - left, 2), ROW);
			});
		}
		c.globalAlpha = 1;
	},

	drawAxis(height) {
		const c = this.context, least = (this.to - this.from) / ((this.width - this.label) / 110);
		let step = 1;

		while (step < least)
			step *= String(step)[0] === '2' ? 2.5 : 2;
		c.font = '11px ' + SANS;
		c.textAlign = 'center';
		for (let at = Math.ceil(Math.max(this.from, 0) / step) * step; at <= this.to && at <= this.span * 1.01; at += step) {
			const x = Math.round(this.x(at)) + .5;

			c.fillStyle = colours.line;
			c.fillRect(x - .5, AXIS - 4, 1, height);
			c.fillStyle = colours.soft;
			const text = axisText(at, step), half = c.measureText(text).width / 2;

			if (x - half > this.label - 20 && x + half < this.width)
				c.fillText(text, x, 10);
		}
	},

	/* The rate of all events, in columns of pixels. */
	drawOverview() {
		const c = this.context, wide = 3, nr = Math.max(1, Math.floor((this.width - this.label) / wide)), counts = new Float64Array(nr);
		const each = (this.to - this.from) / nr, fine = data.hits && each < data.width * 2;
		let most = 0;

		if (fine) {
			for (let i = lowerOf(this.times, this.from); i < this.hits && this.times[i] < this.to; i++)
				counts[Math.min(nr - 1, Math.floor((this.times[i] - this.from) / each))]++;
		} else {
			for (let i = Math.max(0, Math.floor(this.from / data.width)); i < data.bins && i * data.width < this.to; i++)
				spread(counts, (i * data.width - this.from) / each, data.width / each, this.rate[i]);
		}
		for (const n of counts)
			most = Math.max(most, n);
		c.fillStyle = colours.bar;
		for (let i = 0; i < nr; i++)
			if (counts[i])
				c.fillRect(this.label + i * wide, AXIS + OVERVIEW - 6 - Math.max(1, counts[i] / most * (OVERVIEW - 12)), wide,
					   Math.max(1, counts[i] / most * (OVERVIEW - 12)));
		this.drawLabel('all events', AXIS + OVERVIEW / 2 + 2);
		c.fillStyle = colours.soft;
		c.font = '10px ' + SANS;
		c.fillText(fitted(c, 'most: ' + number(Math.round(most / each * 1e9)) + '/s', this.label - 12), 6, AXIS + OVERVIEW / 2 + 15);
	},

	/* The text for what is at a place of the canvas. */
	textAt(x, y) {
		const row = this.rows[Math.floor((y - AXIS - OVERVIEW + this.offset) / ROW)];

		if (x < this.label || y < AXIS + OVERVIEW || !row)
			return '';
		return row.bins ? this.textOfBin(row, x) : this.textOfHit(row, x);
	},

	textOfBin(row, x) {
		const bin = Math.floor(this.ns(x) / data.width);

		if (!row.bins[bin])
			return '';
		return row.name + '\n' + number(row.bins[bin]) + ' events in ' + time(data.width) + ' from ' + point(bin * data.width) + ' s';
	},

	textOfHit(row, x) {
		const near = (this.to - this.from) / (this.width - this.label) * 5, at = this.ns(x);
		let best = -1, distance = near;

		for (let n = lower(row.hits, this.times, at - near); n < row.hits.length && this.times[row.hits[n]] <= at + near; n++) {
			const d = Math.abs(this.times[row.hits[n]] - at);

			if (d < distance) {
				distance = d;
				best = row.hits[n];
			}
		}
		for (let n = lower(row.hits, this.times, at); best < 0 && n < row.hits.length && this.times[row.hits[n]] <= at + row.longest; n++)
			if (this.times[row.hits[n]] - data.hits.duration[row.hits[n]] <= at)
				best = row.hits[n];
		return best < 0 ? '' : hitText(best);
	},
};

/* Adds @n to the columns from @from on, over @wide of them, to each as much of it as it has of this. */
function spread(counts, from, wide, n) {
	for (let i = Math.max(0, Math.floor(from)); n && i < Math.min(counts.length, from + wide); i++)
		counts[i] += n * (Math.min(i + 1, from + wide) - Math.max(i, from)) / wide;
}

function hitText(i) {
	const h = data.hits, site = h.site[i], lines = [siteName(site) + '  ' + siteFunction(site)];

	lines.push('at ' + point(timeline.times[i]) + ' s, CPU ' + h.cpu[i] + ', ' + taskText(h.task[i]));
	if (h.duration[i] >= 0)
		lines.push('took ' + time(h.duration[i]) + ' (' + number(h.duration[i]) + ' ns)');
	if (str(h.text[i]))
		lines.push(str(h.text[i]));
	return lines.join('\n');
}

/* Bins of the data as an array. */
function unpack(packed, nr) {
	const bins = new Float64Array(nr);

	for (let i = 0, at = 0; i < packed.length; i += 2) {
		at += packed[i];
		bins[at++] = packed[i + 1];
	}
	return bins;
}

/* The first one of @times that is not before @at; of the hits with the numbers @hits. */
function lowerOf(times, at) {
	let low = 0, high = times.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (times[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function lower(hits, times, at) {
	let low = 0, high = hits.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (times[hits[middle]] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const colourOf = (event) => event < 0 ? colours.soft : PALETTE[event % PALETTE.length];

function axisText(at, step) {
	const [unit, ns] = step >= 1e8 ? ['s', 1e9] : step >= 1e5 ? ['ms', 1e6] : step >= 100 ? ['us', 1e3] : ['ns', 1];

	return (at / ns).toLocaleString('en', { maximumFractionDigits: 3 }) + ' ' + unit;
}
