// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_kept.c - any bytes as the text of a kept event (see fuzz.h): what is accepted is printed as a text that is accepted and printed alike,
 * and its options are read or refused with a reason.
 */
#include "keep/kept.h"
#include "set/option.h"

#include <errno.h>

#include "run/identity.h"

#define HEAD	"bprobe-store 5 7\nby 0.1.0\ncreated 5\n"
#define FIELD	"field x 8 0 0 0 1 mark 0 - 0 0 - a\n"

static const char fuzz_name[] = "fuzz_kept";
static const char *const fuzz_seeds[] = {
	HEAD "option --rate=5/s\noption --not\noption --comm=sh\ntrigger 0 hist:keys=a\nline p:g/e f a=%di\nsource kprobe p:e f a=%di\nprobe 7 - -\n"
	"target 0 18446744071578845184 0 f\nmodule 5 mod\nwhy it is so\nlayout p fentry - kprobe - entry f\ntyped SyS_f\nstack kernel\n" FIELD
	"label b\nown-type pid_t\nline r:g/e h* $retval\nsource v13 h*\ndropped\nprobe 8 last user\ntarget 4 18446744071578845184 0 h\n"
	"at 18446744071578845184 7\nat 18446744071578845200 8\nlayout r fmulti - v13 - - h\nend\n",
	HEAD "line p:g/e /bin/sh:0x40 s=+0(%di):string\nsource kprobe p:g/e /bin/sh:64\nprobe 1 saver -\ntarget 0 0 0 \nfile 64 0 5 6 /bin/sh\n"
	"layout p uprobe - kprobe - - main\nkind uprobe 64 /bin/sh\nstack user-ids\nhidden 1\n"
	"field string 0 0 0 0 1 mark 64 grows 0 0 typed s\nfield u 4 0 0 0 1 - 0 - 0 0 - n\nelapsed call\nend\n",
	HEAD "line e:g/e a.b\nsource kprobe e:g/e a.b\nprobe 1 - -\ntarget 0 0 0 \nevent 77\nlayout p tracepoint - kprobe - - \nkind event 0 a.b\n"
	"field s 4 0 0 0 1 - 0 - 0 0 typed err\nshow errno -\nfield u 4 0 0 0 1 - 0 - 0 0 - on\nshow enum -\nvalue 1 ON\nvalue 0 OFF\n"
	"field symbol 8 0 0 16 16 - 0 - 0 0 - st\nshow plain stack\nfield b 4 3 5 0 1 - 0 - 5 3 - bits\nend\n",
	"bprobe-store 1 3\nby v0\ncreated 0\nline p:g/e mod:f\nsource kprobe mod:f\nprobe 1 - -\ntarget 0 0 0 f\nlayout p kprobe int3 kprobe parent - f\n"
	"field x 8 0 0 0 1 - 0 - 0 0 - __parent\nend\n",
	/* a text of version 1, whose module was taken for one without a name */
	"bprobe-store 1 3\nby v0\ncreated 0\nline p:g/e :f\nsource kprobe :f\nprobe 1 - -\ntarget 0 0 0 f\nlayout p kprobe int3 kprobe - - f\nend\n",
	"bprobe-store 6 7\nby v1\ncreated 1\nline s:synthetic/lat u64 ns\nsource today s:lat u64 ns\nend\n",
};

static const char *const fuzz_words[] = {
	"bprobe-store ", "by ", "created ", "option ", "trigger ", "line ", "source ", "dropped\n", "probe ", "target ", "file ", "event ", "at ",
	"module ", "why ", "layout ", "end\n", "typed ", "kind ", "stack ", "hidden ", "field ", "label ", "own-type ", "elapsed ", "show ", "value ",
	"\n", " ", "-", "saver", "last", "user", "mark", "grows", "entry", "parent", "int3", "p ", "r ", "s ", "fentry", "fmulti", "kprobe", "multi",
	"raw_tp", "session", "tracepoint", "umulti", "uprobe", "fprobe", "event", "rfc-v2", "v13", "function", "kernel", "user-ids", "user-text",
	"string", "ustring", "symbol", "symstr", "char", "bytes", "block", "buffer", "path", "pd", "none", "u", "x", "b", "errno", "enum", "sockaddr",
	"ip4", "ip6", "mac", "hex", "syscall", "be16", "null", "call", "pair", "0", "1", "2", "7", "8", "64", "4097", "18446744073709551615",
	"18446744073709551616", "--rate=", "--not", "--comm=", "--uid=0", "--pid=1", "--once", "--buffer=1G", "--attach=", "--overwrite", ":x", "\x80",
};

#include "fuzz.h"

/* It needs bpf(2). */
uint32_t identity_pidns(void)
{
	return 0;
}

static void check_options(struct arena *arena, const struct kept *k, const char *text)
{
	struct set_opts opts = { 0 };
	struct diag d = { 0 };

	/* A directory stays open until the end. */
	for (unsigned i = 0; i < k->nr_options; i++) {
		if (!strncmp(k->options[i], "--cgroup", 8))
			return;
	}
	if (set_options_read(arena, k->options, k->nr_options, &opts, &d))
		require(d.err < 0 && d.msg.len, "options are refused without a reason", text);
	diag_fini(&d);
}

static void check_text(const char *text)
{
	struct arena arena = { 0 };
	struct buf printed = { 0 }, again = { 0 };
	struct kept k, back;
	const char *by;
	int err = kept_parse(&arena, "g", "e", text, &k, &by);

	require(!err || err == -EBADMSG || err == -EPROTONOSUPPORT, "another error", text);
	if (!err) {
		require(k.nr_lines && k.nr_lines >= kept_count(&k) && k.version, "a text without a definition or a version", text);
		for (unsigned i = 0; i < k.nr_probes; i++) {
			const struct layout *l = &k.probes[i].plan.layout;

			require(k.probes[i].line < k.nr_lines && l->backend, "a probe of no definition, or without a way to attach", text);
			for (unsigned n = 0; n < layout_all(l); n++)
				require_printable(l->fields[n].name, strlen(l->fields[n].name), 0, text);
			require(l->fixed <= l->marks_off && l->dyn_off <= LAYOUT_MAX_BODY && l->short_size, "a layout that is not computed", text);
		}
		for (unsigned i = 0; i < k.nr_lines; i++)
			kept_stacks(&k, i);
		require(!kept_is_synthetic(&k) || k.nr_lines == 1, "a synthetic event of several definitions", text);
		require(kept_is_text(text), "what is read is no such text", text);
		kept_is_current(&k);
		kept_overwrites(&k);
		require(!kept_write(&k, &again), "it could not be written", text);
		buf_reset(&again);
		kept_print(&k, &printed);
		require(!kept_parse(&arena, "g", "e", buf_str(&printed), &back, &by), "printed as what is refused", buf_str(&printed));
		kept_print(&back, &again);
		require(!strcmp(buf_str(&printed), buf_str(&again)), "printed differently again", text);
		check_options(&arena, &k, text);
	}
	buf_fini(&printed);
	buf_fini(&again);
	arena_fini(&arena);
}
