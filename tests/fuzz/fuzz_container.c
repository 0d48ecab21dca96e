// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_container.c - any bytes as the path of a cgroup (see fuzz.h): what is found is a part of the path, and has the form that it promises.
 * Links only base/ and kernel/cgroup/container.c.
 */
#include "kernel/cgroup/container.h"

#include <string.h>

#include "base/diag.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char fuzz_name[] = "fuzz_container";
static const char *const fuzz_seeds[] = {
	"/system.slice/docker-" ID ".scope", "/kubepods.slice/kubepods-pod8f6c5b1e_2c1a_4b6e_9d3f_0a1b2c3d4e5f.slice/crio-" ID ".scope",
	"/lxc.payload.web/system.slice/nginx.service",
};

static const char *const fuzz_words[] = {
	"/", "docker", "docker-", ".scope", ".slice", ".service", "crio-", "libpod-", "cri-containerd-", "kubepods", "-pod", "pod", "lxc", "lxc.payload.",
	"machine-", "systemd-nspawn@", ID, "8f6c5b1e_2c1a_4b6e_9d3f_0a1b2c3d4e5f", "_", "-", "\x80", "\n", "", "k8s.io",
};

#include "fuzz.h"

static void check_part(struct container_part part, const char *text)
{
	if (!part.text)
		return;
	require(part.text >= text && part.text + part.len <= text + strlen(text), "a part is outside of the path", text);
	require(part.len && !memchr(part.text, '/', part.len), "a part has no name or two", text);
}

static void check_text(const char *text)
{
	const struct container c = container_of_path(text);

	check_part(c.id, text);
	check_part(c.pod, text);
	check_part(c.unit, text);
	require(!c.runtime || c.id.text, "a program without a container", text);
	require(!c.pod.text || c.pod.len == 36 || c.pod.len == 32, "a pod that has no uid", text);
}
