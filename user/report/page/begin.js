/*
 * begin.js - shows all of it. The last of the scripts.
 */
function sayHead() {
	const [lines, notes] = [data.head, data.notes].map((text) => text.split('\n').filter((l) => l));

	for (const line of lines) {
		create($('head'), 'dt', line.slice(0, 8).trim());
		create($('head'), 'dd', line.slice(8), line.startsWith('lost') && !line.endsWith('none') ? 'lost' : '');
	}
	for (const line of notes)
		create($('notes'), 'li', line.replace(/^note: /, ''));
}

function beginAll() {
	$('main').hidden = false;
	readColours();
	sayHead();
	sayTimeline();
	timeline.begin();
	redraws.push(() => timeline.draw());
	listenToTimeline();
	makeDurations();
	flame.begin();
	makeTabs();
	window.addEventListener('resize', redraw);
	window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
		readColours();
		redraw();
	});
	for (const draw of redraws)
		draw();
	document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

beginAll();
