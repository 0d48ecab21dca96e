// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack.c - the stacks that a hit was recorded with.
 */
#include "print/stack.h"

#include <limits.h>

#include "arch/kernel.h"
#include "base/escape_line.h"
#include "base/number.h"
#include "base/span.h"
#include "elf/builds.h"
#include "elf/demangle.h"
#include "elf/dwarf/lines.h"
#include "elf/users.h"
#include "print/later.h"
#include "print/text.h"

/* As ftrace prints them, and calls its events (6.12, kernel/trace/trace_output.c and trace_entries.h). */
static const struct {
	const char *name, *title;
} kinds[STACK_KINDS] = {
	[STACK_KERNEL] = { "kernel_stack", "<stack trace>" },
	[STACK_USER] = { "user_stack", "<user stack trace>" },
	[STACK_USER_IDS] = { "user_stack", "<user stack trace>" },
	[STACK_USER_TEXT] = { "user_stack", "<user stack trace>" },
};

const char *stack_title(enum stack_kind kind)
{
	return kinds[kind].title;
}

const char *stack_name(enum stack_kind kind)
{
	return kinds[kind].name;
}

/*
 * The kernel gives the place of a hit as the address where the code goes on: behind a breakpoint, or behind a call of ftrace's.
 * Where it gives none, the first frame is the caller.
 */
enum { GOES_ON = MAX(KPROBE_IP_BEHIND, FTRACE_IP_BEHIND) };

static void begin_at_place(const struct event *ev, struct stack *s)
{
	uint64_t place = event_addr(ev);

	if (!place)			/* the kernel hides it */
		return;
	if (s->frames[0] - place > GOES_ON) {	/* at a return it is the caller, except where the entry has saved its stack */
		memmove(s->frames + 1, s->frames, s->nr * sizeof(s->frames[0]));
		s->nr++;
	}
	s->frames[0] = place;
}

/* struct bpf_stack_build_id (6.12, include/uapi/linux/bpf.h). */
struct frame_id {
	int32_t status;			/* 1: a build id and an offset; 2: only an address */
	unsigned char id[ELF_BUILD_ID];
	uint64_t offset;
};
_Static_assert(sizeof(struct frame_id) == LAYOUT_FRAME_ID, "struct frame_id is the kernel's");

static struct frame_id id_of(const struct stack *s, unsigned frame)
{
	struct frame_id id;

	memcpy(&id, s->bytes + frame * sizeof(id), sizeof(id));
	return id;
}

static void take_ids(struct stack *s)
{
	s->nr = s->len / LAYOUT_FRAME_ID;
	for (unsigned i = 0; i < s->nr; i++)
		s->frames[i] = id_of(s, i).offset;
}

/* Each line ends with a newline. */
static void take_text(struct stack *s)
{
	s->nr = 0;
	for (uint32_t at = 0, i = 0; i < s->len && s->nr < LAYOUT_MAX_FRAMES; i++) {
		if (s->bytes[i] != '\n')
			continue;
		s->frames[s->nr++] = at;
		at = i + 1;
	}
}

static struct span line_of(const struct stack *s, unsigned frame)
{
	const unsigned char *at = s->bytes + s->frames[frame], *end = memchr(at, '\n', s->len - s->frames[frame]);

	return (struct span){ (uint32_t)s->frames[frame], (uint32_t)(end - at) };
}

/* Length and offset of the stack; 0: the event has none. One without frames has an offset. */
static uint32_t loc_of(const struct event *ev, enum stack_kind kind)
{
	uint32_t loc;

	if (!(ev->layout->stacks & ~ev->hidden_stacks & 1u << kind))
		return 0;
	memcpy(&loc, ev->body + ev->layout->stack_off[kind], sizeof(loc));
	return loc;
}

bool stack_is_shown(const struct event *ev, enum stack_kind kind)
{
	return loc_of(ev, kind) != 0;
}

