// SPDX-License-Identifier: GPL-2.0-only
/*
 * traced.cc - as traced.c, with what C++ has more: names in namespaces and classes, templates, references, and classes that a call passes by their
 * addresses. tests/long/fuzz.sh compiles it; nothing runs it.
 */
typedef float four __attribute__((vector_size(16)));

volatile int sink;

namespace net {

struct base {
	int id;
	virtual ~base();
};

struct derived : base {
	int more : 5, rest : 27;
	int area(int n) const;
	template <typename T> T scaled(T by) const { return (T)more * by; }
};

struct pair : private derived {
	long a;
	char b[2][3];
};

namespace {

__attribute__((noinline)) int hidden(const base &b, int &&n)
{
	sink = b.id + n;
	return sink;
}

}

int derived::area(int n) const
{
	static int calls;

	return hidden(*this, more * n) + ++calls;
}

__attribute__((noinline)) int sum(base *t, int times, unsigned long flags)
{
	auto weigh = [&](int by) { return t->id * by + (int)flags; };
	int all = 0;

	for (int i = 0; i < times; i++)
		sink = all += weigh(i);
	return all;
}

}

struct owner {
	int *p;
	~owner();
};

enum class colour : unsigned char { RED, GREEN = 7 };

static inline __attribute__((always_inline)) int weigh(const net::derived &d, int by)
{
	return d.scaled(by) + (int)d.scaled(1.5);
}

__attribute__((noinline)) long take(net::derived p, owner o, four v, const net::base &r, int (&g)[3], bool yes, colour c, long n, net::pair *t)
{
	const int limit = 5;

	sink = weigh(p, limit) + (yes ? *o.p : r.id) + g[2] + (int)c;
	return n + (long)v[1] + t->a + t->b[1][2] + p.area(3);
}

long entry(net::derived *d, owner *o)
{
	int list[3] = { 1, 2, 3 };
	net::pair pair = net::pair();

	return take(*d, *o, four{ 1, 2 }, *d, list, true, colour::GREEN, net::sum(d, 3, 1), &pair);
}
