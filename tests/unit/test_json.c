// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_json.c - JSON of hostile hits: it is valid, and nothing is lost. If jq is installed, jq reads it, too.
 */
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/backends.h"
#include "kernel/cgroup/cgroups.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms.h"
#include "print/json.h"
#include "print/json_container.h"
#include "print/json_flat.h"
#include "print/sender.h"
#include "print/text.h"

#include "json_reader.h"
#include "tap.h"

static uint64_t random_u64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* ---- hits ---- */

enum field { F_NAME, F_HEX, F_SIGNED, F_UNSIGNED, F_SHORT, F_BITS, F_CHAR, F_SYMBOL, F_SYMSTR, F_STRING, F_LIST, F_STRINGS, NR_FIELDS };

#define LONG_NAME "a_name_that_is_too_long_for_the_place_that_is_kept"

static struct layout_field fields[NR_FIELDS] = {
	[F_NAME] = { .name = LONG_NAME, .type = { .kind = TYPE_UNSIGNED, .size = 1 } },
	[F_HEX] = { .name = "hex", .type = { .kind = TYPE_HEX, .size = 8 } },
	[F_SIGNED] = { .name = "sig", .type = { .kind = TYPE_SIGNED, .size = 8 } },
	[F_UNSIGNED] = { .name = "uns", .type = { .kind = TYPE_UNSIGNED, .size = 8 } },
	[F_SHORT] = { .name = "short", .type = { .kind = TYPE_SIGNED, .size = 2 } },
	[F_BITS] = { .name = "bits", .type = { .kind = TYPE_BITFIELD, .size = 8 } },
	[F_CHAR] = { .name = "c", .type = { .kind = TYPE_CHAR, .size = 1 } },
	[F_SYMBOL] = { .name = "sym", .type = { .kind = TYPE_SYMBOL, .size = 8 } },
	[F_SYMSTR] = { .name = "symstr", .type = { .kind = TYPE_SYMSTR } },
	[F_STRING] = { .name = "s", .type = { .kind = TYPE_STRING } },
	[F_LIST] = { .name = "list", .type = { .kind = TYPE_HEX, .size = 4, .count = 3 }, .count = 3 },
	[F_STRINGS] = { .name = "strings", .type = { .kind = TYPE_USTRING, .count = 2 }, .count = 2 },
};

static struct layout layouts[] = {
	{ .backend = &backend_kprobe, .event = "entry", .group = "grp", .fields = fields, .nr_fields = NR_FIELDS, .func = "f" },
	{ .backend = &backend_kprobe, .event = "ret", .group = "grp", .fields = fields, .nr_fields = NR_FIELDS, .func = "f", .is_return = true },
	{ .backend = &backend_kprobe, .event = "bare", .group = "kprobes" },
};

struct hit {
	struct layout *layout;
	uint32_t end;			/* of the body */
	_Alignas(8) char bytes[1 << 15];
};

static char *body(struct hit *h)
{
	return h->bytes + BP_BODY_OFF;
}

static void hit_begin(struct hit *h, struct layout *l, uint64_t addr, uint64_t caller)
{
	for (unsigned i = 0; i < NR_FIELDS; i++)
		fields[i].count = MAX(fields[i].type.count, 1);
	layout_compute(l);
	memset(h->bytes, 0, sizeof(struct bp_rec) + l->dyn_off);
	*(struct bp_rec *)h->bytes = (struct bp_rec){ .ts = 7237519123, .cpu = 1, .tgid = 159, .common_pid = 160, .comm = "cat",
						      .preempt = 0x80000001, .eflags = 0x246, .migrate = 1 };
	h->layout = l;
	h->end = l->dyn_off;
	memcpy(body(h) + LAYOUT_COMMON, &addr, 8);
	if (l->is_return)
		memcpy(body(h) + LAYOUT_COMMON + 8, &caller, 8);
}

static void set_number(struct hit *h, enum field f, unsigned element, uint64_t n)
{
	memcpy(body(h) + fields[f].off + element * fields[f].type.size, &n, fields[f].type.size);
}

