// SPDX-License-Identifier: GPL-2.0-only
/*
 * names.c - names of a field's numbers.
 */
#include "plan/names.h"

#include <string.h>

#include "base/macros.h"
#include "lang/parse.h"

const char *names_find(const struct names *n, uint64_t value)
{
	unsigned low = 0, high = n->nr;

	while (low < high) {			/* the first one that is not less */
		unsigned middle = (low + high) / 2;

		if (n->all[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n->nr && n->all[low].value == value ? n->all[low].name : NULL;
}

bool names_value(const struct names *n, const char *name, size_t len, uint64_t *ret)
{
	for (unsigned i = 0; i < n->nr; i++) {
		if (strlen(n->all[i].name) == len && !memcmp(n->all[i].name, name, len)) {
			*ret = n->all[i].value;
			return true;
		}
	}
	return false;
}

const char *names_similar(struct arena *arena, const struct names *n, const char *name)
{
	const char **all = arena_array(arena, const char *, n->nr);

	for (unsigned i = 0; i < n->nr; i++)
		all[i] = n->all[i].name;
	return spell_nearest(name, all, n->nr);
}

/* Keeps the order of equal values. Enumerations are nearly sorted, and have few names. */
void names_sort(struct names *n)
{
	for (unsigned i = 1; i < n->nr; i++) {
		struct name_of one = n->all[i];
		unsigned at = i;

		for (; at && n->all[at - 1].value > one.value; at--)
			n->all[at] = n->all[at - 1];
		n->all[at] = one;
	}
}

bool names_same(const struct names *a, const struct names *b)
{
	if (!a || !b)
		return a == b;
	if (a->nr != b->nr)
		return false;
	for (unsigned i = 0; i < a->nr; i++) {
		if (a->all[i].value != b->all[i].value || strcmp(a->all[i].name, b->all[i].name))
			return false;
	}
	return true;
}

/* 1 to 133: include/uapi/asm-generic/errno-base.h, errno.h; 512 to 531: include/linux/errno.h (6.12). */
static const char *const errors[NAMES_LAST_OWN_ERRNO + 1] = {
	[1] = "EPERM", [2] = "ENOENT", [3] = "ESRCH", [4] = "EINTR", [5] = "EIO", [6] = "ENXIO", [7] = "E2BIG",
	[8] = "ENOEXEC", [9] = "EBADF", [10] = "ECHILD", [11] = "EAGAIN", [12] = "ENOMEM", [13] = "EACCES", [14] = "EFAULT",
	[15] = "ENOTBLK", [16] = "EBUSY", [17] = "EEXIST", [18] = "EXDEV", [19] = "ENODEV", [20] = "ENOTDIR", [21] = "EISDIR",
	[22] = "EINVAL", [23] = "ENFILE", [24] = "EMFILE", [25] = "ENOTTY", [26] = "ETXTBSY", [27] = "EFBIG", [28] = "ENOSPC",
	[29] = "ESPIPE", [30] = "EROFS", [31] = "EMLINK", [32] = "EPIPE", [33] = "EDOM", [34] = "ERANGE", [35] = "EDEADLK",
	[36] = "ENAMETOOLONG", [37] = "ENOLCK", [38] = "ENOSYS", [39] = "ENOTEMPTY", [40] = "ELOOP", [42] = "ENOMSG",
	[43] = "EIDRM", [44] = "ECHRNG", [45] = "EL2NSYNC", [46] = "EL3HLT", [47] = "EL3RST", [48] = "ELNRNG",
	[49] = "EUNATCH", [50] = "ENOCSI", [51] = "EL2HLT", [52] = "EBADE", [53] = "EBADR", [54] = "EXFULL", [55] = "ENOANO",
	[56] = "EBADRQC", [57] = "EBADSLT", [59] = "EBFONT", [60] = "ENOSTR", [61] = "ENODATA", [62] = "ETIME", [63] = "ENOSR",
	[64] = "ENONET", [65] = "ENOPKG", [66] = "EREMOTE", [67] = "ENOLINK", [68] = "EADV", [69] = "ESRMNT", [70] = "ECOMM",
	[71] = "EPROTO", [72] = "EMULTIHOP", [73] = "EDOTDOT", [74] = "EBADMSG", [75] = "EOVERFLOW", [76] = "ENOTUNIQ",
	[77] = "EBADFD", [78] = "EREMCHG", [79] = "ELIBACC", [80] = "ELIBBAD", [81] = "ELIBSCN", [82] = "ELIBMAX",
	[83] = "ELIBEXEC", [84] = "EILSEQ", [85] = "ERESTART", [86] = "ESTRPIPE", [87] = "EUSERS", [88] = "ENOTSOCK",
	[89] = "EDESTADDRREQ", [90] = "EMSGSIZE", [91] = "EPROTOTYPE", [92] = "ENOPROTOOPT", [93] = "EPROTONOSUPPORT",
	[94] = "ESOCKTNOSUPPORT", [95] = "EOPNOTSUPP", [96] = "EPFNOSUPPORT", [97] = "EAFNOSUPPORT", [98] = "EADDRINUSE",
	[99] = "EADDRNOTAVAIL", [100] = "ENETDOWN", [101] = "ENETUNREACH", [102] = "ENETRESET", [103] = "ECONNABORTED",
	[104] = "ECONNRESET", [105] = "ENOBUFS", [106] = "EISCONN", [107] = "ENOTCONN", [108] = "ESHUTDOWN",
	[109] = "ETOOMANYREFS", [110] = "ETIMEDOUT", [111] = "ECONNREFUSED", [112] = "EHOSTDOWN", [113] = "EHOSTUNREACH",
	[114] = "EALREADY", [115] = "EINPROGRESS", [116] = "ESTALE", [117] = "EUCLEAN", [118] = "ENOTNAM", [119] = "ENAVAIL",
	[120] = "EISNAM", [121] = "EREMOTEIO", [122] = "EDQUOT", [123] = "ENOMEDIUM", [124] = "EMEDIUMTYPE",
	[125] = "ECANCELED", [126] = "ENOKEY", [127] = "EKEYEXPIRED", [128] = "EKEYREVOKED", [129] = "EKEYREJECTED",
	[130] = "EOWNERDEAD", [131] = "ENOTRECOVERABLE", [132] = "ERFKILL", [133] = "EHWPOISON", [512] = "ERESTARTSYS",
	[513] = "ERESTARTNOINTR", [514] = "ERESTARTNOHAND", [515] = "ENOIOCTLCMD", [516] = "ERESTART_RESTARTBLOCK",
	[517] = "EPROBE_DEFER", [518] = "EOPENSTALE", [519] = "ENOPARAM", [521] = "EBADHANDLE", [522] = "ENOTSYNC",
	[523] = "EBADCOOKIE", [524] = "ENOTSUPP", [525] = "ETOOSMALL", [526] = "ESERVERFAULT", [527] = "EBADTYPE",
	[528] = "EJUKEBOX", [529] = "EIOCBQUEUED", [530] = "ERECALLCONFLICT", [531] = "ENOGRACE",
};

struct names *names_of_errors(struct arena *arena, unsigned bits)
{
	struct names *n = arena_new(arena, struct names);

	n->all = arena_array(arena, struct name_of, ARRAY_SIZE(errors));
	for (unsigned i = ARRAY_SIZE(errors) - 1; i; i--) {	/* the largest error is the smallest number */
		if (errors[i])
			n->all[n->nr++] = (struct name_of){ names_cut(0 - (uint64_t)i, bits), errors[i] };
	}
	names_sort(n);
	return n;
}
