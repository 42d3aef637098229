/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files a run writes. They are opened before anything else happens and
 * before privileges are dropped; "-" is stdout, and then the text for people
 * is left out so that the stream stays parseable.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "output_file.h"
#include "session.h"

/* Closed by whoever started us: see main.c. */
static bool stdout_is_open(void)
{
	return (fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

static int open_one(const char *path, FILE **file)
{
	return path ? output_open(path, file) : 0;
}

/* Two ways into one file or pipe would write over each other. Devices such as
 * /dev/null take whatever comes. */
static bool same_file(FILE *a, FILE *b)
{
	struct stat of_a, of_b;

	return a && b && fstat(fileno(a), &of_a) == 0 && fstat(fileno(b), &of_b) == 0 &&
	       !S_ISCHR(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

/* The same under another name: a link, or /dev/stdout. The same name is refused
 * with the options, before anything is opened. */
static int check_distinct(struct session *s)
{
	const struct config *c = s->config;
	FILE *const file[] = { stdout, s->outputs.json, s->outputs.csv,
			       s->outputs.prometheus };
	const char *const name[] = { "standard output (-)", c->json, c->csv,
				     c->prometheus };
	size_t i, j;

	for (i = 1; i < sizeof(file) / sizeof(file[0]); i++)
		for (j = 0; j < i; j++)
			if (file[i] != file[j] && same_file(file[i], file[j]))
				return fail(EXIT_USAGE, name[i],
					    "is the same file as %s; give each output "
					    "its own",
					    name[j]);
	return 0;
}

int outputs_open(struct session *s)
{
	const struct config *c = s->config;
	int err = open_one(c->json, &s->outputs.json);

	if (!err)
		err = open_one(c->csv, &s->outputs.csv);
	if (!err)
		err = open_one(c->prometheus, &s->outputs.prometheus);
	if (!err)
		err = check_distinct(s);
	if (err)
		return err;
	if (!output_is_stdout(c->json) && !output_is_stdout(c->csv) &&
	    !output_is_stdout(c->prometheus) && stdout_is_open())
		s->outputs.text = stdout;
	if (s->outputs.csv)
		report_csv_header(s->outputs.csv);
	return 0;
}

/* Flush, and say so once if what was written did not arrive. */
static int check(FILE *file, const char *path)
{
	if (!file || (fflush(file) == 0 && !ferror(file)))
		return 0;
	return output_failed(path, -errno);
}

static int check_all(struct session *s)
{
	const struct config *c = s->config;
	int err = check(s->outputs.text, "stdout");

	if (!err)
		err = check(s->outputs.csv, c->csv);
	if (!err)
		err = check(s->outputs.prometheus, c->prometheus);
	if (!err)
		err = check(s->outputs.json, c->json);
	return err;
}

/* A scraper reads the file whole: always one complete exposition. */
static void rewrite_prometheus(struct session *s)
{
	FILE *file = s->outputs.prometheus;

	if (!file)
		return;
	if (file != stdout) {
		rewind(file);
		if (ftruncate(fileno(file), 0) < 0 && errno != EINVAL)
			return;
	}
	report_prometheus(&s->report, file);
}

int outputs_interval(struct session *s)
{
	if (s->outputs.text)
		report_text_interval(&s->report, s->outputs.text);
	if (s->outputs.csv)
		report_csv_interval(&s->report, s->outputs.csv);
	if (s->outputs.prometheus != stdout)
		rewrite_prometheus(s);
	return check_all(s);
}

int outputs_final(struct session *s)
{
	int err = 0;

	if (s->outputs.text)
		report_text_final(&s->report, s->outputs.text);
	rewrite_prometheus(s);
	if (s->outputs.json)
		err = report_json(&s->report, s->outputs.json);
	if (err)
		return output_failed(s->config->json, err);
	return check_all(s);
}

static void close_one(FILE **file)
{
	if (*file && *file != stdout)
		fclose(*file);
	*file = NULL;
}

void outputs_close(struct session *s)
{
	close_one(&s->outputs.json);
	close_one(&s->outputs.csv);
	close_one(&s->outputs.prometheus);
}
