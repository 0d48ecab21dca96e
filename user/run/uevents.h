/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uevents.h - what the kernel announces of its devices and modules: "add@/module/NAME", "online@/devices/system/cpu/cpu1".
 */
#ifndef RUN_UEVENTS_H
#define RUN_UEVENTS_H

enum { UEVENT_MAX = 8192 };

/* A descriptor, readable when something was announced; or -errno. */
int uevents_open(void);

/* The next announcement of the kernel. 0; -EAGAIN if there is none; -ENOBUFS if some were lost. Does not wait. */
int uevents_next(int fd, char text[UEVENT_MAX + 1]);

/* What @text has behind @prefix; NULL: it does not begin with it. */
const char *uevents_behind(const char *text, const char *prefix);

#endif
