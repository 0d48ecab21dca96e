// SPDX-License-Identifier: GPL-2.0-only
/*
 * programs.cc - a C++ program to be probed, for programs.guest: names with parameters, overloads, templates, exceptions
 *
 *	pwx N		calls each function N times, and throws and catches N exceptions
 */
#include <cstdlib>

#define PROBED __attribute__((noinline, noclone, used))

static volatile long sink;
static const char text[] = "text";

namespace net {

class Socket {
	long fd;
public:
	explicit Socket(long n);
	PROBED long read(char *to, unsigned long n);
	PROBED long read(int n);
	PROBED long write(const char *from, int n) const;
	PROBED bool operator==(const Socket &other) const;
};

PROBED Socket::Socket(long n) : fd(n) { sink = n; }

long Socket::read(char *to, unsigned long n)
{
	*to = 'x';
	return fd + static_cast<long>(n);
}

long Socket::read(int n) { return sink = fd - n; }
long Socket::write(const char *from, int n) const { return sink = fd + n + *from; }
bool Socket::operator==(const Socket &other) const { return fd == other.fd + sink; }

template <typename T> PROBED T twice(T value) { sink = static_cast<long>(value); return value + value; }

}

template <typename A, typename B> struct Pair {
	A a;
	B b;
	PROBED long sum(long n) const { return sink = a + b + n; }
};

namespace {
PROBED long hidden(long n) { return sink = n * 3; }
}

PROBED static long local(long n) { return sink = n * 2; }

PROBED static void throws(long n)
{
	if (n)
		throw n;
}

int main(int argc, char **argv)
{
	char byte;

	/* Before a probe reads it: a probe on 5.10 cannot read a page that nobody has touched. */
	sink = *const_cast<const volatile char *>(text);
	for (long i = 1; i <= (argc > 1 ? atol(argv[1]) : 1); i++) {
		net::Socket socket(i);

		socket.read(&byte, 10);
		socket.read(static_cast<int>(i));
		socket.write(text, 3);
		sink = socket == socket;
		Pair<int, long>{ 1, 2 }.sum(i);
		net::twice<int>(21);
		net::twice<long>(42);
		local(i);
		hidden(i);
		try {
			throws(i);
		} catch (long n) {
			sink = n;
		}
	}
	return 0;
}
