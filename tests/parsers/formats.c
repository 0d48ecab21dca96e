// SPDX-License-Identifier: GPL-2.0-only
/*
 * formats.c FILE... - libtraceevent parses format texts, and prints a record of each
 *
 * It uses the same parts of a text as trace-cmd does: fields, their places, the print format. The record has 65 in
 * each number and "text" in each string, so a line must have 65, 0x41 or 'A', or "text", for each argument.
 *
 * There are texts of the kernel's own that it cannot print (1.7.1: '%c', elements of arrays), so where there is
 * FILE.kernel, the kernel's text for the same definition, it must make the same of both. TAP on standard output.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

enum { RECORD_SIZE = 4096, STRINGS = 2048, STRING_ROOM = 8 };

static unsigned count, failed;

static void result(bool good, const char *name, const char *why)
{
	count++;
	failed += !good;
	printf("%s %u - libtraceevent: %s\n", good ? "ok" : "not ok", count, name);
	if (!good)
		printf("# %s\n", why);
}

static char *read_text(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 16);

	*ret_len = f && text ? fread(text, 1, (1 << 16) - 1, f) : 0;
	if (f)
		fclose(f);
	return text;
}

/* Sets the field, or each of its elements. */
static void fill(const struct tep_format_field *f, char *record, unsigned *at)
{
	bool dynamic = f->flags & TEP_FIELD_IS_DYNAMIC;
	int size = dynamic ? 4 : f->elementsize ? (int)f->elementsize : f->size;

	for (int off = 0; off + size <= f->size; off += size) {
		uint64_t value = 65;

		if (dynamic) {
			strcpy(record + *at, "text");
			value = 5u << 16 | *at;
			*at += STRING_ROOM;
		}
		memcpy(record + f->offset + off, &value, size < 8 ? (size_t)size : 8);
	}
}

/* The rest of @line after one value; NULL: there is no value. */
static const char *value_end(const char *line)
{
	static const char *const values[] = { "65", "0x41", "'A'", "\"text\"" };

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (!strncmp(line, values[i], strlen(values[i])))
			return line + strlen(values[i]);
	}
	return NULL;
}

static bool has_values(const char *line, const struct tep_event *event)
{
	for (const struct tep_format_field *f = event->format.fields; f; f = f->next) {
		char name[256];

		if (!strncmp(f->name, "__probe_", 8))
			continue;
		snprintf(name, sizeof(name), " %s=", f->name);
		line = strstr(line, name);
		if (!line)
			return false;
		line += strlen(name);
		if (*line != '{') {
			line = value_end(line);
		} else {
			do {
				line = value_end(line + 1);
			} while (line && *line == ',');
			line = line && *line == '}' ? line + 1 : NULL;
		}
		if (!line || (*line != ' ' && *line != '\0'))
			return false;
	}
	return true;
}

/* What libtraceevent prints by the text at @path; "" if it does not take it. @ret_good: every argument is there. */
static void render(const char *path, const char *name, char line[RECORD_SIZE], bool *ret_good)
{
	struct tep_handle *tep = tep_alloc();
	size_t len;
	char *text = read_text(path, &len), record[RECORD_SIZE] = { 0 };
	struct tep_record rec = { .data = record, .size = sizeof(record) };
	struct tep_event *event = NULL;
	struct trace_seq seq;
	unsigned at = STRINGS;

	line[0] = '\0';
	*ret_good = false;
	tep_set_long_size(tep, 8);
	tep_set_page_size(tep, 4096);
	if (len && !tep_parse_event(tep, text, len, "kprobes"))
		event = tep_find_event_by_name(tep, "kprobes", name);
	if (event) {
		for (struct tep_format_field *f = event->format.fields; f; f = f->next)
			fill(f, record, &at);
		memcpy(record, &(uint16_t){ (uint16_t)event->id }, 2);
		trace_seq_init(&seq);
		tep_print_event(tep, &seq, &rec, "%s", TEP_PRINT_INFO);
		trace_seq_terminate(&seq);
		snprintf(line, RECORD_SIZE, "%s", seq.buffer);
		*ret_good = !(event->flags & TEP_EVENT_FL_FAILED) && has_values(line, event);
		trace_seq_destroy(&seq);
	}
	free(text);
	tep_free(tep);
}

static void check(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char line[RECORD_SIZE], kernel[RECORD_SIZE], text[2 * RECORD_SIZE], own[4096];
	bool good, kernel_good;

	render(path, base, line, &good);
	snprintf(own, sizeof(own), "%s.kernel", path);
	render(own, base, kernel, &kernel_good);
	if (good || !kernel[0]) {
		result(good, line, "not every argument is there");
	} else {
		snprintf(text, sizeof(text), "as of the kernel's own text: %s", line);
		result(!kernel_good && !strcmp(line, kernel), text, kernel);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 64;
	for (int i = 1; i < argc; i++)
		check(argv[i]);
	printf("1..%u\n", count);
	return failed > 0;
}
