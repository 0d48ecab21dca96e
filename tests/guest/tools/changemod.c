// SPDX-License-Identifier: GPL-2.0-only
/*
 * changemod.c - a module for guests whose calls are known: a number that is written to its parameter `calls` calls change_called() with 1, 2, ...
 * up to it
 *
 * change_called() returns twice its number. Its second line is at change_called:1.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static volatile long total;

static noinline long change_called(long n)
{
	total += n;
	return n * 2;
}

static int set_calls(const char *text, const struct kernel_param *param)
{
	long calls, n;
	int err = kstrtol(text, 0, &calls);

	for (n = 1; !err && n <= calls; n++) {
		if (change_called(n) != n * 2)
			return -EIO;
	}
	return err;
}

static const struct kernel_param_ops ops = { .set = set_calls };

module_param_cb(calls, &ops, NULL, 0200);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("calls that are known");
