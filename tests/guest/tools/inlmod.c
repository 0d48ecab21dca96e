// SPDX-License-Identifier: GPL-2.0-only
/*
 * inlmod.c - the kernel module whose lines and inlined functions inlined.guest traces.
 *
 * It is built with its 50 small functions inlined, and, with -DOUTLINED, with none of them. Both do the same. The comment in front of a
 * function is what is asked for at its entry. No address is asked for: it would differ.
 *
 * Inputs pass through seen(), so the compiler does not know them. It knows no number of turns of a loop either: of a loop that is unrolled,
 * DWARF has one entry for all copies of what was inlined. What is asked for in memory is not written after init, except where barrier() says
 * when. Most functions begin with IN(): the instruction in it is where the parameters are what the function was called with.
 *
 * Lines that are traced have a mark, @ and a name.
 */
#include <linux/module.h>

#ifndef OUTLINED
#define SMALL	static __always_inline
#elif __has_attribute(noipa)
#define SMALL	static __attribute__((noipa))
#else
#define SMALL	static noinline __used		/* anybody may call it, so its parameters stay what they are */
#endif

#define KEEP(x)		__asm__ volatile("" : : "ri"(x) : "memory")
/* An instruction that uses the parameters, first in a function. */
#define IN1(a)			__asm__ volatile("nop" : : "ri"(a) : "memory")
#define IN2(a, b)		__asm__ volatile("nop" : : "ri"(a), "ri"(b) : "memory")
#define IN3(a, b, c)		__asm__ volatile("nop" : : "ri"(a), "ri"(b), "ri"(c) : "memory")
#define IN4(a, b, c, d)		__asm__ volatile("nop" : : "ri"(a), "ri"(b), "ri"(c), "ri"(d) : "memory")
#define IN5(a, b, c, d, e)	__asm__ volatile("nop" : : "ri"(a), "ri"(b), "ri"(c), "ri"(d), "ri"(e) : "memory")
#define IN(args...)		CONCATENATE(IN, COUNT_ARGS(args))(args)
#define seen(x)		({ typeof(x) x_ = (x); __asm__ volatile("" : "+r"(x_)); x_; })

enum colour { RED, GREEN = 7, BLUE = -2 };

struct point { int x, y; };

struct item {
	struct point at;
	char name[16];
	const char *title;
	struct item *next;
	u32 flags : 3, kind : 5, rest : 24;
	s64 deep : 40, low : 5;
	s16 sizes[4];
	u8 bytes[3];
	bool ready;
	enum colour colour;
	union { u64 whole; u16 parts[4]; };
	struct { u32 in; struct point to[2]; } path;
};

static struct item items[3];
static struct item *list[3] = { &items[2], &items[0], &items[1] };
static int grid[2][3] = { { 1, -2, 3 }, { -40, 50, -60 } };
static u64 counter;
static volatile long sink;

/* ---- numbers ---- */

/* value by */
SMALL u8 rotate(u8 value, u8 by)
{
	IN(value, by);
	return value << (by & 7) | value >> (8 - (by & 7));
}

/* v low high */
SMALL s8 clamp8(s8 v, s8 low, s8 high)
{
	IN(v, low, high);
	return v < low ? low : v > high ? high : v;
}

/* half */
SMALL u16 swap16(u16 half)
{
	IN(half);
	return half << 8 | half >> 8;
}

/* a factor */
SMALL s16 scale(s16 a, s16 factor)
{
	IN(a, factor);
	return a * factor / 3;
}

/* a b */
SMALL u32 mix(u32 a, u32 b)
{
	IN(a, b);
	return (a ^ b) * 2654435761u + (a >> 3);
}

/* from to */
SMALL s32 distance(s32 from, s32 to)
{
	IN(from, to);
	return from < to ? to - from : from - to;
}

/* value */
SMALL u64 hash64(u64 value)
{
	IN(value);
	value ^= value >> 31;
	value *= 0x9e3779b97f4a7c15ull;
	return value ^ value >> 29;
}

/* a b */
SMALL s64 middle(s64 a, s64 b)
{
	IN(a, b);
	return (a >> 1) + (b >> 1) + (a & b & 1);
}

