// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_apply.c - any bytes as a file for --apply (see fuzz.h): each caret lies in its line, and no line is lost. Then the file is read as --apply
 * does it: it is refused with a reason, or each of its events has a name of its own, and definitions.
 *
 * The planted fault: an event that two blocks describe was taken (add_line() of keep/apply_read.c); found from the seeds.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/report.h"
#include "kernel/syms/ksyms.h"
#include "keep/apply_priv.h"
#include "run/identity.h"
#include "run/modload.h"
#include "set/definitions.h"

static const char fuzz_name[] = "fuzz_apply";
static const char *const fuzz_seeds[] = {
	"# who\np:open do_sys_openat2 filename=+0(%si):string\n\tfilter dfd == -100\n\trate 100/s\n\nr:back f $retval\n\tonly kernel 5.15-6.1\n",
	"p:a f\np:b g\n  trigger hist:keys=a\n\n  disabled\n",
	"\tonce\n",
	"p:io/open do_sys_openat2 filename=+0(%si):string\n\tfilter filename ~ \"/etc*\"\n\ttrigger hist:keys=filename\n\tnot comm sh\n\tkernel-stack\n"
	"s:lat u64 ns; pid_t pid\n\tonly function vfs_read\n\texcept module nosuch\n"
	"r:io/back vfs_read $retval\nr:io/back vfs_write $retval\n\tonly host *\n\tonly kernel 5.10-\n\tbuffer 1M\n\toverwrite\n",
	"p:a f x=%di\np:a g x=%di if x > 1\n\n# none\nf(int a, string b+4[0])\ns:n u64 x\nr:b f $retval\n-:b\n",
	"p:a/b f x=%di\n\ttrigger hist:keys=x:vals=hitcount:sort=x if x > 5\np:a/b g x=%si\n\tuid 0\n\tpid 1\n",
};

static const char *const fuzz_words[] = {
	"p:", "\n", "\t", " ", "#", "\r", "filter ", "trigger ", "only ", "except ", "kernel ", "host ", "5.15-6.1", "-", "5.255", ".", "not ", "comm ",
	"disabled", "kernel-stack", "user-stack", "function ", "module ", "uid 0", "pid 1", "once", "overwrite", "buffer 1M", "hist:keys=a", "s:n u64 a",
	"a=%di", "-:", "g/e", "\n\n", "\n\t", "\x80", "\v",
};

#include "fuzz.h"
#include "keep/apply_text.h"

/* These need bpf(2), or tell of this machine. */
uint32_t identity_pidns(void)
{
	return 0;
}

uint64_t modload_id(const char *name)
{
	return !strcmp(name, "mod");
}

void set_init(struct set *s, const struct set_host *host, void *ctx, const struct set_opts *opts)
{
	*s = (struct set){ .host = host, .host_ctx = ctx, .opts = opts };
}

/* As in set/set.c. */
int set_parse(struct set *s, const struct word *words, unsigned nr_words, struct diag *diag)
{
	s->words = words;
	s->nr_words = nr_words;
	return definitions_read(s, diag);
}

static unsigned reports;

int report_error(const struct diag *d, int status)
{
	check_refusal(d, d->text ? d->text : "");
	reports++;
	return status;
}

static struct ksyms *few_symbols(void)
{
	static const char text[] = "ffffffff81000000 T vfs_read\nffffffff81000010 T f\n";
	struct ksyms *ks = NULL;
	struct diag d = { 0 };
	char path[40];
	int fd = memfd_create("symbols", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, text, sizeof(text) - 1) != sizeof(text) - 1 || ksyms_load_with(path, NULL, &ks, &d))
		abort();
	close(fd);
	return ks;
}

static void check_events(const struct apply *a, const char *text)
{
	const struct apply_file *f = &a->files[0];

	for (unsigned i = 0; i < f->nr_events; i++) {
		const struct wanted *w = &f->events[i];

		require(w->nr_words && *w->group && *w->event, "an event without a name or a definition", text);
		require(apply_find(a, w->group, w->event) == w, "two events of one name", text);
		require(!w->synthetic == !!w->defs[0], "no definition, or two", text);
	}
}

/* The same file behind -f, one definition in each line, and behind it a word. */
static void check_definitions(const char *path, const char *text)
{
	static const struct set_host host = { .explains = true };
	const struct set_opts opts = { .dialect = DIALECT_DETECT };
	const struct word words[] = { { .text = path, .is_file = true }, { .text = "p:last f" } };
	struct diag d = { 0 };
	struct set s;
	int err;

	set_init(&s, &host, NULL, &opts);
	err = set_parse(&s, words, ARRAY_SIZE(words), &d);
	if (err) {
		require(err == d.err, "refused, but not quite", text);
		check_refusal(&d, text);
	} else {
		definitions_share_triggers(&s);
		for (unsigned i = 0; i < s.nr_probes; i++)
			require(s.probes[i].def && *s.probes[i].def->event, "a definition without a name", text);
	}
	diag_fini(&d);
	arena_fini(&s.arena);
}

static void check_file(const char *text)
{
	static struct options opts;
	static struct ksyms *ks;
	struct apply a = { .opts = &opts };
	char path[40];
	int fd, err;

	if (strstr(text, "cgroup"))		/* a directory stays open until the end */
		return;
	if (!ks)
		ks = few_symbols();
	fd = memfd_create("apply", MFD_CLOEXEC);
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	a.ks = ks;
	reports = 0;
	err = apply_read(&a, path);
	require(!err == !reports && reports <= 1 && a.nr_files == 1 && !a.files[0].err == !err, "refused without a word, or with two", text);
	if (!err)
		check_events(&a, text);
	for (unsigned i = 0; i < a.nr_sets; i++)
		arena_fini(&a.sets[i]->arena);
	arena_fini(&a.sel.arena);
	check_definitions(path, text);
	close(fd);
}

static void check_setting(const struct apply_setting *s, const char *text)
{
	struct apply_range range;

	check_span(s->name_at, s->from.text);
	require(s->value_at.off + s->value_at.len == strlen(s->from.text), "a value does not end with its line", text);
	require(s->name_at.len, "a setting without a name", text);
	if (!apply_range_parse(s->value, &range))
		require(range.from <= range.to, "an empty range", text);
}

static void check_text(const char *text)
{
	struct apply_block *blocks = NULL;
	struct arena arena = { 0 };
	struct diag d = { 0 };
	unsigned nr = 0, last = 0;

	if (apply_text_parse(&arena, text, &blocks, &nr, &d)) {
		require(d.line && d.text && d.at.off + d.at.len <= strlen(d.text), "refused without a place", text);
	} else {
		for (unsigned i = 0; i < nr; i++) {
			require(blocks[i].nr_definitions, "a block without a definition", text);
			for (unsigned n = 0; n < blocks[i].nr_definitions; n++) {
				require(blocks[i].definitions[n].line > last, "lines are not in their order", text);
				last = blocks[i].definitions[n].line;
			}
			for (unsigned n = 0; n < blocks[i].nr_settings; n++) {
				require(blocks[i].settings[n].from.line > last, "settings are not in their order", text);
				last = blocks[i].settings[n].from.line;
				check_setting(&blocks[i].settings[n], text);
			}
		}
	}
	diag_fini(&d);
	arena_fini(&arena);
	check_file(text);
}
