// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_read.c - reads everything in a trace.dat except its pages.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "dat/dat.h"
#include "dat/dat_pack.h"
#include "dat/dat_page.h"

/*
 * The largest memory for the head of one file, whatever the file claims: 65535 formats (as many as common_type can
 * distinguish) of 4 KiB, or a hundred times kallsyms.
 */
#define HEAD_MAX	(1ull << 30)

#define STRIPE_MAX	(1ull << 62)	/* no file is longer, and the sum of two does not overflow */

/* Reads values in sequence, from a file or, with @bytes, from memory. */
struct input {
	struct arena *arena;
	int fd;
	const unsigned char *bytes;
	uint64_t at, end;
	const struct dat_packing *packing;	/* of the file; NULL: not compressed */
	uint64_t *left;			/* the rest of HEAD_MAX, for all inputs of the file */
	bool short_read;		/* something behind the end was read; the result was zeroes */
};

static void take(struct input *r, void *to, size_t len)
{
	size_t done = 0;

	memset(to, 0, len);
	if (r->short_read || len > r->end - MIN(r->at, r->end)) {
		r->short_read = true;
		return;
	}
	if (r->bytes)
		memcpy(to, r->bytes + r->at, len);
	while (!r->bytes && done < len) {
		ssize_t n = pread(r->fd, (char *)to + done, len - done, (off_t)(r->at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			r->short_read = true;
			return;
		}
		done += (size_t)n;
	}
	r->at += len;
}

static uint16_t take_u16(struct input *r)
{
	uint16_t n;

	take(r, &n, sizeof(n));
	return n;
}

static uint32_t take_u32(struct input *r)
{
	uint32_t n;

	take(r, &n, sizeof(n));
	return n;
}

static uint64_t take_u64(struct input *r)
{
	uint64_t n;

	take(r, &n, sizeof(n));
	return n;
}

/* May @len more bytes be stored in the arena? */
static bool may_keep(struct input *r, uint64_t len)
{
	if (len > *r->left)
		return false;
	*r->left -= len;
	return true;
}

/* Reads @len bytes and appends a NUL. NULL: the file has fewer bytes, or they are too many. */
static char *take_bytes(struct input *r, uint64_t len)
{
	char *text;

	if (r->short_read || len > r->end - MIN(r->at, r->end) || !may_keep(r, len)) {
		r->short_read = true;
		return NULL;
	}
	text = arena_alloc(r->arena, len + 1);
	take(r, text, len);
	return text;
}

static char *take_text(struct input *r)
{
	struct buf text = { 0 };
	char c, *copy;

	for (take(r, &c, 1); c && !r->short_read; take(r, &c, 1))
		buf_addc(&text, c);
	r->short_read |= !may_keep(r, text.len);
	copy = arena_strdup(r->arena, r->short_read ? "" : buf_str(&text));
	buf_fini(&text);
	return copy;
}

static void skip(struct input *r, uint64_t len)
{
	if (len > r->end - MIN(r->at, r->end))
		r->short_read = true;
	else
		r->at += len;
}

/* ---- sections, the same in both versions ---- */

/* The size of a page is the size of its data and what is before the data: the fourth field of header_page. */
static void take_header_info(struct input *r, struct dat_file *f)
{
	char *text, *size;

	skip(r, sizeof("header_page"));
	text = take_bytes(r, take_u64(r));
	size = text ? strstr(text, "data;") : NULL;
	size = size ? strstr(size, "size:") : NULL;
	if (size)
		f->page_size = (uint32_t)strtoul(size + 5, NULL, 10) + DAT_PAGE_HEAD;
	skip(r, sizeof("header_event"));
	skip(r, take_u64(r));
}

static void take_ftrace(struct input *r)
{
	for (uint32_t nr = take_u32(r); nr && !r->short_read; nr--)
		skip(r, take_u64(r));
}

static void add_event(struct input *r, struct dat_file *f, const char *system, unsigned *room)
{
	char *text = take_bytes(r, take_u64(r)), *modules;

	if (!text || f->nr_events > UINT16_MAX) {	/* their numbers have 16 bits */
		r->short_read = true;
		return;
	}
	modules = strstr(text, "\n" DAT_MODULES);
	if (modules)
		f->modules = modules + strlen("\n" DAT_MODULES);
	f->events = arena_grow(r->arena, f->events, f->nr_events, room);
	f->events[f->nr_events++] = (struct dat_event){ system, text };
}

static void take_events(struct input *r, struct dat_file *f)
{
	unsigned room = 0;

	for (uint32_t systems = take_u32(r); systems && !r->short_read; systems--) {
		const char *system = take_text(r);

		for (uint32_t nr = take_u32(r); nr && !r->short_read; nr--)
			add_event(r, f, system, &room);
	}
}

static void take_section(struct input *r, struct dat_file *f, unsigned which)
{
	switch (which) {
	case DAT_SECTION_HEADER:
		take_header_info(r, f);
		break;
	case DAT_SECTION_FTRACE:
		take_ftrace(r);
		break;
	case DAT_SECTION_EVENTS:
		take_events(r, f);
		break;
	case DAT_SECTION_KALLSYMS:
		f->kallsyms_len = take_u32(r);
		f->kallsyms = f->kallsyms_len ? take_bytes(r, f->kallsyms_len) : NULL;
		break;
	case DAT_SECTION_PRINTK:
		skip(r, take_u32(r));
		break;
	default:			/* comms are skipped: each record has its own */
		skip(r, take_u64(r));
		break;
	}
}

/* Bytes that are not in the file are not read. They are reported when the pages are read. */
static int add_stripe(const struct input *file, struct dat_file *f, struct dat_stripe s)
{
	uint64_t there;

	if (s.off > STRIPE_MAX || s.size > STRIPE_MAX)
		return -EBADMSG;
	if (s.packing)
		s.size += sizeof(uint32_t);	/* the number of chunks, which the size does not include */
	there = file->end - MIN(s.off, file->end);
	s.cut = s.size - MIN(s.size, there);
	s.size -= s.cut;
	s.fd = file->fd;
	f->stripes[f->nr_stripes++] = s;
	return 0;
}

/* "local [mono] boot": brackets are around the clock that was used. */
static const char *clock_in(struct arena *arena, const char *text)
{
	const char *name = text ? strchr(text, '[') : NULL;

	return name ? arena_strndup(arena, name + 1, strcspn(name + 1, "]")) : NULL;
}

/* An option whose value is a text. False: it is another one, and nothing of it was read. */
static bool take_text_option(struct input *r, uint16_t id, uint64_t len, struct dat_file *f)
{
	const char **to = id == DAT_OPTION_UNAME ? &f->uname : id == DAT_OPTION_VERSION ? &f->writer :
			  id == DAT_OPTION_TRACECLOCK ? &f->clock : NULL;

	if (to)
		*to = take_bytes(r, len);
	if (to == &f->clock)
		f->clock = clock_in(r->arena, f->clock);
	return to;
}

/* ---- version 6 ---- */

static bool word_is(struct input *r, const char *word)
{
	char got[DAT_WORD_LEN];

	take(r, got, sizeof(got));
	return !memcmp(got, word, sizeof(got));
}

static void take_options_6(struct input *r, struct dat_file *f)
{
	uint16_t id;

	while ((id = take_u16(r)) != DAT_OPTION_DONE && !r->short_read) {
		uint32_t len = take_u32(r);

		if (!take_text_option(r, id, len, f))
			skip(r, len);
	}
}

/* In a file that was not completed: where the pages of one CPU are, if they are in this file (dat_note_pages()). */
static int take_note(struct input *r, struct dat_file *f)
{
	struct dat_stripe s = { .cpu = take_u32(r), .off = take_u64(r) };
	char note[8];

	take(r, note, sizeof(note));
	if (r->short_read || memcmp(note, DAT_NOTE, sizeof(note)) || s.off >= r->end)
		return 0;
	if (s.cpu >= UINT16_MAX || s.off < r->at)
		return -EBADMSG;
	s.size = r->end - s.off;
	f->stripes = arena_array(r->arena, struct dat_stripe, 1);
	return add_stripe(r, f, s);
}

/* Reads everything from the comms on. A file that was not completed ends here, or has zeroes here. */
static int take_tail(struct input *r, struct dat_file *f)
{
	uint32_t cpus;
	int err = 0;

	take_section(r, f, DAT_SECTION_CMDLINES);
	cpus = take_u32(r);
	if (!cpus)
		return take_note(r, f);
	if (!word_is(r, "options  "))
		return 0;
	take_options_6(r, f);
	if (!word_is(r, "flyrecord") || cpus > UINT16_MAX || cpus > (r->end - r->at) / 16)
		return 0;
	f->stripes = arena_array(r->arena, struct dat_stripe, cpus);
	for (uint32_t i = 0; !err && i < cpus; i++) {
		uint64_t off = take_u64(r), size = take_u64(r);

		if (size)
			err = add_stripe(r, f, (struct dat_stripe){ .cpu = i, .off = off, .size = size });
	}
	f->complete = !err && !r->short_read;
	return err;
}

static int read_version_6(struct input *r, struct dat_file *f, struct diag *diag)
{
	f->page_size = take_u32(r);
	for (unsigned s = DAT_SECTION_HEADER; s < DAT_SECTION_CMDLINES; s++)
		take_section(r, f, s);
	if (r->short_read)
		return diag_set(diag, -EBADMSG, "this trace.dat is cut off: it ends before the end of its symbols");
	if (take_tail(r, f))
		return diag_set(diag, -EBADMSG, "this trace.dat is damaged: its list of pages has impossible values");
	return 0;
}

/* ---- version 7 ---- */

/* Opens the section at @at as *ret. Decompresses it if necessary. */
static int open_section(const struct input *r, uint64_t at, uint16_t *ret_id, struct input *ret)
{
	struct input s = *r;
	uint16_t flags;
	uint64_t size;
	uint32_t packed, plain;
	unsigned char *bytes, *text;
	size_t len;

	s.at = at;
	*ret_id = take_u16(&s);
	flags = take_u16(&s);
	take_u32(&s);
	size = take_u64(&s);
	if (s.short_read || size > s.end - s.at)
		return -EBADMSG;
	s.end = s.at + size;
	*ret = s;
	if (!(flags & 1) || *ret_id == DAT_SECTION_BUFFER)
		return 0;
	packed = take_u32(&s);
	plain = take_u32(&s);
	bytes = (unsigned char *)take_bytes(&s, packed);
	if (!bytes || !r->packing || !may_keep(&s, plain))
		return -EBADMSG;
	text = arena_alloc(s.arena, plain + 1ull);
	len = plain;
	if (!r->packing->unpack(text, &len, bytes, packed) || len != plain)
		return -EBADMSG;
	*ret = (struct input){ .arena = s.arena, .fd = s.fd, .bytes = text, .end = plain, .left = s.left };
	return 0;
}

/* Reads where the pages of each CPU are, for the trace without a name. */
static int take_buffer(struct input *r, const struct input *file, struct dat_file *f)
{
	uint64_t at = take_u64(r);
	bool is_top = !*take_text(r), packed;
	int err = 0;
	uint32_t page_size, cpus;
	struct input head = { .arena = r->arena, .fd = file->fd, .end = file->end, .at = at + 2 };

	take_text(r);			/* the clock */
	page_size = take_u32(r);
	cpus = take_u32(r);
	packed = take_u16(&head) & 1;
	if (r->short_read || (is_top && (f->stripes || cpus > (r->end - r->at) / 20)))
		return -EBADMSG;
	if (!is_top)
		return 0;
	f->page_size = page_size;
	f->stripes = arena_array(r->arena, struct dat_stripe, cpus);
	for (uint32_t i = 0; !err && i < cpus; i++) {
		uint32_t cpu = take_u32(r);
		uint64_t off = take_u64(r), size = take_u64(r);

		if (cpu >= UINT16_MAX)	/* struct bp_rec has this many bits for it */
			return -EBADMSG;
		if (size)
			err = add_stripe(file, f, (struct dat_stripe){ .cpu = cpu, .off = off, .size = size,
								       .packing = packed ? file->packing : NULL });
	}
	return err ? err : r->short_read ? -EBADMSG : 0;
}

/* Reads the section that an option says is at @at. Each kind of section exists once. */
static int take_section_at(const struct input *file, uint64_t at, unsigned which, struct dat_file *f, uint32_t *seen)
{
	struct input data;
	uint16_t id;
	int err;

	if (*seen & 1u << which)
		return -EBADMSG;
	*seen |= 1u << which;
	err = open_section(file, at, &id, &data);
	if (err)
		return err;
	take_section(&data, f, which);
	return data.short_read ? -EBADMSG : 0;
}

/* Returns the place of further options; 0: there are none. @seen: bits of the sections found so far. */
static int take_options_7(const struct input *file, struct input *r, struct dat_file *f, uint32_t *seen,
			  uint64_t *ret_next)
{
	int err = 0;

	while (!err && !r->short_read) {
		uint16_t id = take_u16(r);
		uint32_t len = take_u32(r);
		uint64_t end = r->at + len;

		if (end > r->end || r->short_read)
			return -EBADMSG;
		if (id == DAT_OPTION_DONE) {
			*ret_next = take_u64(r);
			return 0;
		}
		if (id == DAT_OPTION_BUFFER)
			err = take_buffer(r, file, f);
		else if (id >= DAT_SECTION_HEADER && id < DAT_SECTION_CMDLINES)
			err = take_section_at(file, take_u64(r), id, f, seen);
		else
			take_text_option(r, id, len, f);
		r->at = end;
	}
	return err ? err : -EBADMSG;
}

static int read_version_7(struct input *r, struct dat_file *f, struct diag *diag)
{
	const char *algorithm;
	struct input options;
	uint32_t seen = 0;
	uint64_t next;
	uint16_t id;
	int err = 0;

	f->page_size = take_u32(r);
	algorithm = take_text(r);
	take_text(r);
	next = take_u64(r);
	r->packing = dat_packing_find(algorithm);
	if (!r->packing && strcmp(algorithm, "none"))
		return diag_set(diag, -EOPNOTSUPP, "this trace.dat is compressed by '%s', which this bprobe does not read: "
				"'trace-cmd convert --file-version 6' makes a file that it reads", algorithm);
	for (unsigned i = 0; !err && next && i < 1000; i++) {
		uint64_t at = next;

		next = 0;
		err = open_section(r, at, &id, &options);
		if (!err)
			err = take_options_7(r, &options, f, &seen, &next);
	}
	if (err || r->short_read)
		return diag_set(diag, -EBADMSG, "this trace.dat of version 7 is damaged or not complete");
	f->complete = true;
	return 0;
}

/* ---- both ---- */

static int by_place(const void *a, const void *b)
{
	const struct dat_stripe *x = a, *y = b;

	return x->off != y->off ? (x->off > y->off) - (x->off < y->off) : (x->size > y->size) - (x->size < y->size);
}

static int by_cpu(const void *a, const void *b)
{
	const struct dat_stripe *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/*
 * If two CPUs had the same pages, or one CPU had pages twice, a small file could have contents of any size. Leaves the
 * stripes sorted by CPU.
 */
static int check_stripes(const struct dat_file *f, struct diag *diag)
{
	struct dat_stripe *s = f->stripes;

	if (!f->nr_stripes)
		return 0;
	qsort(s, f->nr_stripes, sizeof(*s), by_place);
	for (unsigned i = 1; i < f->nr_stripes; i++) {
		if (s[i].size && s[i].off < s[i - 1].off + s[i - 1].size)
			return diag_set(diag, -EBADMSG,
					"this trace.dat is damaged: the pages of CPUs %u and %u overlap",
					s[i - 1].cpu, s[i].cpu);
	}
	qsort(s, f->nr_stripes, sizeof(*s), by_cpu);
	for (unsigned i = 1; i < f->nr_stripes; i++) {
		if (s[i].cpu == s[i - 1].cpu)
			return diag_set(diag, -EBADMSG, "this trace.dat is damaged: CPU %u has pages at two places", s[i].cpu);
	}
	return 0;
}

int dat_open(struct arena *arena, int fd, struct dat_file *ret, struct diag *diag)
{
	uint64_t left = HEAD_MAX;
	struct input r = { .arena = arena, .fd = fd, .left = &left };
	struct dat_file f = { .fd = fd };
	unsigned char magic[DAT_MAGIC_LEN], order[2];
	const char *version;
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return diag_set(diag, -errno, "cannot look at the file: %s", strerror(errno));
	r.end = (uint64_t)st.st_size;
	take(&r, magic, sizeof(magic));
	if (r.short_read || memcmp(magic, DAT_MAGIC, sizeof(magic)))
		return diag_set(diag, -EBADMSG, "this is not a trace.dat: it does not begin like the files of trace-cmd");
	version = take_text(&r);
	take(&r, order, sizeof(order));
	if (order[0] || order[1] != 8)
		return diag_set(diag, -EOPNOTSUPP, "this trace.dat is from a machine that is not 64-bit little-endian");
	f.version = (unsigned)strtoul(version, NULL, 10);
	if (f.version == 6)
		err = read_version_6(&r, &f, diag);
	else if (f.version == 7)
		err = read_version_7(&r, &f, diag);
	else
		return diag_set(diag, -EOPNOTSUPP, "this trace.dat has version '%s'; bprobe reads 6 and 7", version);
	if (err)
		return err;
	if (f.page_size < DAT_PAGE_MIN || f.page_size > 1u << 20 || f.page_size % DAT_PAGE_MIN)
		return diag_set(diag, -EBADMSG, "this trace.dat is damaged: its pages have %u bytes, which is not possible",
				f.page_size);
	err = check_stripes(&f, diag);
	if (!err)
		*ret = f;
	return err;
}
