// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_write.c - writes the part of a trace.dat before its pages.
 */
#include "dat/dat.h"

#include <string.h>

static void add_u32(struct buf *out, uint32_t n)
{
	buf_add(out, &n, sizeof(n));
}

static void add_u64(struct buf *out, uint64_t n)
{
	buf_add(out, &n, sizeof(n));
}

/* With its NUL. */
static void add_text(struct buf *out, const char *s)
{
	buf_add(out, s, strlen(s) + 1);
}

/* The kernel's events/header_page and header_event (6.12, kernel/trace/ring_buffer.c), for pages of this size. */
static void add_header_info(const struct dat_meta *m, struct buf *out)
{
	static const char event[] =
		"# compressed entry header\n"
		"\ttype_len    :    5 bits\n"
		"\ttime_delta  :   27 bits\n"
		"\tarray       :   32 bits\n"
		"\n"
		"\tpadding     : type == 29\n"
		"\ttime_extend : type == 30\n"
		"\ttime_stamp : type == 31\n"
		"\tdata max type_len  == 28\n";
	struct buf page = { 0 };

	buf_addf(&page, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
			"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			"\tfield: char data;\toffset:16;\tsize:%u;\tsigned:1;\n", m->page_size - 16);
	add_text(out, "header_page");
	add_u64(out, page.len);
	buf_add(out, page.data, page.len);
	add_text(out, "header_event");
	add_u64(out, sizeof(event) - 1);
	buf_add(out, event, sizeof(event) - 1);
	buf_fini(&page);
}

/* Is it the first event of its system? */
static bool begins_system(const struct dat_meta *m, unsigned i)
{
	for (unsigned k = 0; k < i; k++) {
		if (!strcmp(m->events[k].system, m->events[i].system))
			return false;
	}
	return true;
}

/* The first event is followed by the list of modules. An option of our own would make KernelShark warn. */
static void add_event(const struct dat_meta *m, unsigned i, struct buf *out)
{
	const char *text = m->events[i].text, *modules = i || !m->modules ? "" : m->modules;
	const char *head = *modules ? DAT_MODULES : "";

	add_u64(out, strlen(text) + strlen(head) + strlen(modules));
	buf_adds(out, text);
	buf_adds(out, head);
	buf_adds(out, modules);
}

static void add_system(const struct dat_meta *m, const char *system, struct buf *out)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < m->nr_events; i++)
		nr += !strcmp(m->events[i].system, system);
	add_text(out, system);
	add_u32(out, nr);
	for (unsigned i = 0; i < m->nr_events; i++) {
		if (!strcmp(m->events[i].system, system))
			add_event(m, i, out);
	}
}

static void add_events(const struct dat_meta *m, struct buf *out)
{
	uint32_t nr = 0;

	for (unsigned i = 0; i < m->nr_events; i++)
		nr += begins_system(m, i);
	add_u32(out, nr);
	for (unsigned i = 0; i < m->nr_events; i++) {
		if (begins_system(m, i))
			add_system(m, m->events[i].system, out);
	}
}

void dat_section_text(const struct dat_meta *m, enum dat_section which, struct buf *out)
{
	const char *comms = m->comms ? m->comms : "";

	switch (which) {
	case DAT_SECTION_HEADER:
		add_header_info(m, out);
		break;
	case DAT_SECTION_EVENTS:
		add_events(m, out);
		break;
	case DAT_SECTION_KALLSYMS:
		add_u32(out, m->kallsyms ? (uint32_t)m->kallsyms_len : 0);
		buf_add(out, m->kallsyms, m->kallsyms ? m->kallsyms_len : 0);
		break;
	case DAT_SECTION_CMDLINES:
		add_u64(out, strlen(comms));
		buf_adds(out, comms);
		break;
	case DAT_SECTION_FTRACE:
		add_u32(out, m->nr_stacks);
		for (unsigned i = 0; i < m->nr_stacks; i++) {
			add_u64(out, strlen(m->stacks[i]));
			buf_adds(out, m->stacks[i]);
		}
		break;
	default:			/* formats of trace_printk(): none */
		add_u32(out, 0);
		break;
	}
}

/* Little endian, 8-byte longs. */
void dat_head(const struct dat_meta *m, struct buf *out)
{
	buf_add(out, DAT_MAGIC, DAT_MAGIC_LEN);
	buf_add(out, "6\0\0\10", 4);
	add_u32(out, m->page_size);
	for (enum dat_section s = DAT_SECTION_HEADER; s < DAT_SECTION_CMDLINES; s++)
		dat_section_text(m, s, out);
}

/* The zeroes are a length and a number of CPUs, with which the file is not complete for any reader. */
void dat_note_pages(unsigned cpu, uint64_t off, struct buf *out)
{
	add_u64(out, 0);
	add_u32(out, 0);
	add_u32(out, cpu);
	add_u64(out, off);
	buf_add(out, DAT_NOTE, 8);
}

void dat_option_add(struct buf *out, enum dat_option id, const void *data, size_t len)
{
	uint16_t n = (uint16_t)id;

	buf_add(out, &n, sizeof(n));
	add_u32(out, (uint32_t)len);
	buf_add(out, data, len);
}

static void add_text_option(struct buf *out, enum dat_option id, const char *text)
{
	if (text)
		dat_option_add(out, id, text, strlen(text) + 1);
}

/* In the form of the kernel's per_cpu/cpuN/stats. Entries are those that stayed in the kernel's buffer. */
static void add_stat(const struct dat_meta *m, unsigned cpu, struct buf *out)
{
	struct buf text = { 0 };

	buf_addf(&text, "CPU: %u\nentries: 0\noverrun: 0\ncommit overrun: 0\ndropped events: %llu\n", cpu,
		 (unsigned long long)m->lost[cpu]);
	add_text_option(out, DAT_OPTION_CPUSTAT, text.data);
	buf_fini(&text);
}

void dat_options(const struct dat_meta *m, struct buf *out)
{
	uint32_t nr = m->nr_cpus;
	struct buf clock = { 0 };

	buf_addf(&clock, "[%s]", m->clock);	/* brackets mark the clock that is used */
	add_text_option(out, DAT_OPTION_TRACECLOCK, clock.data);
	buf_fini(&clock);
	add_text_option(out, DAT_OPTION_UNAME, m->uname);
	add_text_option(out, DAT_OPTION_VERSION, m->version);
	dat_option_add(out, DAT_OPTION_CPUCOUNT, &nr, sizeof(nr));
	for (unsigned i = 0; m->lost && i < m->nr_cpus; i++)
		add_stat(m, i, out);
}
