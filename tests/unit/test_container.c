// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_container.c - containers by the paths that their programs make, and the table of cgroups.
 *
 * The paths are from the programs' documents: moby (daemon/oci_linux.go), containerd/cri and Kubernetes (pkg/kubelet/cm/cgroup_manager_linux.go),
 * CRI-O and podman with both cgroup drivers, LXC, systemd.
 */
#include "kernel/cgroup/cgroups.h"
#include "kernel/cgroup/container.h"
#include "tap.h"

#include <string.h>

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER	"fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define POD	"8f6c5b1e-2c1a-4b6e-9d3f-0a1b2c3d4e5f"
#define POD_	"8f6c5b1e_2c1a_4b6e_9d3f_0a1b2c3d4e5f"

static bool is(struct container_part p, const char *want)
{
	return want ? p.text && p.len == strlen(want) && !memcmp(p.text, want, p.len) : !p.text;
}

static void test_paths(void)
{
	static const struct { const char *path, *runtime, *id, *pod, *unit; } cases[] = {
		{ "/" },
		{ "" },
		{ "/system.slice/docker-" ID ".scope", "docker", ID },
		{ "/docker/" ID, "docker", ID },
		{ "/docker/" ID "/inner", "docker", ID },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_ ".slice/cri-containerd-" ID ".scope", "containerd", ID, POD_ },
		{ "/kubepods.slice/kubepods-pod" POD_ ".slice/cri-containerd-" ID ".scope", "containerd", ID, POD_ },
		{ "/kubepods/besteffort/pod" POD "/" ID, NULL, ID, POD },
		{ "/kubepods/pod" POD "/" ID, NULL, ID, POD },
		{ "/kubepods/burstable/pod0123456789abcdef0123456789abcdef/" ID, NULL, ID, "0123456789abcdef0123456789abcdef" },
		{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_ ".slice/crio-" ID ".scope", "cri-o", ID, POD_ },
		{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_ ".slice/crio-conmon-" ID ".scope", NULL, NULL, POD_,
		  "crio-conmon-" ID ".scope" },
		{ "/kubepods/burstable/pod" POD "/crio-" ID, "cri-o", ID, POD },
		{ "/kubelet/kubepods/pod" POD "/" ID, NULL, ID, POD },
		{ "/k8s.io/" ID, "containerd", ID },
		{ "/system.slice/nerdctl-" ID ".scope", "containerd", ID },
		{ "/machine.slice/libpod-" ID ".scope/container", "podman", ID },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", "podman", ID, NULL, "user@1000.service" },
		{ "/docker/" ID "/docker/" OTHER, "docker", OTHER },
		{ "/docker/" ID "/system.slice/cri-containerd-" OTHER ".scope", "containerd", OTHER },
		{ "/lxc.payload.web/system.slice/nginx.service", "lxc", "web", NULL, "nginx.service" },
		{ "/lxc/web/init.scope", "lxc", "web", NULL, "init.scope" },
		{ "/machine.slice/systemd-nspawn@deb12.service/payload", "systemd-nspawn", "deb12" },
		{ "/machine.slice/machine-deb12.scope", "systemd-nspawn", "deb12" },
		{ "/machine.slice/machine-my\\x2ddeb.scope", "systemd-nspawn", "my\\x2ddeb" },
		{ "/machine.slice/machine-lxc\\x2d12\\x2dweb.scope", "lxc", "12\\x2dweb" },
		{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/emulator", NULL, NULL, NULL, "machine-qemu\\x2d1\\x2dvm.scope" },
		{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod" POD_ ".slice/cri-containerd-" ID
		  ".scope", "containerd", ID, POD_ },
		{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" POD_ ".slice/cri-containerd-" ID ".scope", "containerd", ID, POD_ },
		{ "/system.slice/ssh.service", NULL, NULL, NULL, "ssh.service" },
		{ "/system.slice/system-getty.slice/getty@tty1.service", NULL, NULL, NULL, "getty@tty1.service" },
		{ "/user.slice/user-1000.slice/session-3.scope", NULL, NULL, NULL, "session-3.scope" },
		{ "/init.scope", NULL, NULL, NULL, "init.scope" },
		/* What is not quite one. */
		{ "/system.slice/docker-0123.scope", NULL, NULL, NULL, "docker-0123.scope" },
		{ "/docker/" ID "0" },
		{ "/docker/X123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" },
		{ "/podman/pod" },
		{ "/kubepods-podx.slice" },
		{ "/lxc" },
		{ "//docker//" ID "//", "docker", ID },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct container c = container_of_path(cases[i].path);
		bool right = (cases[i].runtime ? c.runtime && !strcmp(c.runtime, cases[i].runtime) : !c.runtime) && is(c.id, cases[i].id) &&
			     is(c.pod, cases[i].pod) && is(c.unit, cases[i].unit);

		CHECK(right, "%s", cases[i].path);
	}
}

static void test_table(void)
{
	struct cgroups *all = cgroups_new();
	unsigned wrong = 0;
	char path[40];

	CHECK(!cgroups_find(all, 1), "an empty table knows nothing");
	cgroups_learn(all, 7, "/a");
	CHECK(!strcmp(cgroups_find(all, 7)->path, "/a") && cgroups_find(all, 7)->id == 7, "a number has its path");
	buf_adds(&cgroups_find(all, 7)->text, "x");
	cgroups_learn(all, 7, "/a");
	CHECK(cgroups_find(all, 7)->text.len == 1, "the same path again changes nothing");
	cgroups_learn(all, 7, "/b");
	CHECK(!strcmp(cgroups_find(all, 7)->path, "/b") && !cgroups_find(all, 7)->text.len, "a number that is given again gets the new path");
	for (uint64_t id = 100; id < 100 + CGROUPS_MOST - 1; id++) {
		snprintf(path, sizeof(path), "/%llu", (unsigned long long)id);
		cgroups_learn(all, id << 32 | id, path);
	}
	CHECK(cgroups_find(all, 7), "%u are remembered", CGROUPS_MOST);
	cgroups_learn(all, 8, "/one more");
	CHECK(!cgroups_find(all, 7) && cgroups_find(all, 8), "with one more the first one is forgotten");
	for (uint64_t id = 1000000; id < 1000000 + 3ull * CGROUPS_MOST; id++) {
		snprintf(path, sizeof(path), "/%llu", (unsigned long long)id);
		cgroups_learn(all, id, path);
	}
	for (uint64_t id = 1000000; id < 1000000 + 3ull * CGROUPS_MOST; id++) {
		const struct cgroup_known *known = cgroups_find(all, id);

		wrong += (known != NULL) != (id >= 1000000 + 2ull * CGROUPS_MOST) || (known && strtoull(known->path + 1, NULL, 10) != id);
	}
	CHECK(!wrong && !cgroups_find(all, 8), "the newest ones are remembered, with their paths: %u wrong", wrong);
	cgroups_free(all);
}

/* Gives the name when it is asked for. */
static void give(void *ctx)
{
	cgroups_learn(ctx, 42, "/late");
}

static void test_ask(void)
{
	struct cgroups *all = cgroups_new();

	cgroups_ask(all, give, all);
	CHECK(!cgroups_find(all, 41), "what nobody has told is not known");
	CHECK(cgroups_find(all, 42), "what has come meanwhile is");
	cgroups_free(all);
}

int main(void)
{
	test_paths();
	test_table();
	test_ask();
	return tap_done();
}
