// SPDX-License-Identifier: GPL-2.0-only
//
// reference.cc - a class that C++ passes as the address of a copy, and one that it passes in a register; references; two functions with one
// name: for oracle-programs.guest
struct T { int a; T(); T(const T &); ~T(); };
struct P { int a, b; };
T::T() : a(1) {} T::T(const T &o) : a(o.a) {} T::~T() { a = 0; }
volatile int sink;
__attribute__((noinline)) T f(T t, P p, int n) { sink = t.a + p.a + n; return t; }
__attribute__((noinline)) int g(P p, int n) { sink = p.a + n; return n; }
__attribute__((noinline)) int h(const int &n, P &&p, P &q) {
	sink = n + p.b + q.a;
	return n;
}
__attribute__((noinline)) int h(const int &n) {
	sink = n;
	return n;
}
namespace net {
struct Sock { int id; static int made; int send(int n); };
int Sock::made = 19, total = 17;
static volatile int hidden = 18;
__attribute__((noinline)) int Sock::send(int n) { sink = n + id + made + total + hidden; return n; }
template <class T> struct Box { T val; __attribute__((noinline)) T twice(T by) { sink = (int)by; return val * by; } };
}
int main() { net::Sock s = { 21 }; s.send(33); net::Box<short> b = { 4 }; b.twice(5); net::Box<long> c = { 6 }; c.twice(7); P r = { 11, 12 }; int n = -41; h(n, P{ 3, -4 }, r); n = 1000; h(n); P q = { 7, 8 }; g(q, 99); T t; P p = { 5, 6 }; f(t, p, 77); return 0; }
