// SPDX-License-Identifier: GPL-2.0-only
/*
 * page.c - the page: its fixed parts, and between them what was recorded.
 *
 * page/embed.sh puts them into the program. The page allows no other script and no other style than these, by their
 * hashes, and nothing from elsewhere.
 */
#include "report/data.h"
#include "report/report.h"

#include "report_page.h"		/* page/embed.sh makes it */

static void put_text(struct report *r, struct buf *out)
{
	struct buf text = { 0 };

	report_text(r, &(struct report_view){ .width = 80, .utf8 = true }, &text);
	data_put_html(out, buf_str(&text), text.len);
	buf_fini(&text);
}

void report_page(struct report *r, struct buf *out)
{
	buf_adds(out, report_page_parts[0]);
	data_put_html(out, buf_str(&r->files), r->files.len);
	buf_adds(out, report_page_parts[1]);
	put_text(r, out);
	buf_adds(out, report_page_parts[2]);
	data_put(r, PAGE_MOST - MIN((size_t)PAGE_MOST, out->len + strlen(report_page_parts[3])), out);
	buf_adds(out, report_page_parts[3]);
}
