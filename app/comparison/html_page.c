/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame of an HTML page and its texts. */
#include <stdlib.h>
#include <string.h>

#include "html_page.h"
#include "sheet.h"
#include "utf8.h"

/*
 * One column, as wide as the screen; tables and what a program printed scroll inside
 * their boxes. Colours follow the reader's; pictures take the text's colour. The
 * policy forbids scripts and whatever would be loaded.
 */
static const char head[] =
	"<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" "
	"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<style>\n"
	":root { color-scheme: light dark; --text: #1c1e21; --page: #ffffff; "
	"--soft: #5b6268; --line: #d6dade; --box: #f5f6f8; }\n"
	"@media (prefers-color-scheme: dark) { :root { --text: #e4e6e9; "
	"--page: #17191c; --soft: #9aa2a9; --line: #3a3f45; --box: #1f2226; } }\n"
	"* { box-sizing: border-box; }\n"
	"body { margin: 0 auto; padding: 0 1rem 3rem; max-width: 70rem; "
	"font: 1rem/1.5 system-ui, sans-serif; color: var(--text); "
	"background: var(--page); overflow-wrap: anywhere; }\n"
	"h1 { font-size: 1.6rem; margin: 1.5rem 0 .5rem; }\n"
	"h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; padding-top: .6rem; "
	"border-top: 1px solid var(--line); }\n"
	"h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }\n"
	"p.soft { color: var(--soft); font-size: .9rem; }\n"
	"ul { padding-left: 1.2rem; }\n"
	".table, pre { overflow-x: auto; border: 1px solid var(--line); "
	"border-radius: .4rem; }\n"
	"details { margin: .6rem 0; }\n"
	"summary { cursor: pointer; }\n"
	"pre { background: var(--box); padding: .6rem; overflow-wrap: normal; }\n"
	"table { border-collapse: collapse; font-size: .9rem; width: 100%; }\n"
	"th, td { padding: .3rem .7rem; text-align: left; white-space: nowrap; "
	"border-bottom: 1px solid var(--line); }\n"
	"tbody tr:last-child > * { border-bottom: 0; }\n"
	"thead th { background: var(--box); color: var(--soft); font-weight: 600; }\n"
	"th.number, td.number { text-align: right; "
	"font-variant-numeric: tabular-nums; }\n"
	"tbody th { font-weight: 600; position: sticky; left: 0; min-width: 6.5rem; "
	"max-width: min(14rem, 40vw); "
	"white-space: normal; background: var(--page); }\n"
	"dl { display: grid; grid-template-columns: max-content 1fr; "
	"gap: .2rem 1rem; margin: .8rem 0; font-size: .95rem; }\n"
	"dt { color: var(--soft); }\n"
	"dd { margin: 0; }\n"
	".plots { display: grid; gap: 1rem; "
	"grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }\n"
	"figure { margin: 0; padding: .7rem; background: var(--box); "
	"border: 1px solid var(--line); border-radius: .4rem; }\n"
	"figcaption { font-size: .9rem; margin-bottom: .3rem; }\n"
	"svg { display: block; width: 100%; height: auto; max-width: 40rem; "
	"margin: 0 auto; }\n"
	"svg text { font-family: system-ui, sans-serif; }\n"
	"</style>\n";

void html_begin(FILE *out, const char *title, const char *subject)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n", out);
	fprintf(out, "<title>%s", title);
	if (subject) {
		fputs(": ", out);
		html_text(out, subject);
	}
	fputs("</title>\n", out);
	fputs(head, out);
	fprintf(out, "</head>\n<body>\n<main>\n<h1>%s", title);
	if (subject) {
		fputs(": ", out);
		html_text(out, subject);
	}
	fputs("</h1>\n", out);
}

void html_end(FILE *out)
{
	fputs("</main>\n</body>\n</html>\n", out);
}

void html_text(FILE *out, const char *text)
{
	char *clean = utf8_clean(text);

	put_html(out, clean ? clean : "(out of memory)");
	free(clean);
}

void html_lines(FILE *out, const char *text)
{
	char *copy = strdup(text), *rest = copy, *line;

	while (rest && (line = strsep(&rest, "\n")) != NULL) {
		html_text(out, line);
		fputc('\n', out);
	}
	free(copy);
}

void html_paragraph(FILE *out, const char *text)
{
	fputs("<p class=\"soft\">", out);
	html_text(out, text);
	fputs("</p>\n", out);
}
