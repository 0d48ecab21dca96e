// SPDX-License-Identifier: GPL-2.0-only
/*
 * report.c - tells the user about a failed step.
 */
#include "base/report.h"

#include <errno.h>
#include <stdio.h>

int report_error(const struct diag *diag, int status)
{
	struct buf text = { 0 };

	diag_format(diag, "bprobe", &text);
	fputs(buf_str(&text), stderr);
	buf_fini(&text);
	return status;
}

int report_resolve_status(int err)
{
	return err == -EOPNOTSUPP || err == -ENOMEM ? EXIT_KERNEL : EXIT_BAD_DEFINITION;
}
