// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_show.c - names of numbers and network addresses, as text, as JSON and in format texts.
 *
 * Names and numbers are those of the kernel's headers. Texts of ip6 are those of RFC 5952, sections 4 and 5, and those that
 * the kernel's own test has (lib/test_printf.c, ip6()).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/un.h>

#include "../fuzz/btf_seed.h"
#include "kernel/btf/kbtf.h"
#include "kernel/ksyscall.h"
#include "lang/dialect.h"
#include "plan/filter_plan.h"
#include "plan/layout_text.h"
#include "plan/plan.h"
#include "print/format.h"
#include "print/json.h"
#include "print/show.h"
#include "print/text.h"

#include "tap.h"

static struct arena arena;

/* A record of one argument of @type, with these bytes as its value. */
struct hit {
	struct plan *plan;
	struct event ev;
	_Alignas(8) unsigned char bytes[8192];
};

/* asm/unistd_64.h; 2 is left out. The kernel's metadata has the names with their prefix (include/linux/syscalls.h). */
static const char *call_names[] = { [0] = "sys_read", [1] = "sys_write", [3] = "sys_close", [257] = "sys_openat" };
static struct ksyscall_names calls = { .read = true, .nr = ARRAY_SIZE(call_names), .names = call_names };

static bool make(struct hit *h, const char *def_text, const void *value, uint32_t len)
{
	struct facts facts = { .calls = &calls };
	struct probe_def *def = NULL;
	struct diag diag = { 0 };
	struct layout_field *f;
	uint32_t loc;
	bool good;

	*h = (struct hit){ 0 };
	good = !dialect_parse(&arena, def_text, DIALECT_KPROBE, &def, &diag) && !plan_resolve(&arena, def, &facts, &h->plan, &diag);
	CHECK(good, "'%s' is resolved: %s", def_text, buf_str(&diag.msg));
	diag_fini(&diag);
	if (!good)
		return false;
	f = &h->plan->layout.fields[0];
	if (type_is_dynamic(&f->type)) {
		loc = f->room << 16 | h->plan->layout.dyn_off;
		memcpy(h->bytes + BP_BODY_OFF + f->off, &loc, sizeof(loc));
		memcpy(h->bytes + BP_BODY_OFF + h->plan->layout.dyn_off, value, len);
		if (f->type.kind == TYPE_BLOCK)
			h->bytes[BP_BODY_OFF + h->plan->layout.dyn_off + f->room - 1] = (unsigned char)len;
	} else {
		memcpy(h->bytes + BP_BODY_OFF + f->off, value, len);
	}
	return event_decode(&h->plan->layout, (void *)h->bytes, sizeof(h->bytes), &h->ev);
}

static void check(const char *def, const void *value, uint32_t len, const char *want, const char *json)
{
	struct text text = { 0 };
	struct buf got = { 0 }, line = { 0 };
	struct hit h;
	char part[512];

	if (!make(&h, def, value, len))
		return;
	text_field(&text, &h.ev, &h.plan->layout.fields[0], &got);
	CHECK(!strcmp(buf_str(&got), want), "%s: %s is %s", def, buf_str(&got), want);
	json_event(&text, &h.ev, &line);
	line.data[line.len - 1] = 0;	/* the newline */
	snprintf(part, sizeof(part), "\"args\":{\"a\":%s}", json);
	CHECK(strstr(buf_str(&line), part) != NULL, "%s: JSON has %s: %s", def, json, buf_str(&line));
	text_fini(&text);
	buf_fini(&got);
	buf_fini(&line);
}

static void check_number(const char *def, int64_t n, uint32_t len, const char *want, const char *json)
{
	check(def, &n, len, want, json);
}

/* The first and the last name of each part of the table, its gaps, and what is beside it. */
static void test_errno(void)
{
	static const struct { int n; const char *name; } cases[] = {
		{ -1, "EPERM" }, { -2, "ENOENT" }, { -11, "EAGAIN" }, { -35, "EDEADLK" }, { -95, "EOPNOTSUPP" }, { -133, "EHWPOISON" },
		{ -512, "ERESTARTSYS" }, { -516, "ERESTART_RESTARTBLOCK" }, { -524, "ENOTSUPP" }, { -531, "ENOGRACE" },
	};
	static const int numbers[] = { 0, 1, 2, 133, -41, -58, -134, -511, -520, -532, -4095, INT32_MAX, INT32_MIN };
	char json[64], text[32];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(json, sizeof(json), "{\"number\":%d,\"name\":\"%s\"}", cases[i].n, cases[i].name);
		check_number("p f a=%di:errno", cases[i].n, 4, cases[i].name, json);
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		snprintf(json, sizeof(json), "{\"number\":%d,\"name\":null}", numbers[i]);
		snprintf(text, sizeof(text), "%d", numbers[i]);
		check_number("p f a=%di:errno", numbers[i], 4, text, json);
	}
}