bool stack_get(const struct event *ev, enum stack_kind kind, struct stack *ret)
{
	uint32_t loc = loc_of(ev, kind), off = loc & 0xffff;

	*ret = (struct stack){ .kind = kind, .bytes = ev->body + off, .len = loc >> 16 };
	if (!ret->len || off + ret->len > ev->len)
		return false;
	if (kind == STACK_USER_TEXT) {
		take_text(ret);
		return ret->nr;
	}
	ret->len = MIN(ret->len, layout_stack_room(kind));
	if (kind == STACK_USER_IDS) {
		take_ids(ret);
		return ret->nr;
	}
	ret->nr = ret->len / 8;
	memcpy(ret->frames, ret->bytes, 8 * ret->nr);
	if (ret->nr && kind == STACK_KERNEL)
		begin_at_place(ev, ret);
	return ret->nr;
}

/* What it was while the program ran: it may have ended, and another one may have its number. */
static bool take_waited(const struct event *ev, unsigned frame, struct user_frame *ret)
{
	static struct elf_symbol symbol;	/* valid until the next call, as ret itself */
	const struct frame *f = frame < ev->nr_frames ? ev->frames[frame] : NULL;

	if (!f)
		return false;
	*ret = (struct user_frame){ .path = f->file, .off = f->addr, .has_addr = f->has_addr, .ino = f->ino, .build_id = f->build_id,
				    .build_id_len = f->build_id_len };
	if (f->symbol) {
		symbol = (struct elf_symbol){ .addr = f->addr - f->off, .size = f->size, .name = f->symbol };
		ret->symbol = &symbol;
	}
	return true;
}

bool stack_user_frame(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct user_frame *ret)
{
	if (stack->kind != STACK_USER)
		return false;
	if (ev->frames)
		return take_waited(ev, frame, ret);
	if (!t->users)
		return false;
	users_find(t->users, ev->rec->tgid, ev->rec->ts, stack->frames[frame], ret);
	if (t->builds && ret->path)
		builds_note(t->builds, ret->path, ret->build_id, ret->build_id_len);
	return ret->path;
}

bool stack_frame_id(const struct stack *stack, unsigned frame, unsigned char ret[ELF_BUILD_ID])
{
	struct frame_id id;

	if (stack->kind != STACK_USER_IDS)
		return false;
	id = id_of(stack, frame);
	memcpy(ret, id.id, sizeof(id.id));
	return id.status == 1;
}

/* Where " [FILE]" begins behind SYMBOL+0xOFFSET/0xSIZE; NULL: nowhere. A name of C++ may have " [", too: f(int (&) [3]). */
static const char *behind_symbol(const char *text, size_t len)
{
	const char *at = text, *end = text + len, *digits;

	while ((at = memmem(at, (size_t)(end - at), " [", 2))) {
		for (digits = at; digits > text && strchr("0123456789abcdef", digits[-1]); digits--)
			;
		if (digits < at && digits - text >= 3 && !memcmp(digits - 3, "/0x", 3))
			return at;
		at++;
	}
	return NULL;
}

void stack_frame_line(const struct stack *stack, unsigned frame, struct stack_line *ret)
{
	struct span all = line_of(stack, frame);
	const char *text = (const char *)stack->bytes + all.off, *file = behind_symbol(text, all.len);
	const char *plain = memmem(text, all.len, "[+0x", 4), *plus = NULL;

	*ret = (struct stack_line){ .text = text, .len = all.len };
	if (plain) {
		ret->file = text;
		ret->file_len = (uint32_t)(plain - text);
		return;
	}
	if (!file || text[all.len - 1] != ']')
		return;
	ret->file = file + 2;
	ret->file_len = (uint32_t)(text + all.len - 1 - ret->file);
	ret->symbol_len = (uint32_t)(file - text);
	for (const char *p = text; p < file; p++)	/* the last one: a name may have such signs, too */
		plus = *p == '+' ? p : plus;
	ret->name_len = plus ? (uint32_t)(plus - text) : ret->symbol_len;
}

