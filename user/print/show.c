// SPDX-License-Identifier: GPL-2.0-only
/*
 * show.c - the table of ways to show a value.
 */
#include "print/show.h"

static const struct show *const rows[SHOW_COUNT] = {
	[SHOW_ERRNO] = &show_errno, [SHOW_ENUM] = &show_enum, [SHOW_SYSCALL] = &show_enum, [SHOW_IP4] = &show_ip4, [SHOW_IP6] = &show_ip6,
	[SHOW_MAC] = &show_mac, [SHOW_SOCKADDR] = &show_sockaddr,
};

const struct show *show_of(const struct type *type)
{
	return rows[type->show];
}
