// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_registry.c - owners in processes of their own, asked, stopped and killed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "registry/registry.h"
#include "tap.h"

static char dir[] = "/tmp/bprobe-registry.XXXXXX";

/* ---- an owner: has "p:NAME f", and with @big a list longer than a socket holds ---- */

struct owner {
	const char *name;
	bool big, gone;
};

static void list_one(void *ctx, struct buf *out)
{
	const struct owner *o = ctx;

	if (!o->gone)
		buf_addf(out, "p:%s f  # running\n", o->name);
	for (unsigned i = 0; o->big && i < 100000; i++)
		buf_addf(out, "p:many/probe_%05u some_function\n", i);
}

static int remove_one(void *ctx, const char *name, struct buf *why)
{
	struct owner *o = ctx;

	if (!strcmp(name, "forbidden")) {
		buf_adds(why, "cannot be removed now");
		return -EBUSY;
	}
	if (o->gone || strcmp(name, o->name))
		return 0;
	o->gone = true;
	return 1;
}

static struct registry *open_owner(struct owner *o)
{
	struct registry_ops ops = { .list = list_one, .remove = remove_one, .ctx = o };
	struct registry *r = NULL;
	struct diag d = { 0 };

	if (registry_open(dir, &ops, &r, &d)) {
		printf("# %s\n", buf_str(&d.msg));
		exit(1);
	}
	return r;
}

/* Runs until its probe is removed (exit 0) or it is killed. */
static void own(struct owner *o, int ready)
{
	struct registry *r = open_owner(o);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	while (!o->gone) {
		struct pollfd pfd = { .fd = registry_fd(r), .events = POLLIN };

		poll(&pfd, 1, -1);
		registry_serve(r);
	}
	registry_close(r);
	_exit(0);
}

static pid_t spawn(const char *name, bool big)
{
	struct owner o = { .name = name, .big = big };
	int ready[2];
	pid_t pid;
	char c;

	fflush(stdout);
	if (pipe(ready))
		exit(1);
	pid = fork();
	if (!pid)
		own(&o, ready[1]);
	close(ready[1]);
	if (pid < 0 || read(ready[0], &c, 1) != 1)
		exit(1);
	close(ready[0]);
	return pid;
}

static int reap(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	reap(pid);
}

/* ---- looking ---- */

static unsigned files(const char *suffix)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name), end_len = strlen(suffix);

		n += e->d_name[0] != '.' && len >= end_len && !strcmp(e->d_name + len - end_len, suffix);
	}
	if (d)
		closedir(d);
	return n;
}

