/*
 * canvas.js - drawing: colours, sharp canvases, the tooltip.
 */
let colours = {};
const redraws = [];

function readColours() {
	const style = getComputedStyle(document.documentElement);

	for (const name of ['paper', 'ink', 'soft', 'line', 'faint', 'accent', 'mark', 'bar', 'user', 'kernel', 'task', 'on'])
		colours[name] = style.getPropertyValue('--' + name).trim();
}

const MONO = '"DejaVu Sans Mono", Menlo, Consolas, monospace';
const SANS = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

/* Makes a canvas sharp, and clears it. Its units are the page's pixels. */
function begin(canvas, height) {
	const width = canvas.parentElement.clientWidth - (canvas.offsetWidth - canvas.clientWidth), scale = window.devicePixelRatio || 1;
	const context = canvas.getContext('2d');

	canvas.style.height = height + 'px';
	if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
		canvas.width = Math.round(width * scale);
		canvas.height = Math.round(height * scale);
	}
	context.setTransform(scale, 0, 0, scale, 0, 0);
	context.fillStyle = colours.paper;
	context.fillRect(0, 0, width, height);
	context.textBaseline = 'middle';
	return { context, width, height };
}

/* As much of @text as @width has room for. */
function fitted(context, text, width) {
	if (width < 12)
		return '';
	if (text.length > 400)
		text = text.slice(0, 400);
	if (context.measureText(text).width <= width)
		return text;
	let low = 0, high = text.length;

	while (high - low > 1) {
		const middle = (low + high) >> 1;

		if (context.measureText(text.slice(0, middle) + '\u2026').width <= width)
			low = middle;
		else
			high = middle;
	}
	return low ? text.slice(0, low) + '\u2026' : '';
}

let frameAsked = false;

function redraw() {
	if (frameAsked)
		return;
	frameAsked = true;
	requestAnimationFrame(() => {
		frameAsked = false;
		for (const draw of redraws)
			draw();
	});
}

function showTip(text, x, y) {
	const tip = $('tip');

	tip.textContent = text;
	tip.hidden = !text;
	if (!text)
		return;
	const left = Math.max(8, Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8));
	const below = y + 18 + tip.offsetHeight < window.innerHeight;

	tip.style.left = left + 'px';
	tip.style.top = Math.max(4, below ? y + 18 : y - tip.offsetHeight - 12) + 'px';
}