static void test_ip(void)
{
	static const struct { const char *from, *to; } cases[] = {
		{ "::", "::" }, { "::1", "::1" }, { "2001:db8::", "2001:db8::" }, { "2001:0db8:0:0:0:0:2:1", "2001:db8::2:1" },
		{ "2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1" },	/* one word of zeroes stays */
		{ "2001:0:0:1:0:0:0:1", "2001:0:0:1::1" },		/* the longest run */
		{ "2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1" },	/* the first of two */
		{ "2001:db8:AAAA:BBBB:CCCC:DDDD:EEEE:0AAA", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:aaa" },
		{ "::ffff:192.0.2.1", "::ffff:192.0.2.1" }, { "::192.0.2.1", "::c000:201" }, { "fe80::5efe:192.0.2.1", "fe80::5efe:192.0.2.1" },
		{ "1:0:0:0:0:0:0:0", "1::" }, { "0:1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7" },
	};
	unsigned char at[16], mac[6] = { 0, 1, 0xab, 0, 0xff, 9 };
	char json[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CHECK(inet_pton(AF_INET6, cases[i].from, at) == 1, "%s is an address", cases[i].from);
		snprintf(json, sizeof(json), "\"%s\"", cases[i].to);
		check("p f a=+0(%di):ip6", at, sizeof(at), cases[i].to, json);
	}
	inet_pton(AF_INET, "192.0.2.255", at);
	check("p f a=%di:ip4", at, 4, "192.0.2.255", "\"192.0.2.255\"");
	check("p f a=+0(%di):mac", mac, sizeof(mac), "00:01:ab:00:ff:09", "\"00:01:ab:00:ff:09\"");
}

static void test_sockaddr(void)
{
	static const char def[] = "p f a=+0(%di):sockaddr";
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	char path[109] = "", text[256], json[256];

	/* All 108 bytes of the path, without a NUL: nothing is cut. With 107 of them in the record the path may go on. */
	memset(un.sun_path, 'x', sizeof(un.sun_path));
	memset(path, 'x', 108);
	snprintf(text, sizeof(text), "\"AF_UNIX:%s\"", path);
	snprintf(json, sizeof(json), "{\"family\":1,\"name\":\"AF_UNIX\",\"path\":\"%s\"}", path);
	check(def, &un, 110, text, json);
	path[107] = '\0';
	snprintf(text, sizeof(text), "\"AF_UNIX:%s...\"", path);
	snprintf(json, sizeof(json), "{\"family\":1,\"name\":\"AF_UNIX\",\"path\":\"%s\",\"cut\":true}", path);
	check(def, &un, 109, text, json);
	/* An abstract name has up to 107 bytes behind its NUL. */
	un.sun_path[0] = '\0';
	snprintf(text, sizeof(text), "\"AF_UNIX:@%s\"", path);
	snprintf(json, sizeof(json), "{\"family\":1,\"name\":\"AF_UNIX\",\"abstract\":\"%s\"}", path);
	check(def, &un, 110, text, json);
	/* A path may have any bytes. */
	memcpy(un.sun_path, "a\"b\n", 5);
	check(def, &un, 110, "\"AF_UNIX:a\\\"b\\n\"", "{\"family\":1,\"name\":\"AF_UNIX\",\"path\":\"a\\\"b\\n\"}");
	check(def, "\2\0\0\120\177\0\0\1", 8, "\"AF_INET:127.0.0.1:80\"",
	      "{\"family\":2,\"name\":\"AF_INET\",\"address\":\"127.0.0.1\",\"port\":80}");
	check(def, "\2\0\0\120\177\0\0", 7, "\"AF_INET:...\"", "{\"family\":2,\"name\":\"AF_INET\",\"cut\":true}");
	check(def, "\377\377", 2, "\"AF_65535\"", "{\"family\":65535,\"name\":null}");
	check(def, "\1\0", 2, "\"AF_UNIX:...\"", "{\"family\":1,\"name\":\"AF_UNIX\",\"cut\":true}");
}

/* ---- enumerations: names_of_errors() for others ---- */

static struct name_of some[] = {
	{ 5, "FIVE" }, { 0, "NONE" }, { 0xffffffff, "MINUS" }, { 5, "ALSO_FIVE" },
};

static void test_enum(void)
{
	struct names names = { .nr = ARRAY_SIZE(some), .all = some };
	struct text text = { 0 };
	struct buf got = { 0 }, layout = { 0 };
	struct layout back;
	struct layout_field *f;
	const char *at;
	uint64_t value;
	struct hit h;

	names_sort(&names);
	CHECK(!strcmp(names_find(&names, 5), "FIVE") && !names_find(&names, 4) && !names_find(&names, 0x100000005),
	      "of two names of a value, the first one");
	CHECK(names_value(&names, "ALSO_FIVE", 9, &value) && value == 5 && !names_value(&names, "FIV", 3, &value), "a value by its name");
	if (!make(&h, "p f a=%di:s32", "\377\377\377\377", 4))
		return;
	f = &h.plan->layout.fields[0];
	f->type.show = SHOW_ENUM;
	f->names = &names;
	text_field(&text, &h.ev, f, &got);
	CHECK(!strcmp(buf_str(&got), "MINUS"), "-1 of 32 bits has its name: %s", buf_str(&got));
	memset(h.bytes + BP_BODY_OFF + f->off, 0xfe, 1);
	buf_reset(&got);
	text_field(&text, &h.ev, f, &got);
	CHECK(!strcmp(buf_str(&got), "0xfffffffe"), "what has no name is hexadecimal: %s", buf_str(&got));
	layout_print(&h.plan->layout, &layout);
	at = buf_str(&layout);
	CHECK(!layout_parse(&arena, &at, &back) && !*at && names_same(back.fields[0].names, &names), "the names come back");
	buf_reset(&got);
	format_argument(f, "REC->a", &got);
	CHECK(!strcmp(buf_str(&got), ", __print_symbolic(REC->a, {0x0, \"NONE\"}, {0x5, \"FIVE\"}, {0x5, \"ALSO_FIVE\"}, "
				     "{0xffffffff, \"MINUS\"})"), "print fmt: %s", buf_str(&got));
	text_fini(&text);
	buf_fini(&got);
	buf_fini(&layout);
}

/* x32's calls have bit 30 set (asm/unistd_x32.h). What has no name is hexadecimal, as __print_symbolic() prints it. */
static void test_syscall(void)
{
	static const struct { int n; const char *text, *json; } cases[] = {
		{ 0, "read", "{\"number\":0,\"name\":\"read\"}" }, { 257, "openat", "{\"number\":257,\"name\":\"openat\"}" },
		{ 2, "0x2", "{\"number\":2,\"name\":null}" }, { 258, "0x102", "{\"number\":258,\"name\":null}" },
		{ -1, "0xffffffff", "{\"number\":-1,\"name\":null}" }, { 0x40000001, "0x40000001", "{\"number\":1073741825,\"name\":null}" },
	};
	struct facts facts = { 0 };
	struct probe_def *def = NULL;
	struct diag diag = { 0 };
	struct buf got = { 0 };
	struct plan *plan = NULL;
	struct layout back;
	struct hit h;
	const char *at;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_number("p f a=%di:syscall", cases[i].n, 4, cases[i].text, cases[i].json);
	if (!make(&h, "p f a=%di:syscall if a == \"openat\"", "\1\1\0\0", 4))
		return;
	CHECK(h.plan->filter->root->leaf->test == FILTER_COMPARE && h.plan->filter->root->leaf->value == 257, "a filter compares the number");
	layout_print(&h.plan->layout, &got);
	at = buf_str(&got);
	CHECK(!layout_parse(&arena, &at, &back) && !*at && back.fields[0].type.show == SHOW_SYSCALL &&
	      names_same(back.fields[0].names, h.plan->layout.fields[0].names), "the names of a layout come back: %s", buf_str(&got));
	buf_reset(&got);
	format_argument(&h.plan->layout.fields[0], "REC->a", &got);
	CHECK(!strcmp(buf_str(&got), ", __print_symbolic(REC->a, {0x0, \"read\"}, {0x1, \"write\"}, {0x3, \"close\"}, "
				     "{0x101, \"openat\"})"), "print fmt: %s", buf_str(&got));
	CHECK(!dialect_parse(&arena, "p f a=%di:syscall", DIALECT_KPROBE, &def, &diag) &&
	      plan_resolve(&arena, def, &facts, &plan, &diag) == -EOPNOTSUPP, "refused if no name is known");
	diag_fini(&diag);
	buf_fini(&got);
}

/* Each byte has one text of its own; what is read as JSON has the same bytes again. */
static void test_buffers(void)
{
	static const char bytes[] = "a\0\"\\\t\n\r\x01\x1f\x7f\x80\xff z";
	static const char utf8[] = "\xc3\xa9\0\"";
	unsigned char all[256];
	struct buf hex = { 0 }, json = { 0 };

	check("p f a=+0(%di):bytes(14)", bytes, 14, "\"a\\x00\\\"\\\\\\t\\n\\r\\x01\\x1f\\x7f\\x80\\xff z\"",
	      "{\"bytes\":\"6100225c090a0d011f7f80ff207a\"}");
	check("p f a=+0(%di):bytes(4)", utf8, 4, "\"\\xc3\\xa9\\x00\\\"\"", "\"\xc3\xa9\\u0000\\\"\"");
	check("p f a=+0(%di):bytes(1)", utf8, 1, "\"\\xc3\"", "{\"bytes\":\"c3\"}");
	check("p f a=+0(%di):hex(3)", bytes, 3, "610022", "\"610022\"");
	for (unsigned i = 0; i < sizeof(all); i++) {
		all[i] = (unsigned char)i;
		buf_addf(&hex, "%02x", i);
	}
	buf_addf(&json, "\"%s\"", buf_str(&hex));
	check("p f a=+0(%di):hex(256)", all, 256, buf_str(&hex), buf_str(&json));
	buf_fini(&hex);
	buf_fini(&json);
}

/* A text of names that nobody wrote must not be taken. */
static void test_forged(void)
{
	static const char head[] = "layout p kprobe - kprobe - - f\nfield s 4 0 0 0 1 - 0 - 0 0 typed a\n";
	static const struct { const char *rest; bool good; } cases[] = {
		{ "", true }, { "show errno -\n", true }, { "show enum -\nvalue 1 ONE\n", true }, { "show enum -\n", true },
		{ "show enum -\nvalue 4294967295 MINUS\n", true }, { "show enum -\nvalue 4294967296 MORE\n", false },
		{ "show enum -\nvalue 1 a b\n", false }, { "show enum -\nvalue 1 \"\n", false }, { "show enum -\nvalue x ONE\n", false },
		{ "show mac -\n", false }, { "show ip4 -\n", false }, { "show sockaddr -\n", false }, { "show errno null\n", false },
		{ "show what -\n", false }, { "show syscall -\nvalue 257 openat\n", true }, { "show syscall null\n", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf text = { 0 };
		struct layout l;
		const char *at;

		buf_addf(&text, "%s%s", head, cases[i].rest);
		at = buf_str(&text);
		CHECK((!layout_parse(&arena, &at, &l) && !*at) == cases[i].good, "%s: %s", cases[i].good ? "taken" : "refused", cases[i].rest);
		buf_fini(&text);
	}
}

/* An enumeration of @nr names, by BTF and in a layout's text: NAMES_MAX are taken, one more is refused. */
static void test_most_names(unsigned nr)
{
	struct btf *b = btf__new_empty();
	struct facts facts = { 0 };
	struct probe_def *def = NULL;
	struct diag diag = { 0 };
	struct btf_dir dir;
	struct buf text = { 0 };
	struct plan *plan;
	struct layout l;
	const char *at;
	const void *data;
	uint32_t len;
	bool taken;

	buf_adds(&text, "layout p kprobe - kprobe - - f\nfield s 4 0 0 0 1 - 0 - 0 0 typed a\nshow enum -\n");
	btf__add_enum(b, "many", 4);
	for (unsigned i = 0; i < nr; i++) {
		char name[16];

		snprintf(name, sizeof(name), "NAME_%u", i);
		btf__add_enum_value(b, name, i);
		buf_addf(&text, "value %u %s\n", i, name);
	}
	data = btf__raw_data(b, &len);
	if (btf_dir_make(&dir))
		return;
	btf_dir_write(&dir, data, len);
	facts.btf = kbtf_open(dir.path);
	taken = !dialect_parse(&arena, "p f a=%di:enum(many)", DIALECT_KPROBE, &def, &diag) &&
		!plan_resolve(&arena, def, &facts, &plan, &diag);
	CHECK(taken == (nr <= NAMES_MAX), "an enumeration of %u names: %s", nr, taken ? "taken" : buf_str(&diag.msg));
	CHECK(!taken || plan->layout.fields[0].names->nr == nr, "... all of them");
	at = buf_str(&text);
	CHECK(!layout_parse(&arena, &at, &l) == (nr <= NAMES_MAX), "a text of %u names", nr);
	kbtf_close(facts.btf);
	btf_dir_remove(&dir);
	btf__free(b);
	diag_fini(&diag);
	buf_fini(&text);
}

int main(void)
{
	test_errno();
	test_ip();
	test_sockaddr();
	test_buffers();
	test_enum();
	test_syscall();
	test_forged();
	test_most_names(NAMES_MAX);
	test_most_names(NAMES_MAX + 1);
	arena_fini(&arena);
	return tap_done();
}