static int list(struct buf *out, struct diag *d)
{
	buf_reset(out);
	return registry_list(dir, out, d);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* A client that need not follow the rules, connected to the owner's socket. */
static int connect_to(pid_t pid)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/%d.sock", dir, (int)pid);
	if (connect(fd, (const struct sockaddr *)&addr, sizeof(addr))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* What comes back until the owner closes; at most @size - 1 bytes. */
static size_t talk(int fd, const char *request, size_t len, char *reply, size_t size)
{
	size_t got = 0;
	ssize_t n = send(fd, request, len, MSG_NOSIGNAL);

	while (n >= 0 && got < size - 1) {
		n = recv(fd, reply + got, size - 1 - got, 0);
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	reply[got] = '\0';
	return got;
}

/* ---- cases ---- */

static void test_none(void)
{
	struct buf out = { 0 };
	struct diag d = { 0 };

	CHECK(registry_list("/tmp/bprobe-is-not-there", &out, &d) == 0 && !out.len,
	      "no directory: no bprobe runs");
	CHECK(registry_remove("/tmp/bprobe-is-not-there", "x", &d) == 0, "and nothing is removed");
	CHECK(list(&out, &d) == 0 && !out.len, "an empty directory");
	buf_fini(&out);
	diag_fini(&d);
}

static void test_two(void)
{
	pid_t one = spawn("one", false), two = spawn("two", false);
	struct buf out = { 0 };
	struct diag d = { 0 };

	CHECK(list(&out, &d) == 0 && strstr(buf_str(&out), "p:one f  # running\n") &&
	      strstr(buf_str(&out), "p:two f  # running\n"), "two owners are listed");
	CHECK(registry_remove(dir, "three", &d) == 0, "a name that none has");
	CHECK(registry_remove(dir, "forbidden", &d) == -EBUSY &&
	      strstr(buf_str(&d.msg), "cannot be removed now") && d.notes.len,
	      "a refusal comes with its reason, from both");
	CHECK(registry_remove(dir, "one", &d) == 1 && reap(one) == 0, "one is removed and ends");
	CHECK(list(&out, &d) == 0 && !strcmp(buf_str(&out), "p:two f  # running\n"),
	      "the other stays");
	CHECK(files(".lock") == 1 && files(".sock") == 1, "the files of the first are gone");
	end(two);
	CHECK(files("") == 2, "a killed owner leaves its files");
	CHECK(list(&out, &d) == 0 && !out.len && files("") == 0, "the next who asks removes them");
	buf_fini(&out);
	diag_fini(&d);
}

static void test_names(void)
{
	char longest[REGISTRY_NAME_MAX + 2];
	pid_t pid = spawn("n", false), owner;
	struct diag d = { 0 };

	memset(longest, 'a', sizeof(longest));
	longest[REGISTRY_NAME_MAX] = '\0';
	CHECK(registry_remove(dir, longest, &d) == 0, "the longest name");
	owner = spawn(longest, false);
	CHECK(registry_remove(dir, longest, &d) == 1 && reap(owner) == 0, "... reaches its owner whole");
	longest[REGISTRY_NAME_MAX] = 'a';
	longest[REGISTRY_NAME_MAX + 1] = '\0';
	CHECK(registry_remove(dir, longest, &d) == -EINVAL, "one byte more");
	CHECK(registry_remove(dir, "n\nlist", &d) == -EINVAL, "a newline in a name");
	CHECK(registry_remove(dir, "", &d) == -EINVAL, "no name");
	CHECK(registry_remove(dir, "n", &d) == 1 && reap(pid) == 0, "still there after all this");
	diag_fini(&d);
}

/* The next owner removes what dead owners left, also one with its own number. */
static void test_stale(void)
{
	char path[128];
	struct owner o = { .name = "here" };
	struct registry *r, *second;
	struct stat st;
	pid_t pid = spawn("dead", false);
	int fd;

	end(pid);
	snprintf(path, sizeof(path), "%s/%d.sock", dir, (int)getpid());
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	snprintf(path, sizeof(path), "%s/%d.lock", dir, (int)getpid());
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	r = open_owner(&o);
	CHECK(files("") == 2 && !stat(path, &st) && (st.st_mode & 07777) == 0600,
	      "what dead owners left is gone, the lock has mode 0600");
	snprintf(path, sizeof(path), "%s/%d.sock", dir, (int)getpid());
	CHECK(!stat(path, &st) && S_ISSOCK(st.st_mode) && (st.st_mode & 07777) == 0600,
	      "the socket has mode 0600");
	second = open_owner(&o);
	CHECK(files(".lock") == 2, "two owners of one number have two names");
	registry_close(second);
	registry_close(r);
	registry_close(NULL);
	CHECK(files("") == 0, "closed, nothing is left");
}

static void test_long_list(void)
{
	pid_t pid = spawn("big", true);
	struct buf out = { 0 };
	struct diag d = { 0 };
	char reply[64];
	int fd;

	CHECK(list(&out, &d) == 0 && out.len > 3000000 &&
	      !strcmp(out.data + out.len - 14, "some_function\n"), "a list of megabytes");
	/* A client reads a part and goes away: the owner must survive that. */
	fd = connect_to(pid);
	talk(fd, "list\n", 5, reply, sizeof(reply));
	close(fd);
	CHECK(list(&out, &d) == 0 && out.len > 3000000, "again, after one hung up in the middle");
	CHECK(registry_remove(dir, "big", &d) == 1 && reap(pid) == 0, "and it ends as told");
	buf_fini(&out);
	diag_fini(&d);
}

static void test_rubbish(void)
{
	pid_t pid = spawn("r", false);
	struct diag d = { 0 };
	char reply[256], flood[4096];
	int fd;

	memset(flood, 'x', sizeof(flood));
	fd = connect_to(pid);
	CHECK(talk(fd, flood, sizeof(flood), reply, sizeof(reply)) == 0, "a flood is hung up on");
	close(fd);
	fd = connect_to(pid);
	talk(fd, "dance\n", 6, reply, sizeof(reply));
	CHECK(!strncmp(reply, "-95 ", 4) && strstr(reply, "version"), "an unknown request is told so");
	close(fd);
	fd = connect_to(pid);
	CHECK(talk(fd, "remove r\nlist\n", 14, reply, sizeof(reply)) == 0, "two requests are none");
	close(fd);
	fd = connect_to(pid);
	CHECK(talk(fd, "remove \n", 8, reply, sizeof(reply)) && reply[0] == '-', "no name");
	close(fd);
	close(connect_to(pid));
	CHECK(registry_remove(dir, "r", &d) == 1 && reap(pid) == 0, "the owner lives on");
	diag_fini(&d);
}

/* More silent clients than the owner has places: a client that asks is served nevertheless. */
static void test_stalled(void)
{
	pid_t pid = spawn("s", false);
	struct buf out = { 0 };
	struct diag d = { 0 };
	unsigned hung_up = 0;
	int fds[40];
	char c;

	for (unsigned i = 0; i < 40; i++) {
		fds[i] = connect_to(pid);
		if (send(fds[i], "li", 2, MSG_NOSIGNAL) < 0)
			hung_up++;
	}
	CHECK(list(&out, &d) == 0 && !strcmp(buf_str(&out), "p:s f  # running\n"),
	      "40 clients that stall keep no other client out");
	for (unsigned i = 0; i < 40; i++) {
		hung_up += recv(fds[i], &c, 1, 0) <= 0;
		close(fds[i]);
	}
	CHECK(hung_up >= 40, "and are hung up on");
	end(pid);
	buf_fini(&out);
	diag_fini(&d);
}

static void test_stopped(void)
{
	pid_t one = spawn("one", false), two = spawn("two", false);
	struct buf out = { 0 };
	struct diag d = { 0 };
	double start;

	kill(one, SIGSTOP);
	start = seconds();
	CHECK(list(&out, &d) == -ETIMEDOUT && !strcmp(buf_str(&out), "p:two f  # running\n"),
	      "a stopped owner: the rest is listed");
	CHECK(strstr(buf_str(&d.msg), "does not answer") && strstr(buf_str(&d.notes), "kill -CONT"),
	      "and it is named, with what to do");
	CHECK(registry_remove(dir, "one", &d) == -ETIMEDOUT, "nothing can be removed from it");
	CHECK(seconds() - start < 6, "in bounded time");
	kill(one, SIGCONT);
	CHECK(list(&out, &d) == 0 && strstr(buf_str(&out), "p:one f"),
	      "once it goes on, it does not do what it was asked before");
	end(one);
	end(two);
	CHECK(list(&out, &d) == 0 && files("") == 0, "both gone");
	buf_fini(&out);
	diag_fini(&d);
}

/* A lock file that somebody removes between open and flock does not count. */
static void test_races(void)
{
	enum { OWNERS = 8, ROUNDS = 20 };
	struct buf out = { 0 };
	struct diag d = { 0 };
	unsigned failed = 0;
	pid_t pids[OWNERS];

	fflush(stdout);
	for (unsigned i = 0; i < OWNERS; i++) {
		pids[i] = fork();
		for (unsigned k = 0; !pids[i] && k < ROUNDS; k++) {
			struct owner o = { .name = "race" };
			struct registry *r = open_owner(&o);

			if (k < ROUNDS - 1)
				registry_close(r);
		}
		if (!pids[i])
			_exit(0);		/* the last one is left as a killed owner leaves it */
	}
	/* These owners never answer. On a busy machine one may be there for longer than a list waits. */
	for (unsigned i = 0; i < 50; i++) {
		int err = list(&out, &d);

		failed += err && err != -ETIMEDOUT;
	}
	for (unsigned i = 0; i < OWNERS; i++)
		failed += reap(pids[i]) != 0;
	CHECK(!failed, "owners that come and go while others look");
	CHECK(list(&out, &d) == 0 && files("") == 0, "and nothing is left of them");
	buf_fini(&out);
	diag_fini(&d);
}

static void check_refused(const char *path, int err, const char *what)
{
	struct owner o = { .name = "x" };
	struct registry_ops ops = { .list = list_one, .remove = remove_one, .ctx = &o };
	struct registry *r = NULL;
	struct buf out = { 0 };
	struct diag d = { 0 };
	int got = registry_open(path, &ops, &r, &d);

	CHECK(got == err && !r && d.msg.len && d.notes.len, "%s: refused with help (%s)", what,
	      buf_str(&d.msg));
	registry_close(r);
	if (err != -ENOENT)
		CHECK(registry_list(path, &out, &d) == err, "%s: not asked either", what);
	buf_fini(&out);
	diag_fini(&d);
}

static void check_made(void)
{
	struct owner o = { .name = "made" };
	struct registry_ops ops = { .list = list_one, .remove = remove_one, .ctx = &o };
	struct registry *r = NULL;
	struct diag d = { 0 };
	struct stat st;
	char path[128];

	snprintf(path, sizeof(path), "%s/made", dir);
	umask(0);
	CHECK(!registry_open(path, &ops, &r, &d) && !stat(path, &st) &&
	      (st.st_mode & 07777) == 0700, "a new directory has mode 0700");
	registry_close(r);
	rmdir(path);
	diag_fini(&d);
}

static void test_directories(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/not/there", dir);
	check_refused(path, -ENOENT, "no parent");
	snprintf(path, sizeof(path), "%s/open", dir);
	mkdir(path, 0700);
	chmod(path, 0777);
	check_refused(path, -EPERM, "writable by others");
	if (!geteuid()) {
		chmod(path, 0700);
		if (!chown(path, 65534, 65534))
			check_refused(path, -EPERM, "somebody else's");
	} else {
		TAP_SKIP("a directory of somebody else's: needs root to make");
	}
	rmdir(path);
	if (symlink("/tmp", path))
		exit(1);
	check_refused(path, -ENOTDIR, "a symbolic link");
	unlink(path);
	check_made();
}

int main(void)
{
	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	test_none();
	test_two();
	test_names();
	test_stale();
	test_long_list();
	test_rubbish();
	test_stalled();
	test_stopped();
	test_races();
	test_directories();
	rmdir(dir);
	return tap_done();
}
