// SPDX-License-Identifier: GPL-2.0-only
/*
 * container.c - which container, pod or service a cgroup is, by its path.
 *
 * The forms are those of the programs' two drivers, systemd and cgroupfs (doc/json.md has examples). An id has 64 hexadecimal digits, so nothing
 * else is taken for one; names are taken only from LXC and systemd-nspawn.
 */
#include "kernel/cgroup/container.h"

#include <stdbool.h>
#include <string.h>

#include "base/macros.h"

enum { ID_LEN = 64, UID_LEN = 36, STATIC_UID_LEN = 32 };

static bool is_hex(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
			return false;
	}
	return true;
}

static bool is(struct container_part p, const char *text)
{
	return p.len == strlen(text) && !memcmp(p.text, text, p.len);
}

static bool begins(struct container_part p, const char *with)
{
	return p.len >= strlen(with) && !memcmp(p.text, with, strlen(with));
}

static bool ends(struct container_part p, const char *with)
{
	size_t len = strlen(with);

	return p.len >= len && !memcmp(p.text + p.len - len, with, len);
}

static struct container_part cut(struct container_part p, size_t front, size_t back)
{
	return (struct container_part){ p.text + front, p.len - front - back };
}

/* PREFIX-ID.scope (systemd's driver), PREFIX-ID, or ID alone, whose program the name above tells. */
static bool take_id(struct container_part name, struct container_part above, struct container *c)
{
	static const struct { const char *prefix, *runtime; } scopes[] = {
		{ "docker-", "docker" }, { "cri-containerd-", "containerd" }, { "nerdctl-", "containerd" }, { "crio-", "cri-o" },
		{ "libpod-", "podman" },
	};
	static const struct { const char *above, *runtime; } parents[] = {
		{ "docker", "docker" }, { "k8s.io", "containerd" }, { "libpod_parent", "podman" },
	};

	if (ends(name, ".scope"))
		name = cut(name, 0, strlen(".scope"));
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		size_t len = strlen(scopes[i].prefix);

		if (begins(name, scopes[i].prefix) && name.len == len + ID_LEN && is_hex(name.text + len, ID_LEN)) {
			c->runtime = scopes[i].runtime;
			c->id = cut(name, len, 0);
			return true;
		}
	}
	if (name.len != ID_LEN || !is_hex(name.text, ID_LEN))
		return false;
	c->runtime = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(parents); i++) {
		if (is(above, parents[i].above))
			c->runtime = parents[i].runtime;
	}
	c->id = name;
	return true;
}

/* podUID, or with systemd's driver kubepods-CLASS-podUID.slice, with '_' for '-'. */
static bool take_pod(struct container_part name, struct container *c)
{
	const char *pod, *pods;

	if (ends(name, ".slice"))
		name = cut(name, 0, strlen(".slice"));
	/* The kubelet can have a root of its own: kubelet-kubepods-... */
	pods = memmem(name.text, name.len, "kubepods", strlen("kubepods"));
	pod = begins(name, "pod") ? name.text : pods ? memmem(pods, name.len - (size_t)(pods - name.text), "-pod", 4) : NULL;
	if (!pod)
		return false;
	name = cut(name, (size_t)(pod - name.text) + (*pod == '-' ? 4 : 3), 0);
	if (name.len != UID_LEN && !(name.len == STATIC_UID_LEN && is_hex(name.text, name.len)))
		return false;
	c->pod = name;
	return true;
}

/* Containers with names. libvirt's machines have scopes of the same form: those of QEMU are none, and those of LXC are. */
static bool take_named(struct container_part name, struct container_part above, struct container *c)
{
	static const struct { const char *before, *behind, *runtime; } forms[] = {
		{ "lxc.payload.", "", "lxc" }, { "systemd-nspawn@", ".service", "systemd-nspawn" }, { "machine-lxc\\x2d", ".scope", "lxc" },
		{ "machine-", ".scope", "systemd-nspawn" },
	};

	if (begins(name, "machine-qemu\\x2d"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		size_t front = strlen(forms[i].before), back = strlen(forms[i].behind);

		if (begins(name, forms[i].before) && ends(name, forms[i].behind) && name.len > front + back) {
			c->runtime = forms[i].runtime;
			c->id = cut(name, front, back);
			return true;
		}
	}
	if (!is(above, "lxc"))
		return false;
	c->runtime = "lxc";
	c->id = name;
	return true;
}

struct container container_of_path(const char *path)
{
	struct container c = { 0 };
	struct container_part above = { "", 0 };

	while (*path) {
		struct container_part name = { path, strcspn(path, "/") };

		path += name.len + (path[name.len] == '/');
		if (!name.len)
			continue;
		if (!take_id(name, above, &c) && !take_pod(name, &c) && !take_named(name, above, &c) &&
		    (ends(name, ".service") || ends(name, ".scope")))
			c.unit = name;
		above = name;
	}
	return c;
}
