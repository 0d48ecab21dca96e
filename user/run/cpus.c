// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpus.c - possible CPUs and online CPUs.
 */
#include "run/cpus.h"

#include <bpf/libbpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"

unsigned cpus_possible(void)
{
	int n = libbpf_num_possible_cpus();

	return n > 0 ? (unsigned)n : 1;
}

/* CPUs that cannot be unplugged (often CPU 0) have no such file and are online. */
bool cpus_online(unsigned cpu)
{
	char path[64], state = '1';
	auto_fd fd = -1;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
	if (access(path, F_OK))
		return cpu == 0;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 || read(fd, &state, 1) != 1 || state == '1';
}