static void set_mark(struct hit *h, enum field f, unsigned element)
{
	uint32_t bit = fields[f].mark + element;

	body(h)[h->layout->marks_off + bit / 8] |= (char)(1 << bit % 8);
}

/* With its NUL; a symstr has none. */
static void set_string(struct hit *h, enum field f, unsigned element, const void *s, uint32_t len)
{
	uint32_t room = f == F_SYMSTR ? len : len + 1, loc = room << 16 | h->end;

	memcpy(body(h) + fields[f].off + 4 * element, &loc, 4);
	memcpy(body(h) + h->end, s, len);
	body(h)[h->end + len] = '\0';
	h->end += room;
}

static const char *hit_line(struct text *t, const struct hit *h, struct buf *out)
{
	struct event ev;

	buf_reset(out);
	if (event_decode(h->layout, (const void *)h->bytes, BP_BODY_OFF + h->end, &ev))
		json_event(t, &ev, out);
	return buf_str(out);
}

/* ---- lines that are known ---- */

static const char table[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000010 T vfs_read\n"
	"ffffffff81000110 T odd\"\\\xff\n"
	"ffffffff81000200 T _etext\n"
	"ffffffffc0002000 t in_module\t[mod_a]\n"
	"ffffffffc0002100 t other\t[mod_a]\n";

#define VFS_READ	0xffffffff81000010
#define ODD		0xffffffff81000110
#define IN_MODULE	0xffffffffc0002004

static struct text text;

static void is_line(const char *what, const struct hit *h, const char *want)
{
	struct buf out = { 0 };

	hit_line(&text, h, &out);
	CHECK(!strcmp(buf_str(&out), want) && json_is_line(want), "%s", what);
	if (strcmp(buf_str(&out), want))
		printf("# got  %s# want %s", buf_str(&out), want);
	buf_fini(&out);
}

#define HEAD "{\"time_ns\":7237519123,\"cpu\":1,\"pid\":160,\"tgid\":159,\"task\":\"cat\","
#define QUIET "\"flags\":[],\"preempt\":0,\"migrate\":0,"

static void test_places(void)
{
	static struct hit h;

	hit_begin(&h, &layouts[2], VFS_READ + 4, 0);
	is_line("an entry", &h, HEAD "\"event\":\"bare\",\"group\":\"kprobes\",\"function\":\"vfs_read\",\"offset\":4,"
		"\"address\":\"0xffffffff81000014\"," QUIET "\"args\":{}}\n");
	hit_begin(&h, &layouts[2], IN_MODULE, 0);
	is_line("in a module", &h, HEAD "\"event\":\"bare\",\"group\":\"kprobes\",\"function\":\"in_module\",\"module\":\"mod_a\","
		"\"offset\":4,\"address\":\"0xffffffffc0002004\"," QUIET "\"args\":{}}\n");
	hit_begin(&h, &layouts[2], ODD, 0);
	is_line("a symbol that no kernel has", &h, HEAD "\"event\":\"bare\",\"group\":\"kprobes\",\"function\":{\"bytes\":\"6f6464225cff\"},"
		"\"offset\":0,\"address\":\"0xffffffff81000110\"," QUIET "\"args\":{}}\n");
	hit_begin(&h, &layouts[2], 0xffffffffb0000000, 0);
	is_line("no symbol", &h, HEAD "\"event\":\"bare\",\"group\":\"kprobes\",\"function\":null,"
		"\"offset\":null,\"address\":\"0xffffffffb0000000\"," QUIET "\"args\":{}}\n");
	layouts[2].is_return = true;
	hit_begin(&h, &layouts[2], VFS_READ, ODD - 1);
	is_line("a return", &h, HEAD "\"event\":\"bare\",\"group\":\"kprobes\",\"function\":\"vfs_read\",\"address\":\"0xffffffff81000010\","
		"\"caller\":{\"function\":\"vfs_read\",\"offset\":255,\"address\":\"0xffffffff8100010f\"}," QUIET "\"args\":{}}\n");
	layouts[2].func = "asked";
	hit_begin(&h, &layouts[2], 0, 0);
	is_line("hidden addresses", &h, HEAD "\"event\":\"bare\",\"group\":\"kprobes\",\"function\":\"asked\",\"address\":null,"
		"\"caller\":{\"function\":null,\"offset\":null,\"address\":null}," QUIET "\"args\":{}}\n");
	layouts[2].is_return = false;
	layouts[2].func = NULL;
}

static void test_contexts(void)
{
	static const struct {
		uint32_t preempt, eflags, tif;
		const char *want;
		bool multi;
	} cases[] = {
		{ 0x80000001, 0x246, 0, "\"flags\":[],\"preempt\":0,\"migrate\":2," },
		{ 0x80000013, 0x046, 0, "\"flags\":[\"irqs_off\"],\"preempt\":18,\"migrate\":2," },
		{ 0x00010301, 0x046, 0x18, "\"flags\":[\"irqs_off\",\"bh_off\",\"need_resched\",\"need_resched_lazy\",\"preempt_resched\","
					   "\"hardirq\",\"softirq\"],\"preempt\":0,\"migrate\":2," },
		{ 0x80100001, BP_EFLAGS_UNKNOWN, 0, "\"flags\":[\"irqs_unknown\",\"nmi\"],\"preempt\":0,\"migrate\":2," },
		{ BP_PREEMPT_UNKNOWN, 0x046, 0, "\"flags\":[\"irqs_off\",\"unknown\"],\"preempt\":null,\"migrate\":null," },
		/* one guard is (6.14), a second one may be */
		{ 0x80000002, 0x246, 0, "\"flags\":[],\"preempt\":null,\"migrate\":2,", true },
	};
	static struct hit h;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bp_rec *rec = (void *)h.bytes;
		struct buf want = { 0 };

		layouts[2].backend = cases[i].multi ? &backend_multi : &backend_kprobe;
		hit_begin(&h, &layouts[2], VFS_READ, 0);
		rec->preempt = cases[i].preempt;
		rec->eflags = cases[i].eflags;
		rec->tif = cases[i].tif;
		rec->migrate = 3;
		buf_addf(&want, HEAD "\"event\":\"bare\",\"group\":\"kprobes\",\"function\":\"vfs_read\",\"offset\":0,"
			 "\"address\":\"0xffffffff81000010\",%s\"args\":{}}\n", cases[i].want);
		is_line("a context", &h, buf_str(&want));
		buf_fini(&want);
	}
	layouts[2].backend = &backend_kprobe;
}

