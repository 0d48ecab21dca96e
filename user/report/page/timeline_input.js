/*
 * timeline_input.js - what a mouse, keys, fingers and buttons do to the timeline, and what is said about it.
 */
function listenToTimeline() {
	const canvas = $('timeline'), pointers = new Map();
	let before = null;

	const place = (e) => [e.clientX - canvas.getBoundingClientRect().left, e.clientY - canvas.getBoundingClientRect().top];
	const grip = () => {
		const all = [...pointers.values()];

		return all.length < 2 ? { x: all[0], wide: 0 } : { x: (all[0] + all[1]) / 2, wide: Math.max(20, Math.abs(all[0] - all[1])) };
	};

	canvas.addEventListener('wheel', (e) => {
		e.preventDefault();
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			timeline.move((e.deltaX || e.deltaY) / 1000);
		else
			timeline.zoom(Math.exp(Math.max(-300, Math.min(300, e.deltaY)) / 300), timeline.ns(Math.max(place(e)[0], timeline.label)));
	}, { passive: false });
	canvas.addEventListener('pointerdown', (e) => {
		pointers.set(e.pointerId, e.clientX);
		canvas.setPointerCapture(e.pointerId);
		before = grip();
		showTip('');
	});
	canvas.addEventListener('pointermove', (e) => {
		const [x, y] = place(e);

		if (!pointers.has(e.pointerId)) {
			showTip(timeline.textAt(x, y), e.clientX, e.clientY);
			return;
		}
		pointers.set(e.pointerId, e.clientX);
		const now = grip(), left = canvas.getBoundingClientRect().left;

		timeline.move((before.x - now.x) / (timeline.width - timeline.label));
		if (before.wide && now.wide)
			timeline.zoom(before.wide / now.wide, timeline.ns(now.x - left));
		before = now;
	});
	const leave = (e) => {
		pointers.delete(e.pointerId);
		if (pointers.size)
			before = grip();
	};

	canvas.addEventListener('pointerup', (e) => {
		leave(e);
		if (e.pointerType !== 'mouse')
			showTip(timeline.textAt(...place(e)), e.clientX, e.clientY);
	});
	canvas.addEventListener('pointercancel', leave);
	canvas.addEventListener('pointerleave', () => showTip(''));
	canvas.addEventListener('keydown', (e) => {
		const keys = {
			'+': () => timeline.zoom(.5), '=': () => timeline.zoom(.5), '-': () => timeline.zoom(2), '0': () => timeline.showAll(),
			'ArrowLeft': () => timeline.move(-.1), 'ArrowRight': () => timeline.move(.1), 'Home': () => timeline.showAll(),
			'ArrowUp': () => { $('timeline-box').scrollTop -= ROW; }, 'ArrowDown': () => { $('timeline-box').scrollTop += ROW; },
		};

		if (keys[e.key] && !e.ctrlKey && !e.metaKey && !e.altKey) {
			e.preventDefault();
			keys[e.key]();
		}
	});
	$('timeline-box').addEventListener('scroll', redraw);
	$('zoom-in').onclick = () => timeline.zoom(.5);
	$('zoom-out').onclick = () => timeline.zoom(2);
	$('left').onclick = () => timeline.move(-.25);
	$('right').onclick = () => timeline.move(.25);
	$('all').onclick = () => timeline.showAll();
	for (const id of ['by-task', 'by-cpu'])
		$(id).onchange = () => {
			timeline.byCpu = $('by-cpu').checked;
			timeline.makeRows();
			redraw();
		};
}

function sayTimeline() {
	const note = $('timeline-note'), legend = $('legend');

	if (!data.count)
		note.textContent = 'There are no events.';
	else if (data.hits)
		note.textContent = number(data.count) + ' events, each one is shown.' + (data.gaps.length ? ' Red: events were lost there.' : '');
	else
		note.textContent = number(data.count) + ' events, more than ' + number(data.limit) + ': shown as ' + number(data.bins) + ' bins of ' +
			time(data.width) + ' each.' + (data.gaps.length ? ' Red: events were lost there.' : '');
	if (!data.hits)
		return;
	const counts = new Map();

	for (const [event, , count] of data.sites)
		counts.set(event, (counts.get(event) || 0) + count);
	const sorted = [...counts.entries()].sort((a, b) => b[1] - a[1]);

	for (const [event] of sorted.slice(0, PALETTE.length)) {
		const item = create(legend, 'span');

		create(item, 'i').style.background = colourOf(event);
		create(item, 'b', eventName(event).slice(0, 60));
	}
	if (sorted.length > PALETTE.length)
		create(legend, 'span', 'and ' + (sorted.length - PALETTE.length) + ' more events, in the same colours');
}
