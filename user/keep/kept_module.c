// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_module.c - the state of the modules of kept probes.
 */
#include "keep/kept.h"
#include "run/modload.h"

static enum kept_module module_of(const struct kept_probe *p)
{
	uint64_t now = p->module ? modload_id(p->module) : 0;

	if (!p->module)
		return KEPT_MODULE_NONE;
	if (!now)
		return KEPT_MODULE_GONE;
	if (!p->module_load)
		return KEPT_MODULE_MAYBE;
	return p->module_load == now ? KEPT_MODULE_HERE : KEPT_MODULE_AGAIN;
}

enum kept_module kept_module(const struct kept *k, unsigned line, const char **ret_name)
{
	for (unsigned i = 0; i < k->nr_probes; i++) {
		if (k->probes[i].line == line) {
			*ret_name = k->probes[i].module;
			return module_of(&k->probes[i]);	/* all functions of a pattern are in one module */
		}
	}
	*ret_name = NULL;
	return KEPT_MODULE_NONE;
}