/* ---- values ---- */

static void is_value(const struct hit *h, const char *name, const char *want)
{
	struct buf out = { 0 };
	const char *line = hit_line(&text, h, &out), *at, *end;

	if (!CHECK(json_is_line(line), "%s: a line", name)) {
		printf("# %s", line);
	} else {
		at = json_member(json_member(line, "args"), name);
		end = at ? json_value(at, 0) : NULL;
		CHECK(at && (size_t)(end - at) == strlen(want) && !strncmp(at, want, strlen(want)), "%s: %.*s, should be %s", name,
		      at ? (int)(end - at) : 0, at ? at : "", want);
	}
	buf_fini(&out);
}

static void test_numbers(void)
{
	static const struct {
		enum field field;
		uint64_t n;
		const char *want;
	} cases[] = {
		{ F_HEX, 0, "0" },
		{ F_HEX, 0xffffff9c, "4294967196" },
		{ F_HEX, 1ull << 53, "9007199254740992" },
		{ F_HEX, (1ull << 53) + 1, "\"0x20000000000001\"" },
		{ F_HEX, UINT64_MAX, "\"0xffffffffffffffff\"" },
		{ F_UNSIGNED, (1ull << 53) - 1, "9007199254740991" },
		{ F_UNSIGNED, 1ull << 53, "9007199254740992" },
		{ F_UNSIGNED, (1ull << 53) + 1, "\"9007199254740993\"" },
		{ F_UNSIGNED, UINT64_MAX, "\"18446744073709551615\"" },
		{ F_BITS, (1ull << 53) + 1, "\"9007199254740993\"" },
		{ F_SIGNED, (uint64_t)-2, "-2" },
		{ F_SIGNED, 1ull << 53, "9007199254740992" },
		{ F_SIGNED, (1ull << 53) + 1, "\"9007199254740993\"" },
		{ F_SIGNED, 0 - (1ull << 53), "-9007199254740992" },
		{ F_SIGNED, 0 - (1ull << 53) - 1, "\"-9007199254740993\"" },
		{ F_SIGNED, INT64_MAX, "\"9223372036854775807\"" },
		{ F_SIGNED, 1ull << 63, "\"-9223372036854775808\"" },
		{ F_SHORT, 0x8000, "-32768" },
		{ F_NAME, 255, "255" },
		{ F_CHAR, 'x', "\"x\"" },
		{ F_CHAR, '"', "\"\\\"\"" },
		{ F_CHAR, 0, "\"\\u0000\"" },
		{ F_CHAR, 0xff, "{\"bytes\":\"ff\"}" },
		{ F_SYMBOL, VFS_READ + 1, "{\"symbol\":\"vfs_read+0x1/0x100\",\"address\":\"0xffffffff81000011\"}" },
		{ F_SYMBOL, IN_MODULE, "{\"symbol\":\"in_module+0x4/0x100 [mod_a]\",\"address\":\"0xffffffffc0002004\"}" },
		{ F_SYMBOL, 0, "{\"symbol\":null,\"address\":\"0x0\"}" },
	};
	static struct hit h;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		hit_begin(&h, &layouts[i % 2], VFS_READ, VFS_READ);
		set_number(&h, cases[i].field, 0, cases[i].n);
		is_value(&h, fields[cases[i].field].name, cases[i].want);
	}
}