/* ---- places ---- */

/* The innermost frame is where the task was, except of a kernel stack whose place is hidden. All others go on behind a call. */
static bool is_return(const struct event *ev, const struct stack *stack, unsigned frame)
{
	return frame || (stack->kind == STACK_KERNEL && !event_addr(ev));
}

/* "+0xOFF/0xSIZE" */
static bool take_offset(const char *text, size_t len, uint64_t *ret_off, uint64_t *ret_size)
{
	const char *slash = memchr(text, '/', len);

	return slash && slash - text > 3 && len - (size_t)(slash - text) > 3 &&
	       !number_u64(text + 3, (size_t)(slash - text - 3), 16, ret_off) &&
	       !number_u64(slash + 3, len - (size_t)(slash - text) - 3, 16, ret_size);
}

/* A line of text was escaped when it was made, and so were names there. They are compared in this form. */
static bool place_of_line(const struct stack *stack, unsigned frame, struct frame *ret)
{
	/* Valid until the next call. Four bytes stand for an escaped one. */
	static char file[4 * PATH_MAX + 1], symbol[4 * DEMANGLED_MAX + 1];
	struct stack_line line;

	stack_frame_line(stack, frame, &line);
	if (!line.file || line.file_len >= sizeof(file) || line.name_len >= sizeof(symbol))
		return false;
	memcpy(file, line.file, line.file_len);
	file[line.file_len] = '\0';
	ret->file = file;
	if (!line.symbol_len) {
		const char *plus = line.text + line.file_len + strlen("[+0x"), *end = line.text + line.len;

		return end > plus && end[-1] == ']' && !number_u64(plus, (size_t)(end - 1 - plus), 16, &ret->addr);
	}
	memcpy(symbol, line.text, line.name_len);
	symbol[line.name_len] = '\0';
	ret->symbol = symbol;
	ret->addr = FRAME_NO_ADDR;
	return take_offset(line.text + line.name_len, line.symbol_len - line.name_len, &ret->off, &ret->size);
}

bool stack_place(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct frame *ret)
{
	struct user_frame f;

	*ret = (struct frame){ .is_return = is_return(ev, stack, frame), .addr = stack->frames[frame], .has_addr = true };
	if (stack->kind == STACK_KERNEL)
		return true;
	if (stack->kind == STACK_USER_TEXT)
		return place_of_line(stack, frame, ret);
	if (!stack_user_frame(t, ev, stack, frame, &f))
		return false;
	ret->file = f.path;
	ret->ino = f.ino;
	ret->has_addr = f.has_addr;
	ret->build_id = f.build_id;
	ret->build_id_len = f.build_id_len;
	ret->addr = f.off;
	if (f.symbol) {
		ret->symbol = f.symbol->name;
		ret->off = f.off - f.symbol->addr;
		ret->size = f.symbol->size;
	}
	return true;
}

const struct lines_frames *stack_frame_lines(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame)
{
	struct frame wanted;

	if (!t->later)
		return NULL;
	if (stack->kind == STACK_USER)
		return frame < ev->nr_frames && ev->frames[frame] ? ev->frames[frame]->lines : NULL;
	return stack_place(t, ev, stack, frame, &wanted) ? frames_get(later_frames(t->later), &wanted)->lines : NULL;
}

/* Names come from files that anybody can make. */
static void add_name(struct buf *out, const char *name)
{
	escape_line(out, name, (uint32_t)strlen(name), '\\');
}

static void add_hex(struct buf *out, const char *before, uint64_t n)
{
	buf_adds(out, before);
	buf_hex(out, n);
}

/* BUILD-ID[+0xOFFSET], or the address. */
static void add_id(struct buf *out, const struct stack *stack, unsigned frame)
{
	unsigned char id[ELF_BUILD_ID];

	if (!stack_frame_id(stack, frame, id)) {
		add_hex(out, "0x", stack->frames[frame]);
		return;
	}
	for (unsigned i = 0; i < sizeof(id); i++)
		buf_addf(out, "%02x", id[i]);
	add_hex(out, "[+0x", stack->frames[frame]);
	buf_addc(out, ']');
}

