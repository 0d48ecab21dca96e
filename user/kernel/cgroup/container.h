/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * container.h - which container, pod or service a cgroup is, by its path.
 */
#ifndef KERNEL_CGROUP_CONTAINER_H
#define KERNEL_CGROUP_CONTAINER_H

#include <stddef.h>

/* A part of the path; .text NULL: there is none. */
struct container_part {
	const char *text;
	size_t len;
};

struct container {
	const char *runtime;		/* "docker", "containerd", "cri-o", "podman", "lxc", "systemd-nspawn"; NULL: not known */
	struct container_part id;	/* of the innermost container */
	struct container_part pod;	/* the uid of a Kubernetes pod, where '_' stands for '-' */
	struct container_part unit;	/* the innermost service or scope of systemd that is no container */
};

/* Pure: it looks at no file. */
struct container container_of_path(const char *path);

#endif