/* Faults and cuts are named, each argument once. */
static void test_findings(void)
{
	uint64_t addr = VFS_READ;
	struct buf out = { 0 };
	static struct hit h;
	const char *line;

	hit_begin(&h, &layouts[0], VFS_READ, 0);
	set_string(&h, F_SYMSTR, 0, &addr, 8);
	set_string(&h, F_STRING, 0, "a\nb", 3);
	set_number(&h, F_LIST, 1, 7);
	set_string(&h, F_STRINGS, 0, "", 0);
	set_string(&h, F_STRINGS, 1, "\xff", 1);
	is_value(&h, "symstr", "{\"symbol\":\"vfs_read+0x0/0x100\",\"address\":\"0xffffffff81000010\"}");
	is_value(&h, "s", "\"a\\nb\"");
	is_value(&h, "list", "[0,7,0]");
	is_value(&h, "strings", "[\"\",{\"bytes\":\"ff\"}]");
	line = hit_line(&text, &h, &out);
	CHECK(!json_member(line, "faults") && !json_member(line, "truncated"), "nothing to be said of it");
	set_mark(&h, F_LIST, 0);
	set_mark(&h, F_LIST, 2);
	set_mark(&h, F_HEX, 0);
	set_mark(&h, F_STRINGS, 0);
	set_mark(&h, F_STRING, 0);
	is_value(&h, "list", "[null,7,null]");
	is_value(&h, "hex", "null");
	is_value(&h, "s", "\"a\\nb\"");
	line = hit_line(&text, &h, &out);
	CHECK(strstr(line, "},\"faults\":[\"hex\",\"list\"],\"truncated\":[\"s\",\"strings\"]}\n"), "named: %s", line);
	hit_begin(&h, &layouts[0], VFS_READ, 0);
	line = hit_line(&text, &h, &out);
	CHECK(strstr(line, "},\"faults\":[\"symstr\",\"s\",\"strings\"]}\n"), "strings that could not be read: %s", line);
	buf_reset(&out);
	json_lost(&(struct text){ 0 }, 3, 12, &out);
	CHECK(!strcmp(buf_str(&out), "{\"lost\":12,\"cpu\":3}\n") && json_is_line(buf_str(&out)), "losses");
	buf_fini(&out);
}

