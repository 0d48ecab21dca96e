// SPDX-License-Identifier: GPL-2.0-only
/*
 * builds.c - build ids.
 */
#include "elf/builds.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/words.h"
#include "elf/file.h"

struct build {
	struct build *next;
	const char *name;
	struct build_id id;
	bool is_several;
};

bool build_id_same(const struct build_id *a, const struct build_id *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

/* A file of notes, as sysfs has them. */
static struct build_id read_notes(const char *path)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char notes[65536];
	struct build_id id = { .len = 0 };
	size_t len = 0, at = 0;
	ssize_t n;

	while (fd >= 0 && len < sizeof(notes) && (n = read(fd, notes + len, sizeof(notes) - len)) > 0)
		len += (size_t)n;
	while (at + 12 <= len) {
		uint32_t head[3];		/* bytes of the name, bytes of the content, type (ELF, "Notes") */
		size_t name = at + 12, content;

		memcpy(head, notes + at, sizeof(head));
		content = name + ROUND_UP((size_t)head[0], (size_t)4);
		if (head[0] > len || head[1] > len || content + head[1] > len)
			break;
		if (head[2] == 3 && head[0] == 4 && !memcmp(notes + name, "GNU", 4) && head[1] <= sizeof(id.bytes)) {
			memcpy(id.bytes, notes + content, head[1]);
			id.len = head[1];
			break;
		}
		at = content + ROUND_UP((size_t)head[1], (size_t)4);
	}
	return id;
}

struct build_id build_id_running(const char *module)
{
	char path[NAME_MAX + 64];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module ? module : "");
	return read_notes(module ? path : "/sys/kernel/notes");
}

struct build_id build_id_of_file(int fd)
{
	struct build_id id = { .len = 0 };
	struct elf_file *file;
	const unsigned char *bytes;
	size_t len;

	if (elf_file_open(fd, &file))
		return id;
	bytes = elf_file_build_id(file, &len);
	if (bytes && len <= sizeof(id.bytes)) {
		memcpy(id.bytes, bytes, len);
		id.len = len;
	}
	elf_file_close(file);
	return id;
}

static void put_id(char *text, const struct build_id *id)
{
	for (size_t i = 0; i < id->len; i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
}

const char *build_id_text(struct arena *arena, const struct build_id *id)
{
	char *text = arena_alloc(arena, 2 * id->len + 1);

	put_id(text, id);
	return id->len ? text : "none";
}

/* ---- by name ---- */

void builds_fini(struct builds *b)
{
	arena_fini(&b->arena);
	*b = (struct builds){ 0 };
}

static struct build **bucket_of(const struct builds *b, const char *name)
{
	uint32_t hash = 0;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 0x01000193;
	return (struct build **)&b->buckets[(hash ^ hash >> 16) % BUILDS_BUCKETS];
}

static struct build *find(const struct builds *b, const char *name)
{
	struct build *e = *bucket_of(b, name);

	while (e && strcmp(e->name, name))
		e = e->next;
	return e;
}

void builds_add(struct builds *b, const char *name, const unsigned char *id, size_t len)
{
	struct build_id is = { .len = len };
	struct build *e;

	if (!id || !len || len > sizeof(is.bytes) || strpbrk(name, "\n"))
		return;
	memcpy(is.bytes, id, len);
	e = find(b, name);
	if (e) {
		e->is_several |= !build_id_same(&e->id, &is);
		return;
	}
	e = arena_new(&b->arena, struct build);
	*e = (struct build){ .next = *bucket_of(b, name), .name = arena_strdup(&b->arena, name), .id = is };
	*bucket_of(b, name) = e;
}

void builds_add_running(struct builds *b)
{
	struct build_id id = build_id_running(NULL);
	DIR *modules = opendir("/sys/module");

	builds_add(b, BUILDS_KERNEL, id.bytes, id.len);
	for (const struct dirent *e = modules ? readdir(modules) : NULL; e; e = readdir(modules)) {
		if (*e->d_name == '.')
			continue;
		id = build_id_running(e->d_name);
		builds_add(b, e->d_name, id.bytes, id.len);
	}
	if (modules)
		closedir(modules);
}

struct build_id builds_find(const struct builds *b, const char *name)
{
	const struct build *e = find(b, name);

	return e && !e->is_several ? e->id : (struct build_id){ .len = 0 };
}

void builds_print(const struct builds *b, struct buf *out)
{
	char text[2 * sizeof(struct build_id) + 1];

	for (size_t i = 0; i < BUILDS_BUCKETS; i++) {
		for (const struct build *e = b->buckets[i]; e; e = e->next) {
			put_id(text, &e->id);
			if (!e->is_several)
				buf_addf(out, "build %s %s\n", text, e->name);
		}
	}
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_id(const char *text, struct build_id *ret)
{
	size_t len = strlen(text);

	*ret = (struct build_id){ .len = len / 2 };
	if (!len || len % 2 || ret->len > sizeof(ret->bytes))
		return false;
	for (size_t i = 0; i < ret->len; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret->bytes[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

void builds_parse(struct builds *b, const char *text)
{
	for (; *text; text = words_next_line(text)) {
		struct build_id id;
		struct words w;

		if (words_open(&w, text, "build") && take_id(words_word(&w, &b->arena), &id) && !w.bad)
			builds_add(b, words_rest(&w, &b->arena), id.bytes, id.len);
	}
}
