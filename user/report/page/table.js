/*
 * table.js - a table that can be sorted and filtered.
 */
const LINE = 25;

/*
 * A table of @nr rows, of which only those in sight are elements. Columns: title, text(i), value(i) to sort by, width in pixels (0: the
 * rest), right: a number.
 */
class Table {
	constructor(parent, name, columns, nr, options = {}) {
		this.columns = columns;
		this.nr = nr;
		this.options = options;
		this.order = Uint32Array.from({ length: nr }, (x, i) => i);
		this.shown = this.order;
		this.sorted = -1;
		this.down = false;
		this.chosen = -1;
		if (options.filter !== false)
			this.makeFilter(parent, name);
		this.box = create(parent, 'div', undefined, 'scroll');
		this.box.tabIndex = 0;
		this.box.setAttribute('role', 'region');
		this.box.setAttribute('aria-label', name);
		this.table = create(this.box, 'table');
		/* Narrower than this it scrolls in its box. */
		this.table.style.minWidth = columns.reduce((sum, c) => sum + (c.width || 110), 0) + 'px';
		this.makeHead();
		this.body = create(this.table, 'tbody');
		this.box.addEventListener('scroll', () => this.draw());
		this.say();
		this.draw();
	}

	makeFilter(parent, name) {
		const bar = create(parent, 'div', undefined, 'bar'), label = create(bar, 'label', 'Filter ', 'grow');

		this.input = create(label, 'input');
		this.input.type = 'search';
		this.input.placeholder = 'words that a row must have';
		this.input.autocomplete = 'off';
		this.input.spellcheck = false;
		this.input.setAttribute('aria-label', 'Filter of ' + name);
		this.count = create(bar, 'output');
		this.input.addEventListener('input', () => this.filter(this.input.value));
	}

	makeHead() {
		const group = create(this.table, 'colgroup'), head = create(create(this.table, 'thead'), 'tr');

		this.heads = this.columns.map((column, i) => {
			const th = create(head, 'th', undefined, column.right ? 'right' : ''), button = create(th, 'button', column.title);
			const col = create(group, 'col');

			if (column.width)
				col.style.width = column.width + 'px';
			th.scope = 'col';
			th.setAttribute('aria-sort', 'none');
			button.type = 'button';
			button.title = 'Sort by ' + column.title;
			button.onclick = () => this.sort(i, this.sorted === i ? !this.down : !!column.right);
			return th;
		});
	}

	sort(column, down) {
		const value = this.columns[column].value || this.columns[column].text, values = Array.from({ length: this.nr }, (x, i) => value(i));
		const sign = down ? -1 : 1;

		this.sorted = column;
		this.down = down;
		this.order = Uint32Array.from({ length: this.nr }, (x, i) => i);
		this.order.sort((a, b) => values[a] < values[b] ? -sign : values[a] > values[b] ? sign : a - b);
		this.heads.forEach((th, i) => th.setAttribute('aria-sort', i !== column ? 'none' : down ? 'descending' : 'ascending'));
		this.filter(this.input ? this.input.value : '');
	}

	filter(text) {
		const words = text.toLowerCase().split(/\s+/).filter((w) => w);

		if (words.length && !this.texts)
			this.texts = Array.from({ length: this.nr }, (x, i) => this.columns.map((c) => c.text(i)).join(' ').toLowerCase());
		this.shown = words.length ? this.order.filter((i) => words.every((w) => this.texts[i].includes(w))) : this.order;
		this.box.scrollTop = 0;
		this.say();
		this.draw();
	}

	say() {
		if (this.count)
			this.count.textContent = number(this.shown.length) + (this.shown.length < this.nr ? ' of ' + number(this.nr) : '') + ' rows' +
				(this.options.more ? this.options.more : '');
	}

	draw() {
		const first = Math.max(0, Math.floor(this.box.scrollTop / LINE) - 8), nr = Math.ceil(Math.max(this.box.clientHeight, 520) / LINE) + 16;
		const last = Math.min(this.shown.length, first + nr);

		this.body.replaceChildren();
		this.space(first);
		for (let n = first; n < last; n++)
			this.row(this.shown[n]);
		this.space(this.shown.length - last);
	}

	space(rows) {
		if (!rows)
			return;
		const td = create(create(this.body, 'tr', undefined, 'space'), 'td');

		td.colSpan = this.columns.length;
		td.style.height = rows * LINE + 'px';
	}

	row(i) {
		const tr = create(this.body, 'tr');

		for (const column of this.columns) {
			const text = column.text(i), td = create(tr, 'td', text, column.right ? 'right' : '');

			if (!column.right)
				td.title = text;
			else if (column.exact)
				td.title = column.exact(i);
		}
		if (!this.options.choose)
			return;
		tr.className = i === this.chosen ? 'choice chosen' : 'choice';
		tr.tabIndex = 0;
		tr.onclick = () => this.choose(i);
		tr.onkeydown = (e) => {
			if (e.key === 'Enter' || e.key === ' ') {
				e.preventDefault();
				this.choose(i);
			}
		};
	}

	choose(i) {
		this.chosen = i;
		this.options.choose(i);
		this.draw();
	}
}