/* ---- objects for programs that collect them ---- */

static void test_sender(void)
{
	static const struct gap lost = { .layout = &layouts[2], .series = { 7, 1 }, .cpu = 3, .lost = true, .count = 2, .first = 5, .last = 6 };
	static const struct series series = { 7, 1 };
	struct arena arena = { 0 };
	struct sender sender = sender_make(&arena, "a\"b\xff", NULL, "6.12");
	struct text t = { .ks = text.ks, .rules = text.rules, .sender = &sender };
	struct gap skipped = lost;
	struct buf out = { 0 };
	static struct hit h;
	struct event ev;

	hit_begin(&h, &layouts[2], VFS_READ, 0);
	event_decode(h.layout, (const void *)h.bytes, BP_BODY_OFF + h.end, &ev);
	ev.series = &series;
	ev.number = (1ull << 53) + 1;
	json_event(&t, &ev, &out);
#define SENDER "{\"schema\":1,\"host\":{\"bytes\":\"612262ff\"},\"boot\":null,\"kernel\":\"6.12\","
#define SERIES "\"creation\":7,\"probe\":1,"
	CHECK(!strncmp(buf_str(&out), SENDER SERIES "\"seq\":\"9007199254740993\",\"time_ns\":7237519123,", 130) && json_is_line(buf_str(&out)),
	      "an event with its number: %s", buf_str(&out));
	buf_reset(&out);
	ev.series = NULL;
	json_event(&t, &ev, &out);
	CHECK(!strncmp(buf_str(&out), SENDER "\"time_ns\":7237519123,", 80) && json_is_line(buf_str(&out)), "... without one");
	buf_reset(&out);
	json_gap(&t, &lost, &out);
	CHECK(!strcmp(buf_str(&out), SENDER SERIES "\"lost\":2,\"cpu\":3,\"event\":\"bare\",\"group\":\"kprobes\",\"first_seq\":5,\"last_seq\":6}\n"),
	      "lost hits: %s", buf_str(&out));
	buf_reset(&out);
	skipped.lost = false;
	json_gap(&t, &skipped, &out);
	CHECK(strstr(buf_str(&out), SERIES "\"skipped\":2,\"cpu\":3,"), "hits that are not printed: %s", buf_str(&out));
	buf_reset(&out);
	json_lost(&t, 1, UINT64_MAX, &out);
	CHECK(!strcmp(buf_str(&out), SENDER "\"lost\":null,\"cpu\":1}\n"), "lost hits of no known probe: %s", buf_str(&out));
	text_fini(&t);
	buf_fini(&out);
	arena_fini(&arena);
}

#define POD	"8f6c5b1e_2c1a_4b6e_9d3f_0a1b2c3d4e5f"
#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_container(void)
{
	static const struct { const char *path, *want; } cases[] = {
		{ "/kubepods.slice/kubepods-pod" POD ".slice/crio-" ID ".scope",
		  ",\"container\":{\"runtime\":\"cri-o\",\"id\":\"" ID "\",\"pod\":\"8f6c5b1e-2c1a-4b6e-9d3f-0a1b2c3d4e5f\",\"unit\":null,"
		  "\"cgroup\":\"/kubepods.slice/kubepods-pod" POD ".slice/crio-" ID ".scope\"}" },
		{ "/machine.slice/machine-my\\x2ddeb.scope", ",\"container\":{\"runtime\":\"systemd-nspawn\",\"id\":\"my-deb\",\"pod\":null,"
		  "\"unit\":null,\"cgroup\":\"/machine.slice/machine-my\\\\x2ddeb.scope\"}" },
		{ "/a_b/x_y.service", ",\"container\":{\"runtime\":null,\"id\":null,\"pod\":null,\"unit\":\"x_y.service\",\"cgroup\":\"/a_b/x_y.service\"}" },
		{ "/\"\n\xff", ",\"container\":{\"runtime\":null,\"id\":null,\"pod\":null,\"unit\":null,\"cgroup\":{\"bytes\":\"2f220aff\"}}" },
		{ "/", ",\"container\":{\"runtime\":null,\"id\":null,\"pod\":null,\"unit\":null,\"cgroup\":\"/\"}" },
	};
	static struct layout_field cgroup = { .name = "cgroup", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1 };
	struct layout l = { .backend = &backend_kprobe, .event = "e", .group = "g", .fields = &cgroup, .nr_fields = 1 };
	struct cgroups *all = cgroups_new();
	static _Alignas(8) char bytes[512];
	struct event ev;

	layout_compute(&l);
	for (uint64_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out = { 0 };
		uint64_t id = i + 1;

		memcpy(bytes + BP_BODY_OFF + cgroup.off, &id, sizeof(id));
		event_decode(&l, (const void *)bytes, BP_BODY_OFF + l.dyn_off, &ev);
		json_container(all, &ev, &out);
		CHECK(!strcmp(buf_str(&out), ",\"container\":null"), "a number that has no name");
		buf_reset(&out);
		cgroups_learn(all, id, cases[i].path);
		json_container(all, &ev, &out);
		CHECK(!strcmp(buf_str(&out), cases[i].want), "%s: %s", cases[i].path, buf_str(&out));
		buf_fini(&out);
	}
	cgroups_free(all);
}

