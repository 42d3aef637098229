/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame of an HTML page and its texts, which are cleaned and escaped. */
#ifndef APP_HTML_PAGE_H
#define APP_HTML_PAGE_H

#include <stdio.h>

/* Up to the main part; `subject` may be NULL. */
void html_begin(FILE *out, const char *title, const char *subject);
void html_end(FILE *out);
/* A text of others. */
void html_text(FILE *out, const char *text);
/* The same, with its line ends; inside <pre>. */
void html_lines(FILE *out, const char *text);
void html_paragraph(FILE *out, const char *text);

#endif
