/*
 * flame.js - the recorded stacks as a flame graph.
 */
const FRAME = 19;

const flame = {
	top: 0, chosen: -1, find: '',

	begin() {
		const nr = data.parents.length + 1;

		if (!data.stacks)
			return;
		$('stacks').hidden = false;
		this.total = new Float64Array(nr);
		this.depth = new Uint32Array(nr);
		this.children = Array.from({ length: nr }, () => []);
		for (let i = nr - 1; i > 0; i--) {
			this.total[i] += data.selves[i - 1];
			this.total[data.parents[i - 1]] += this.total[i];
		}
		for (let i = 1; i < nr; i++) {
			this.depth[i] = this.depth[data.parents[i - 1]] + 1;
			this.children[data.parents[i - 1]].push(i);
		}
		this.total[0] = data.stacks;
		for (const list of this.children)
			list.sort((a, b) => this.name(a) < this.name(b) ? -1 : this.name(a) > this.name(b) ? 1 : a - b);
		$('stacks-note').textContent = number(data.stacks) + ' of ' + number(data.count) + ' events have a stack.' +
			(data.cut_stacks ? ' ' + number(data.cut_stacks) + ' stacks are not complete here, because there are too many different ones.' : '');
		this.listen();
		redraws.push(() => this.draw());
	},

	name(i) { return i ? str(data.frames[i - 1]) : 'all'; },
	parent(i) { return i ? data.parents[i - 1] : -1; },

	/* What is in sight: the chosen frame's callers at full width, then all that is above it. */
	layout() {
		const width = this.width, out = [], path = [];

		for (let i = this.top; i >= 0; i = this.parent(i))
			path.unshift(i);
		path.forEach((node, depth) => out.push({ node, x: 0, width, depth }));
		const visit = (node, x, wide, depth) => {
			let at = x;

			for (const child of this.children[node]) {
				const w = this.total[child] / this.total[node] * wide;

				if (w >= .5) {
					out.push({ node: child, x: at, width: w, depth });
					visit(child, at, w, depth + 1);
				}
				at += w;
			}
		};

		visit(this.top, 0, width, path.length);
		return out;
	},

	draw() {
		const canvas = $('flame');

		this.width = canvas.parentElement.clientWidth - 2;
		this.boxes = this.layout();
		const deep = this.boxes.reduce((a, b) => Math.max(a, b.depth), 0) + 1, { context: c, height } = begin(canvas, deep * FRAME);

		c.font = '12px ' + MONO;
		c.textAlign = 'left';
		for (const box of this.boxes) {
			const y = height - (box.depth + 1) * FRAME, marked = this.find && this.name(box.node).toLowerCase().includes(this.find);

			box.y = y;
			c.fillStyle = marked ? '#c837ab' : box.node === 0 ? colours.line : this.depth[box.node] === 1 ? colours.task :
				data.kernel[box.node - 1] ? colours.kernel : colours.user;
			c.globalAlpha = box.depth < this.depth[this.top] ? .5 : 1;
			c.fillRect(box.x, y, box.width > 3 ? box.width - .6 : box.width, FRAME - 1);
			c.globalAlpha = 1;
			if (box.node === this.chosen) {
				c.strokeStyle = colours.ink;
				c.lineWidth = 2;
				c.strokeRect(box.x + 1, y + 1, Math.max(box.width - 2.6, 1), FRAME - 3);
			}
			if (box.width > 24) {
				c.fillStyle = box.node === 0 ? colours.ink : colours.on;
				c.fillText(fitted(c, this.name(box.node), box.width - 8), box.x + 4, y + FRAME / 2);
			}
		}
	},

	at(e) {
		const r = $('flame').getBoundingClientRect(), x = e.clientX - r.left - 1, y = e.clientY - r.top - 1;
		const box = this.boxes.find((b) => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + FRAME);

		return box ? box.node : -1;
	},

	text(i) {
		return this.name(i) + ': ' + number(this.total[i]) + ' of ' + number(data.stacks) + ' stacks (' +
			(this.total[i] / data.stacks * 100).toFixed(1) + ' %)' + (i && data.selves[i - 1] ? ', ' + number(data.selves[i - 1]) + ' end here' : '');
	},

	choose(i) {
		this.chosen = i;
		$('flame-info').textContent = i < 0 ? '\u00a0' : this.text(i);
		redraw();
	},

	zoom(i) {
		this.top = Math.max(i, 0);
		this.choose(this.top);
	},

	/* The neighbour of the chosen frame. */
	step(key) {
		const at = Math.max(this.chosen, 0), parent = this.parent(at), among = parent < 0 ? [at] : this.children[parent];
		const next = {
			ArrowUp: this.children[at][0], ArrowDown: parent, ArrowLeft: among[among.indexOf(at) - 1],
			ArrowRight: among[among.indexOf(at) + 1],
		}[key];

		if (next !== undefined && next >= 0)
			this.choose(next);
	},

	mark(text) {
		let found = 0;

		this.find = text.toLowerCase();
		/* A stack with the name in several frames counts once. */
		const inside = new Uint8Array(this.total.length);

		for (let i = 1; this.find && i < this.total.length; i++) {
			inside[i] = inside[this.parent(i)] || (this.name(i).toLowerCase().includes(this.find) ? 1 : 0);
			if (inside[i] && !inside[this.parent(i)])
				found += this.total[i];
		}
		$('flame-found').textContent = this.find ? number(found) + ' stacks (' + (found / data.stacks * 100).toFixed(1) + ' %)' : '';
		redraw();
	},

	listen() {
		const canvas = $('flame');

		canvas.addEventListener('click', (e) => {
			const i = this.at(e);

			if (i >= 0)
				this.zoom(i);
		});
		canvas.addEventListener('pointermove', (e) => {
			const i = e.pointerType === 'mouse' ? this.at(e) : -1;

			showTip(i < 0 ? '' : this.text(i), e.clientX, e.clientY);
		});
		canvas.addEventListener('pointerleave', () => showTip(''));
		canvas.addEventListener('keydown', (e) => {
			if (e.key === 'Enter')
				this.zoom(this.chosen);
			else if (e.key === 'Escape')
				this.zoom(0);
			else if (e.key.startsWith('Arrow'))
				this.step(e.key);
			else
				return;
			e.preventDefault();
		});
		$('flame-reset').onclick = () => this.zoom(0);
		$('flame-find').addEventListener('input', () => this.mark($('flame-find').value));
	},
};