static void test_flat(void)
{
	static const struct { const char *nested, *flat; } cases[] = {
		{ "{}", "{}" },
		{ "{\"a\":1}", "{\"a\":1}" },
		{ "{\"a\":{\"b\":1,\"c\":{\"d\":\"x\"}},\"e\":2}", "{\"a_b\":1,\"a_c_d\":\"x\",\"e\":2}" },
		{ "{\"a\":null,\"b\":{\"c\":null,\"d\":0},\"e\":{}}", "{\"b_d\":0}" },
		{ "{\"a\":[],\"b\":[1,null,\"]}\"],\"c\":[[1],[2]],\"d\":[null,null],\"e\":[[]]}", "{\"b\":[1,null,\"]}\"],\"c\":[[1],[2]]}" },
		{ "{\"a\":[{\"n\":1,\"s\":\"x\"},{\"n\":2},null,{\"s\":\"y\",\"n\":4}]}", "{\"a_n\":[1,2,null,4],\"a_s\":[\"x\",null,null,\"y\"]}" },
		{ "{\"a\":[\"x\",{\"bytes\":\"ff\"},null]}", "{\"a\":[\"x\",null,null],\"a_bytes\":[null,\"ff\",null]}" },
		{ "{\"a\":[{\"k\":{\"from\":1,\"to\":2},\"s\":[\"f\",\"g\"]}]}", "{\"a_k_from\":[1],\"a_k_to\":[2],\"a_s\":[[\"f\",\"g\"]]}" },
		{ "{\"a\":{\"b\":1},\"a_b\":2,\"a_b_2\":3}", "{\"a_b\":1,\"a_b_2\":2,\"a_b_2_2\":3}" },
		{ "{\"a\\\"}\":{\"\\\\\":\"\\\\\\\"{\"}}", "{\"a\\\"}_\\\\\":\"\\\\\\\"{\"}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out = { 0 };
		const char *end;

		buf_addf(&out, "before %s\n", cases[i].nested);
		json_flatten(&out, strlen("before "));
		end = buf_str(&out) + strlen("before ") + strlen(cases[i].flat);
		CHECK(!strncmp(buf_str(&out) + strlen("before "), cases[i].flat, strlen(cases[i].flat)) && !strcmp(end, "\n") &&
		      json_is_line(buf_str(&out) + strlen("before ")), "flat: %s: %s", cases[i].nested, buf_str(&out));
		buf_fini(&out);
	}
}

/* A database takes no number in another base. */
static void test_decimal(void)
{
	static struct hit h;

	text.decimal = true;
	hit_begin(&h, &layouts[0], VFS_READ, 0);
	set_number(&h, F_HEX, 0, UINT64_MAX);
	is_value(&h, "hex", "\"18446744073709551615\"");
	text.decimal = false;
}

/* ---- random hits ---- */

enum { STRING_MAX = 5000, NR_LINES = 34000 };	/* of three such strings each */

/* Of all bytes, of a few special ones, or of characters; mostly short, sometimes as long as possible. */
static uint32_t make_string(char *s)
{
	static const char *const pieces[] = { "a", "/", "\"", "\\", "\n", "\x01", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x92\xa9", "\xff", "\xc0", "\xed\xa0\x80" };
	uint32_t len = 0, want = (uint32_t)(random_u64() % (random_u64() % 100 ? 60 : LAYOUT_MAX_STRING + 1));
	unsigned how = (unsigned)(random_u64() % 3), nr = how == 1 ? ARRAY_SIZE(pieces) : 9;

	while (len < want) {
		const char *piece = pieces[random_u64() % nr];
		size_t n = how ? strlen(piece) : 1;

		if (how)
			memcpy(s + len, piece, n);
		else
			s[len] = (char)random_u64();
		len += (uint32_t)n;
	}
	return MIN(len, (uint32_t)LAYOUT_MAX_STRING);
}

struct wanted {
	char task[BP_COMM_LEN + 1], s[STRING_MAX], second[STRING_MAX];
	uint32_t len, second_len;
	uint64_t hex;
	bool fault;
};

static void make_hit(struct hit *h, struct wanted *w)
{
	struct bp_rec *rec = (void *)h->bytes;

	hit_begin(h, &layouts[random_u64() % 2], VFS_READ + random_u64() % 3, random_u64() % 2 ? ODD : 0);
	rec->ts = random_u64() >> random_u64() % 64;
	rec->preempt = (uint32_t)random_u64();
	rec->eflags = (uint32_t)random_u64();
	rec->tif = (uint32_t)random_u64();
	for (unsigned i = 0; i < BP_COMM_LEN; i++)
		w->task[i] = rec->comm[i] = (char)(random_u64() % 3 ? 'a' + i : 1 + random_u64() % 255);
	w->hex = random_u64() >> random_u64() % 64;
	w->fault = random_u64() % 4 == 0;
	set_number(h, F_HEX, 0, w->hex);
	if (w->fault)
		set_mark(h, F_HEX, 0);
	for (unsigned f = F_SIGNED; f <= F_SYMBOL; f++)
		set_number(h, (enum field)f, 0, random_u64());
	w->len = make_string(w->s);
	set_string(h, F_STRING, 0, w->s, w->len);
	w->second_len = make_string(w->second);
	set_string(h, F_STRINGS, 1, w->second, w->second_len);
}

static bool same_bytes(const char *value, const char *s, size_t len)
{
	struct buf back = { 0 };
	bool same = json_bytes(value, &back) && back.len == len && !memcmp(buf_str(&back), s, len);

	buf_fini(&back);
	return same;
}

static bool begins(const char *value, const char *with)
{
	return value && !strncmp(value, with, strlen(with));
}

static bool line_right(const char *line, const struct wanted *w)
{
	const char *args = json_is_line(line) ? json_member(line, "args") : NULL, *hex = json_member(args, "hex");

	if (!hex || !same_bytes(json_member(line, "task"), w->task, BP_COMM_LEN) ||
	    !same_bytes(json_member(args, "s"), w->s, w->len) ||
	    !same_bytes(json_element(json_member(args, "strings"), 1), w->second, w->second_len) ||
	    !begins(json_element(json_member(args, "strings"), 0), "null"))
		return false;
	if (w->fault)
		return begins(hex, "null") && begins(json_element(json_member(line, "faults"), 0), "\"hex\"");
	return strtoull(hex + (*hex == '"'), NULL, 0) == w->hex && (*hex == '"') == (w->hex > 1ull << 53);
}

/* What jq prints for a string: its bytes in base64, or the hexadecimal ones of the object. */
static void add_wanted(struct buf *out, const char *text_of, uint32_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", hex[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)text_of;
	bool is_text = utf8_is_valid(text_of, len);

	for (uint32_t i = 0; !is_text && i < len; i++) {
		buf_addc(out, hex[s[i] >> 4]);
		buf_addc(out, hex[s[i] & 15]);
	}
	for (uint32_t i = 0; is_text && i < len; i += 3) {
		uint32_t left = len - i;
		uint32_t n = (uint32_t)s[i] << 16 | (left > 1 ? (uint32_t)s[i + 1] << 8 : 0) | (left > 2 ? s[i + 2] : 0);

		buf_addc(out, digits[n >> 18]);
		buf_addc(out, digits[n >> 12 & 63]);
		buf_addc(out, left > 1 ? digits[n >> 6 & 63] : '=');
		buf_addc(out, left > 2 ? digits[n & 63] : '=');
	}
	buf_addc(out, '\n');
}

static bool write_file(int fd, const struct buf *b)
{
	for (size_t done = 0; done < b->len;) {
		ssize_t n = write(fd, b->data + done, b->len - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static void test_jq(const struct buf *lines, const struct buf *wanted)
{
	static const char program[] = "jq -r '.task, .args.s, .args.strings[1] | if type == \"object\" then .bytes else @base64 end' /proc/self/fd/%d";
	int fd = memfd_create("lines", 0);
	struct buf got = { 0 }, command = { 0 };
	FILE *jq;
	size_t n;

	if (system("command -v jq > /dev/null 2>&1")) {
		TAP_SKIP("there is no jq");
		close(fd);
		return;
	}
	buf_addf(&command, program, fd);
	jq = fd >= 0 && write_file(fd, lines) ? popen(buf_str(&command), "r") : NULL;
	while (jq && (n = fread(buf_room(&got, 1 << 16), 1, 1 << 16, jq)) > 0)
		got.len += n;
	CHECK(jq && !pclose(jq) && got.len == wanted->len && !memcmp(got.data, wanted->data, got.len),
	      "jq reads the same out of %d strings (%zu bytes of %zu)", 3 * NR_LINES, got.len, wanted->len);
	close(fd);
	buf_fini(&got);
	buf_fini(&command);
}

static void test_chance(void)
{
	struct buf line = { 0 }, lines = { 0 }, wanted = { 0 };
	static struct wanted w;
	static struct hit h;
	unsigned wrong = 0, bent = 0;

	for (unsigned i = 0; i < NR_LINES; i++) {
		make_hit(&h, &w);
		if (i % 1000 == 0)
			text_symbols(&text, text.ks);
		if (!line_right(hit_line(&text, &h, &line), &w) && !wrong++)
			printf("# %s", buf_str(&line));
		buf_add(&lines, line.data, line.len);
		if (i % 10 == 0) {
			json_flatten(&line, 0);
			bent += !json_is_line(buf_str(&line));
		}
		add_wanted(&wanted, w.task, BP_COMM_LEN);
		add_wanted(&wanted, w.s, w.len);
		add_wanted(&wanted, w.second, w.second_len);
	}
	CHECK(!wrong, "hits by chance: %u of %u wrong", wrong, NR_LINES);
	CHECK(!bent, "... made flat: %u wrong", bent);
	test_jq(&lines, &wanted);
	buf_fini(&line);
	buf_fini(&lines);
	buf_fini(&wanted);
}

int main(void)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct ksyms *ks = NULL;
	struct diag d = { 0 };
	struct buf path = { 0 };

	buf_addf(&path, "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, table, sizeof(table) - 1) != sizeof(table) - 1 || ksyms_load_with(buf_str(&path), NULL, &ks, &d)) {
		printf("Bail out! no symbols: %s\n", buf_str(&d.msg));
		return 1;
	}
	text.ks = ks;
	context_rules_init(&text.rules, RELEASE(6, 14), true);
	test_places();
	test_contexts();
	test_numbers();
	test_findings();
	test_sender();
	test_container();
	test_flat();
	test_decimal();
	test_chance();
	text_fini(&text);
	ksyms_close(ks);
	close(fd);
	buf_fini(&path);
	diag_fini(&d);
	return tap_done();
}
