/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files a run writes. They are opened before anything else happens and
 * before privileges are dropped; "-" is stdout, and then the text for people
 * is left out so that the stream stays parseable.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "session.h"

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Closed by whoever started us: see main.c. */
static bool stdout_is_open(void)
{
	return (fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

static int open_one(const char *path, FILE **file)
{
	if (!path)
		return 0;
	*file = is_stdout(path) ? stdout : fopen(path, "we");
	if (*file)
		return 0;
	return fail(EXIT_RUNTIME, path,
		    "cannot open for writing: %s; "
		    "check the path and its permissions",
		    strerror(errno));
}

int outputs_open(struct session *s)
{
	const struct config *c = s->config;
	int err = open_one(c->json, &s->outputs.json);

	if (!err)
		err = open_one(c->csv, &s->outputs.csv);
	if (!err)
		err = open_one(c->prometheus, &s->outputs.prometheus);
	if (err)
		return err;
	if (!is_stdout(c->json) && !is_stdout(c->csv) && !is_stdout(c->prometheus) &&
	    stdout_is_open())
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
	return fail(EXIT_RUNTIME, path, "write failed: %s; check the disk or the reader",
		    errno ? strerror(errno) : "not everything was taken");
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
		return fail(EXIT_RUNTIME, s->config->json,
			    "write failed: %s; "
			    "check the disk or the reader",
			    strerror(-err));
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