/* The bytes of a file are not trusted. Backslashes were escaped when the line was made. */
static void add_line(struct buf *out, const struct stack *stack, unsigned frame)
{
	struct stack_line line;

	stack_frame_line(stack, frame, &line);
	for (uint32_t i = 0; i < line.len; i++)
		buf_addc(out, (unsigned char)line.text[i] < ' ' || line.text[i] == 0x7f ? '?' : line.text[i]);
}

static void add_line_name(struct buf *out, const struct stack *stack, unsigned frame)
{
	struct stack_line line;

	stack_frame_line(stack, frame, &line);
	if (line.name_len) {
		buf_add(out, line.text, line.name_len);
	} else if (line.file) {
		buf_addc(out, '[');
		buf_add(out, line.file, line.file_len);
		buf_addc(out, ']');
	} else {
		buf_add(out, line.text, line.len);
	}
}

void stack_put_frame(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct buf *out)
{
	struct user_frame f;

	if (stack->kind == STACK_KERNEL) {
		text_symbol(out, t->ks, stack->frames[frame], true);
	} else if (stack->kind == STACK_USER_TEXT) {
		add_line(out, stack, frame);
	} else if (stack->kind == STACK_USER_IDS) {
		add_id(out, stack, frame);
	} else if (!stack_user_frame(t, ev, stack, frame, &f)) {
		add_hex(out, "0x", stack->frames[frame]);
	} else if (f.symbol) {
		add_name(out, f.symbol->name);
		add_hex(out, "+0x", f.off - f.symbol->addr);
		add_hex(out, "/0x", f.symbol->size);
		buf_adds(out, " [");
		add_name(out, f.path);
		buf_addc(out, ']');
	} else {
		add_name(out, f.path);
		add_hex(out, "[+0x", f.off);
		buf_addc(out, ']');
	}
}

void stack_put_name(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct buf *out)
{
	struct user_frame f;

	if (stack->kind == STACK_KERNEL)
		text_symbol(out, t->ks, stack->frames[frame], false);
	else if (stack->kind == STACK_USER_TEXT)
		add_line_name(out, stack, frame);
	else if (stack->kind == STACK_USER_IDS)
		add_id(out, stack, frame);
	else if (!stack_user_frame(t, ev, stack, frame, &f))
		add_hex(out, "0x", stack->frames[frame]);
	else if (f.symbol)
		buf_adds(out, f.symbol->name);
	else
		buf_addf(out, "[%s]", f.path);
}

unsigned stack_nr_lines(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame)
{
	const struct lines_frames *lines = stack_frame_lines(t, ev, stack, frame);

	return lines ? lines->nr : 1;
}

void stack_put_line(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, unsigned n, struct buf *out)
{
	const struct lines_frames *lines = stack_frame_lines(t, ev, stack, frame);
	bool is_inlined = lines && n + 1 < lines->nr;

	buf_adds(out, " => ");
	if (is_inlined)
		add_name(out, lines->all[n].function);
	else
		stack_put_frame(t, ev, stack, frame, out);
	if (!lines)
		return;
	buf_addc(out, ' ');
	add_name(out, lines->all[n].file);
	if (lines->all[n].line)
		buf_addf(out, ":%u", lines->all[n].line);
	else
		buf_adds(out, ":?");
	if (is_inlined)
		buf_adds(out, " (inlined)");
}

void stack_put_lines(const struct text *t, const struct event *ev, const struct stack *stack, struct buf *out)
{
	for (unsigned i = 0; i < stack->nr; i++) {
		unsigned nr = stack_nr_lines(t, ev, stack, i);

		for (unsigned n = 0; n < nr; n++) {
			stack_put_line(t, ev, stack, i, n, out);
			buf_addc(out, '\n');
		}
	}
}