/* which a b */
SMALL long choose(bool which, long a, long b)
{
	IN(which, a, b);
	return which ? a - b : a + 2 * b;
}

/* c */
SMALL char upper(char c)
{
	IN(c);
	return c >= 'a' && c <= 'z' ? c - 32 : c;
}

/* colour amount */
SMALL u32 price(enum colour colour, u32 amount)
{
	IN(colour, amount);
	return colour == GREEN ? amount * 3 : colour == BLUE ? amount / 2 : amount;
}

/* n */
SMALL u32 bits_of(unsigned long n)
{
	u32 bits = 0;

	IN(n);
	for (; n; n &= n - 1)
		bits++;
	return bits;
}

/* base exponent */
SMALL u64 power(u64 base, u8 exponent)
{
	u64 result = 1;

	IN(base, exponent);
	while (exponent--)
		result *= base;
	return result;
}

/* a b */
SMALL u32 common(u32 a, u32 b)
{
	IN(a, b);
	while (b) {
		u32 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* a b c */
SMALL s64 mixed(s8 a, u16 b, s32 c)
{
	IN(a, b, c);
	return (s64)a * b - c;
}

/* a b c d */
SMALL u64 pack4(u8 a, u8 b, u16 c, u32 d)
{
	IN(a, b, c, d);
	return (u64)a << 56 | (u64)b << 48 | (u64)c << 32 | d;
}

/* a b c d e */
SMALL long five(u8 a, s16 b, u32 c, s64 d, char e)
{
	IN(a, b, c, d, e);
	return a * b + c - d * e;
}

/* a b c d e */
SMALL long weighted(int a, int b, int c, int d, int e)
{
	IN(a, b, c, d, e);
	return a + 2l * b + 3l * c + 4l * d + 5l * e;
}

/* ---- pointers to structures ---- */

/* s->at.x s->at.y s->name */
SMALL long area(const struct item *s)
{
	IN(s);
	return (long)s->at.x * s->at.y;
}

/* s->name factor s->sizes */
SMALL long weigh(const struct item *s, long factor)
{
	long sum = 0;

	for (int i = 0; i < 4; i++)
		sum += s->sizes[i] * factor;
	return sum;
}

/* s->flags s->kind s->rest */
SMALL u32 flags_of(const struct item *s)
{
	IN(s);
	return s->flags << 8 | s->kind | s->rest;
}

/* deep=s->deep low=s->low extra */
SMALL s64 depth(const struct item *s, s32 extra)
{
	IN(s, extra);
	return s->deep * 3 + s->low + extra;
}

/* s->next->name s->next->at.x steps */
SMALL long follow(const struct item *s, u32 steps)
{
	while (steps--)
		s = s->next;
	return s->at.x;
}

/* s->colour s->ready s->whole */
SMALL u64 state(const struct item *s)
{
	IN(s);
	return s->ready ? s->whole : (u64)s->colour;
}

/* s->parts index */
SMALL u16 part(const struct item *s, u8 index)
{
	IN(s, index);
	return s->parts[index & 3];
}

/* s->path.in s->path.to[1].x s->path.to[1].y */
SMALL long way(const struct item *s)
{
	IN(s);
	return s->path.in + s->path.to[1].x - s->path.to[1].y;
}

/* s->bytes third=s->bytes[2] xor */
SMALL u8 check(const struct item *s, u8 xor)
{
	IN(s, xor);
	return s->bytes[0] ^ s->bytes[1] ^ s->bytes[2] ^ xor;
}

/* one->kind others=other->kind next=one->next->kind */
SMALL int compare(const struct item *one, const struct item *other)
{
	IN(one, other);
	return (int)one->kind - (int)other->kind + (int)one->next->flags;
}

/* (*where)->name (*where)->at.y */
SMALL int second(struct item **where)
{
	IN(where);
	return (*where)->at.y - where[0]->at.x;
}

/* p->x p->y by */
SMALL long stretch(const struct point *p, int by)
{
	IN(p, by);
	return (long)p->x * by + p->y;
}

/* ---- strings and arrays ---- */

/* text:string */
SMALL u32 length(const char *text)
{
	u32 n = 0;

	IN(text);
	while (text[n])
		n++;
	return n;
}

/* text:string limit first=text[0] */
SMALL u32 sum_text(const char *text, u32 limit)
{
	u32 sum = 0;

	IN(text, limit);
	for (u32 i = 0; i < limit && text[i]; i++)
		sum = sum * 31 + text[i];
	return sum;
}

/* text:string c */
SMALL int find(const char *text, char c)
{
	IN(text, c);
	for (int i = 0; text[i]; i++)
		if (text[i] == c)
			return i;
	return -1;
}

/* a:string b:string */
SMALL int order(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a - *b;
}

/* v0=v[0] v2=v[2] n */
SMALL long total(const int *v, u32 n)
{
	long sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

/* a0=a[0] b1=b[1] a3=a[3] n */
SMALL long dot(const s16 *a, const s16 *b, u32 n)
{
	long sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* above=cells[0][1] below=cells[1][2] row column */
SMALL int cell(int (*cells)[3], u32 row, u32 column)
{
	IN(cells, row, column);
	return cells[row & 1][column % 3];
}

/* d0=data[0] d1=data[1] d2=data[2] size */
SMALL u16 checksum(const u8 *data, size_t size)
{
	u16 sum = 0xffff;

	IN(data, size);
	while (size--)
		sum = sum * 17 ^ *data++;
	return sum;
}

/* digits:string base first=digits[0] */
SMALL long number(const char digits[3], u8 base)
{
	IN(digits, base);
	return ((digits[0] & 15) * base + (digits[1] & 15)) * base + (digits[2] & 15);
}

/* step counter */
SMALL u64 count(u64 step)
{
	IN(step);
	return counter * step + step;
}

/* ---- what calls others ---- */

/* v */
SMALL u32 half(u32 v)
{
	IN(v);
	return v / 2 + (v & 1);
}

/* v by */
SMALL u32 quarter(u32 v, u8 by)
{
	IN(v, by);
	return half(v * by) ^ half(v + by);
}

/* v s->kind */
SMALL u64 eighth(u64 v, const struct item *s)
{
	return v * quarter((u32)v + s->kind, s->bytes[0]);
}

/* s->name level */
SMALL long inner(const struct item *s, s16 level)
{
	IN(s, level);
	return s->sizes[level & 3] * level;
}

/* s->kind level */
SMALL long outer(const struct item *s, s16 level)
{
	long sum = 0;

	for (s16 i = 0; i < seen(2); i++)
		sum += inner(s, level + i) - s->at.y;
	return sum;
}

/* s->at.x low high */
SMALL int inside(const struct item *s, int low, int high)
{
	IN(s, low, high);
	return s->at.x >= low && s->at.x < high ? distance(s->at.x, low) : -1;
}

/* s->name c */
SMALL int has_letter(const struct item *s, char c)
{
	int at = find(s->name, c);

	return at < 0 ? find(s->title, upper(c)) : at * 100;
}

/* ---- structures as parameters ---- */

/* p.x p.y */
SMALL long norm(struct point p)
{
	IN(p.x, p.y);
	return (long)p.x * p.x + (long)p.y * p.y;
}

/* p.y q.x */
SMALL long between(struct point p, struct point q)
{
	IN(p.x, p.y, q.x, q.y);
	return (long)(p.x - q.x) * (p.y - q.y);
}

/* c n s->low */
SMALL long last(char c, s32 n, const struct item *s)
{
	IN(c, n, s);
	return c * n + s->low;
}

/*
 * ---- what no instruction holds at its entry ----
 *
 * The parameters of these two change in the first instruction, or before it: what they are is known only from the view of the entry
 * (DW_AT_GNU_entry_view, DW_AT_GNU_locviews).
 */

static __always_inline u64 drain(u64 base, u8 left)
{
	u64 result = 1;

	while (left--)
		result *= base;
	return result;
}

static __always_inline u8 turned(u8 value, u8 by)
{
	KEEP(value);
	return value << (by & 7) | value >> (8 - (by & 7));
}

/* ---- who calls them ---- */

static noinline void numbers(struct item *s, u32 turn)
{
	u32 word = seen(turn * 0x01020304 + 0x80);
	s32 around = seen((s32)turn * 1000 - 1500);
	u8 small = seen((u8)(200 + turn));
	s64 big = seen(-5000000000ll - turn);

	sink += rotate(small, seen(s->bytes[1]));		/* @numbers */
	sink += rotate(seen((u8)word), 3);
	sink += clamp8(seen((s8)around), -20, 20);
	sink += swap16(seen((u16)word));
	sink += scale(seen((s16)around), seen(s->sizes[1]));
	sink += mix(word, turn);
	sink += mix(seen(turn + 9), seen(word >> 1));
	sink += distance(around, seen(s->at.x));
	sink += hash64(big);
	for (u64 i = 1; i < seen(3ull); i++)
		sink += hash64(seen(i));
	sink += middle(big, seen(around + 7ll));
	sink += choose(seen(s->ready), around, big);
	sink += choose(seen((bool)!s->ready), seen(11l), seen(-12l));
	sink += upper(seen(s->name[0]));
	sink += price(seen(s->colour), word);
	sink += price(seen(BLUE), 9);
	KEEP(s);
	KEEP(word);
	KEEP(around);
	KEEP(small);
	KEEP(big);					/* @numbers_end */
}

static noinline long more_numbers(struct item *s, u32 turn, char letter)
{
	long result = 0;

	result += bits_of(seen(0xff0ful + turn));
	result += power(seen(3 + turn), seen(s->bytes[2]));
	result += drain(seen(3 + turn), s->bytes[2]);
	result += common(seen(turn * 12 + 36), seen(48u));
	for (u16 i = 0; i < seen(3); i++) {
		result += mixed(seen((s8)(s->bytes[0] - 100)), seen((u16)(65000 + i)), seen(s->at.y));
		KEEP(i);				/* @loop */
		KEEP(result);
	}
	result += pack4(seen(s->bytes[0]), seen((u8)turn), seen((u16)60000), seen(0xfedcba98));
	result += five(seen((u8)250), seen(s->sizes[0]), seen(4000000000u), seen(-77ll - turn), letter);
	result += five(seen(s->bytes[1]), seen((s16)-300), turn, seen((s64)s->deep), 'q');
	result += weighted(seen(-1), seen(s->at.x), seen(s->at.y), seen((int)turn), seen(1 << 30));
	result += mix(seen(5u), turn);
	result += last(letter, seen(-3 - (int)turn), s);
	return seen(result);				/* @more */
}

static noinline void structures(struct item *s, u32 turn)
{
	struct item *other = seen(s->next);
	long local = seen(area(s));

	sink += area(other);
	sink += weigh(s, seen(turn + 2l));
	for (long factor = seen(3l); factor; factor--)
		sink += weigh(other, seen(factor));
	sink += flags_of(s);
	sink += flags_of(other);
	sink += depth(s, seen(-9));
	sink += depth(other, seen((s32)turn));
	sink += follow(s, turn);
	sink += state(s);
	sink += part(s, turn);
	sink += way(s);
	sink += way(other->next);
	sink += check(s, seen((u8)0x5a));
	sink += compare(s, other);
	sink += compare(other, s);
	sink += second(seen(&list[turn % 3]));
	sink += stretch(&s->at, seen(turn - 4));
	sink += stretch(&s->path.to[1], 5);
	KEEP(local);					/* @structures */
	KEEP(other);
	KEEP(s);
	KEEP(turn);
}

static noinline void arrays(struct item *s, u32 turn)
{
	int (*cells)[3] = seen(&grid[0]);
	const char *capital = "Square", *digits = "123";

	sink += length(s->name);
	sink += length(s->title);
	sink += sum_text(s->title, seen(turn + 1));
	sink += find(s->name, seen('r'));
	sink += order(s->name, s->next->name);
	sink += order(s->title, seen(capital));
	sink += total(cells[0], seen(3u));
	sink += total(cells[1], seen(turn + 1));
	sink += dot(s->sizes, s->next->sizes, seen(4u));
	sink += cell(cells, turn, seen(2u));
	sink += checksum(s->bytes, sizeof(s->bytes));
	for (u32 i = 0; i < seen(2u); i++)
		sink += checksum(seen(&s->bytes[0]), seen(i + 1ul));
	sink += number(seen(digits), seen((u8)(10 + turn)));
	counter += turn;
	barrier();
	sink += count(seen(turn + 1ull));
	KEEP(cells);					/* @arrays */
	KEEP(s);
	KEEP(turn);
}

static noinline long nested(struct item *s, u32 turn)
{
	long sum = half(seen(turn + 101));

	sum += quarter(seen(turn + 7), seen((u8)9));
	sum += eighth(seen(1000000007ull + turn), s);
	sum += inner(s, seen((s16)-7));
	sum += outer(s, seen((s16)(turn + 1)));
	sum += inside(s, seen(-5), seen(35));
	sum += inside(s->next, seen(31), seen((int)turn));
	sum += has_letter(s, seen('e'));
	sum += norm(s->at);
	sum += between(s->at, s->path.to[0]);
	sum += mix(seen(turn), 77);
	sum += distance(seen((int)turn), seen(-8));
	return seen(sum);
}

static noinline void views(struct item *s, u32 turn)
{
	sink += turned(seen((u8)(turn + 1)), seen((u8)(3 - turn)));
}

static void setup(void)
{
	static const struct item values[3] = {
		{ .at = { 1, -2 }, .name = "square", .title = "Four of them", .flags = 5, .kind = 17, .rest = 0xabcdef, .deep = -7000000000, .low = -3,
		  .sizes = { 1, 2, 3, 4 }, .bytes = { 7, 130, 3 }, .ready = true, .colour = BLUE, .whole = 0x8877665544332211ull,
		  .path = { 3000000000u, { { 6, 7 }, { -8, 9 } } } },
		{ .at = { 30, 40 }, .name = "circle", .title = "SQUARE", .flags = 1, .kind = 2, .rest = 0x800000, .deep = 400000000000, .low = 15,
		  .sizes = { -1, -2, -3, -4 }, .bytes = { 200, 2, 6 }, .colour = GREEN, .whole = 0xffff0000ffff0001ull,
		  .path = { 5, { { -60, 70 }, { 80, -90 } } } },
		{ .at = { -5, 1000000 }, .name = "r", .title = "", .flags = 7, .kind = 31, .rest = 1, .deep = -1, .low = -16,
		  .sizes = { 32767, -32768, 0, 5 }, .bytes = { 0, 255, 1 }, .ready = true, .colour = RED, .whole = 12,
		  .path = { 0, { { 1, 2 }, { 3, 4 } } } },
	};

	for (int i = 0; i < 3; i++) {
		items[i] = values[i];
		items[i].next = &items[(i + 1) % 3];
	}
}

/* A symbol, and inlined where this file calls it. */
#ifdef OUTLINED
noinline
#endif
long both(struct item *s, int n);
long both(struct item *s, int n)
{
	IN2(s, n);
	return s->at.x * 3 + n;
}

static long (*const volatile both_elsewhere)(struct item *s, int n) = both;

/* 10, 20 and 30 more than the turn: inlined, by the symbol, inlined. */
static noinline long callers(struct item *s, u32 turn)
{
	long sum = both(s, seen((int)turn + 10));

	sum += both_elsewhere(s, seen((int)turn + 20));
	return sum + both(s->next, seen((int)turn + 30));
}

/* Written N: what is called gets items[turn % 3] for turn 0 to N - 1. */
static int run(const char *value, const struct kernel_param *param)
{
	struct item *all = seen(&items[0]);
	u32 turns;
	int error = kstrtou32(value, 0, &turns);

	if (error)
		return error;
	counter = 100;
	barrier();
	for (u32 turn = 0; turn < turns; turn++) {
		struct item *s = seen(&all[turn % 3]);

		numbers(s, turn);
		sink += more_numbers(s, turn, seen((char)('a' + turn)));
		structures(s, turn);
		arrays(s, turn);
		sink += nested(s, turn);
		views(s, turn);
		sink += callers(s, turn);
	}
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = run };
module_param_cb(run, &run_ops, NULL, 0200);

static int __init inlmod_init(void)
{
	setup();
	return 0;
}

static void __exit inlmod_exit(void)
{
}

module_init(inlmod_init);
module_exit(inlmod_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("what inlined.guest traces");
