/*
 * tables.js - the tables of the page, and their tabs.
 */
const share = (n) => data.count ? (n / data.count * 100).toFixed(1) : '';

function columnOf(title, text, width, value) { return { title, text, width, value }; }
function numbers(title, value, width, text, exact) { return { title, text: text || ((i) => number(value(i))), width, value, right: true, exact }; }
function times(title, value, width) {
	return numbers(title, value, width, (i) => value(i) < 0 ? '' : time(value(i)), (i) => value(i) < 0 ? '' : number(value(i)) + ' ns');
}

function makeEvents(parent) {
	const h = data.hits;

	return new Table(parent, 'events', [
		numbers('Time (s)', (i) => timeline.times[i], 112, (i) => point(timeline.times[i])),
		columnOf('Event', (i) => siteName(h.site[i]), 130),
		columnOf('Function', (i) => siteFunction(h.site[i]), 170),
		columnOf('Task', (i) => taskName(h.task[i]), 130),
		numbers('PID', (i) => taskPid(h.task[i]), 76, (i) => String(taskPid(h.task[i]))),
		numbers('CPU', (i) => h.cpu[i], 58, (i) => String(h.cpu[i])),
		times('Took', (i) => h.duration[i], 96),
		columnOf('Arguments', (i) => str(h.text[i]), 0),
	], h.time.length);
}

function makeRows(parent) {
	const r = data.rows;

	return new Table(parent, 'events by function and task', [
		columnOf('Event', (i) => eventName(r[i][0]), 150),
		columnOf('Function', (i) => str(r[i][1]), 0),
		columnOf('Task', (i) => str(r[i][2]), 130),
		numbers('PID', (i) => r[i][3], 76, (i) => String(r[i][3])),
		numbers('Count', (i) => r[i][4], 100),
		numbers('%', (i) => r[i][4], 60, (i) => share(r[i][4])),
		numbers('First (s)', (i) => r[i][5], 112, (i) => point(r[i][5])),
		numbers('Last (s)', (i) => r[i][6], 112, (i) => point(r[i][6])),
		times('Average', (i) => r[i][7], 96),
		times('Longest', (i) => r[i][8], 96),
	], r.length, { more: data.other_rows ? '; ' + number(data.other_rows) + ' events are in no row' : '' });
}

function bySize(rows, count) {
	return rows.slice().sort((a, b) => b[count] - a[count]);
}

function makeFunctions(parent) {
	const s = bySize(data.sites, 2);

	return new Table(parent, 'functions', [
		columnOf('Event', (i) => eventName(s[i][0]), 0),
		columnOf('Function', (i) => str(s[i][1]), 0),
		numbers('Count', (i) => s[i][2], 100),
		numbers('%', (i) => s[i][2], 64, (i) => share(s[i][2])),
	], s.length, { more: data.other_sites ? '; ' + number(data.other_sites) + ' events are in no row' : '' });
}

function makeTasks(parent) {
	const t = bySize(data.tasks, 2);

	return new Table(parent, 'tasks', [
		columnOf('Task', (i) => str(t[i][0]), 0),
		numbers('PID', (i) => t[i][1], 90, (i) => String(t[i][1])),
		numbers('Count', (i) => t[i][2], 100),
		numbers('%', (i) => t[i][2], 64, (i) => share(t[i][2])),
	], t.length, { more: data.other_tasks ? '; ' + number(data.other_tasks) + ' events are in no row' : '' });
}

function makeCpus(parent) {
	const c = data.cpus;

	return new Table(parent, 'CPUs', [
		numbers('CPU', (i) => c[i][0], 0, (i) => String(c[i][0])),
		numbers('Count', (i) => c[i][1], 0),
		numbers('%', (i) => c[i][1], 0, (i) => share(c[i][1])),
		numbers('Lost', (i) => c[i][2], 0, (i) => (c[i][3] ? 'more than ' : '') + number(c[i][2])),
	], c.length);
}

function makeLosses(parent) {
	const g = data.gaps;

	return new Table(parent, 'losses', [
		numbers('CPU', (i) => g[i][0], 0, (i) => String(g[i][0])),
		numbers('Lost', (i) => g[i][3], 0, (i) => g[i][3] < 0 ? 'some' : number(g[i][3])),
		numbers('From (s)', (i) => g[i][1], 0, (i) => point(g[i][1])),
		numbers('To (s)', (i) => g[i][2], 0, (i) => point(g[i][2])),
	], g.length);
}

/* A tab makes its table when it is first shown. */
function makeTabs() {
	const tabs = [
		['Events', data.hits ? makeEvents : makeRows], ['Functions', makeFunctions], ['Tasks', makeTasks], ['CPUs', makeCpus],
	];

	if (data.gaps.length)
		tabs.push(['Losses', makeLosses]);
	const buttons = tabs.map(([name, make], i) => {
		const button = create($('tabs'), 'button', name), panel = create($('tables'), 'div');
		let table = null;

		button.type = 'button';
		button.id = 'tab-' + name.toLowerCase();
		button.setAttribute('role', 'tab');
		button.setAttribute('aria-controls', 'panel-' + name.toLowerCase());
		panel.id = 'panel-' + name.toLowerCase();
		panel.setAttribute('role', 'tabpanel');
		panel.setAttribute('aria-labelledby', button.id);
		button.onclick = () => {
			for (const other of buttons)
				other.show(other === buttons[i]);
		};
		button.onkeydown = (e) => {
			const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;

			if (!by)
				return;
			const next = buttons[(i + by + buttons.length) % buttons.length];

			next.button.focus();
			next.button.click();
		};
		return {
			button,
			show(on) {
				panel.hidden = !on;
				button.setAttribute('aria-selected', String(on));
				button.tabIndex = on ? 0 : -1;
				if (on)
					table = table || make(panel);
			},
		};
	});

	buttons.forEach((b, i) => b.show(i === 0));
	$('tables-note').textContent = data.hits ? '' : 'More than ' + number(data.limit) + ' events: they are summed up by event, function and task.';
	if (data.cut)
		$('tables-note').textContent += ' Texts are cut behind ' + data.cut + ' bytes, so that the page stays below 25 MB.';
}
