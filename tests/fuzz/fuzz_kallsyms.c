// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_kallsyms.c - any bytes as /proc/kallsyms and, behind a blank line, /proc/modules (see fuzz.h). Each symbol is found by its name, the symbol
 * that covers an address begins at or before it, and does not end before it.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/syms/ksyms.h"
#include "kernel/syms/ksyms_table.h"

static const char fuzz_name[] = "fuzz_kallsyms";
static const char *const fuzz_seeds[] = {
	"0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000010 T vfs_read\n"
	"ffffffff81000090 t helper.isra.0\nffffffff810000c0 t helper.cold\nffffffff810000d0 T __pfx_twice\nffffffff810000e0 t twice\n"
	"ffffffff810000f0 t twice\nffffffff81000200 T _etext\nffffffff81001000 d data\nffffffff81001800 T boot\nffffffff81001700 T __init_begin\n"
	"ffffffff81001900 d __init_end\nffffffff81002000 B _end\nffffffffc0003000 t last\t[mod_a]\n"
	"ffffffffc0002000 t first\t[mod_a]\n0000000000012340 a percpu\t[mod_a]\nffffffffc0002080 U foreign\t[mod_a]\nffffffffc0006010 T b\t[mod_b]\n"
	"ffffffffc0008000 t ftrace_trampoline\t[__builtin__ftrace]\nffffffffc0009000 t bpf_prog_6deef7357e7b4530\t[bpf]\n\n"
	"mod_b 8192 0 - Live 0xffffffffc0006000\nmod_a 16384 1 mod_b,other Live 0xffffffffc0002000 (OE)\nhidden 4096 0 - Live 0x0\n",
	"0000000000000000 T a\n0000000000000000 t b\t[m]\n",
};

static const char *const fuzz_words[] = {
	"ffffffff81000000", "ffffffffc0002000", "ffffffffffffffff", "0000000000000000", " T ", " t ", " W ", " d ", " A ", " a ", " ? ", "\t[mod_a]", "\t[bpf]",
	"[", "]", "_stext", "_etext", "_end", "__init_begin", "__init_end", ".isra.0", ".cold", "__pfx_", "__cfi_", "\n", "\n\n", " Live 0x", " - ", "8192",
	"18446744073709551615", "mod_a", "\x80", "\t", " ",
};

#include "fuzz.h"

static int memory_file(const char *text, size_t len, struct buf *path)
{
	int fd = memfd_create("ksyms", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		abort();
	buf_addf(path, "/proc/self/fd/%d", fd);
	return fd;
}

static void check_address(const struct ksyms *ks, uint64_t addr, const char *text)
{
	uint64_t size = 1;
	const struct ksym *sym = ksyms_lookup(ks, addr, &size);

	require(sym ? sym->addr <= addr && (!size || addr - sym->addr < size) : !size, "a symbol that does not cover the address", text);
}

static void check_symbol(const struct ksyms *ks, size_t i, const char *text)
{
	const struct ksym *sym = ksyms_at(ks, i);
	const struct ksym *const *first;
	size_t nr = ksyms_find(ks, sym->name, sym->module ? sym->module : "vmlinux", &first);
	bool found = false;

	require(*sym->name && ksyms_address_at(ks, i) == sym->addr, "a symbol without a name, or with two addresses", text);
	for (size_t n = 0; n < nr; n++) {
		require(!strcmp(first[n]->name, sym->name), "a symbol of another name", text);
		found |= first[n] == sym;
	}
	require(found, "a symbol is not found by its name", text);
	require(ksyms_may_be_function(ks, i) || !ksym_is_function(sym) || ksym_is_marker(sym), "a function that cannot be one", text);
	check_address(ks, sym->addr, text);
	check_address(ks, sym->addr - 1, text);
	check_address(ks, sym->addr + 1, text);
	check_address(ks, sym->addr + 0x1000, text);
}

static void check_table(const struct ksyms *ks, const char *text)
{
	const struct ksym *similar[4];
	size_t count = ksyms_count(ks), nr;
	uint64_t low, high;

	require(count && ksyms_own_count(ks) <= count, "a table without symbols", text);
	for (size_t i = 0; i < MIN(count, (size_t)64); i++)
		check_symbol(ks, i, text);
	nr = ksyms_similar(ks, "vfs_raed", similar, ARRAY_SIZE(similar));
	require(nr <= ARRAY_SIZE(similar), "too many similar names", text);
	require(!ksyms_module_span(ks, &low, &high) || low <= high, "modules end before they begin", text);
	ksyms_has_module(ks, "mod_a");
	ksyms_hidden(ks);
}

static bool take_start(void *ctx, const struct ksym *sym)
{
	require(*sym->name, "a symbol without a name", "");
	return ++*(unsigned *)ctx < 10;
}

static void check_text(const char *text)
{
	unsigned taken = 0;
	const char *blank = strstr(text, "\n\n");
	size_t len = blank ? (size_t)(blank + 1 - text) : strlen(text);
	struct buf path = { 0 }, modules = { 0 };
	int fd = memory_file(text, len, &path), mods = blank ? memory_file(blank + 2, strlen(blank + 2), &modules) : -1;
	struct ksyms *ks = NULL;
	struct diag d = { 0 };
	int err = ksyms_load_with(buf_str(&path), blank ? buf_str(&modules) : NULL, &ks, &d);

	if (err) {
		require(err == d.err && !ks, "refused, but not quite", text);
		check_refusal(&d, text);
	} else {
		check_table(ks, text);
	}
	ksyms_close(ks);
	ksyms_read_start(buf_str(&path), take_start, &taken);
	require(taken <= 10, "symbols behind the one that was refused", text);
	close(fd);
	if (blank)
		close(mods);
	buf_fini(&path);
	buf_fini(&modules);
	diag_fini(&d);
}
