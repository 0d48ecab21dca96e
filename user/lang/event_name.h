/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event_name.h - compares the names of events.
 */
#ifndef LANG_EVENT_NAME_H
#define LANG_EVENT_NAME_H

#include <stdbool.h>

/* Do these two names mean one event? Parts that joined the event later have its name, too. */
bool name_same_event(const char *group, const char *event, const char *other_group, const char *other_event);

/* Does @name ("EVENT", "GROUP/EVENT", "GROUP/", all with * ? [] as in file names) mean this event? */
bool name_matches(const char *group, const char *event, const char *name);

#endif
