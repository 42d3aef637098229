/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entry: makes the process's surroundings safe, finds the command, reads
 * its options, runs it, and makes sure its output arrived.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xdp/libxdp.h>

#include "command.h"
#include "message.h"
#include "nearest.h"
#include "options.h"

/*
 * A file opened later must not become descriptor 0, 1 or 2, or reports and
 * error lines would go into it. The output ones cannot be written, so that a
 * report that was to go there is missed.
 */
static bool occupy_standard_descriptors(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* The lowest free number is taken, which is this one. */
		if (open("/dev/null", O_RDONLY) != fd)
			return false;
	}
	return true;
}

static void silence_libraries(void)
{
	libbpf_set_print(NULL);
	libxdp_set_print(NULL);
	/* hwloc, of a machine without /sys; 2 hides all. */
	setenv("HWLOC_HIDE_ERRORS", "2", 0);
}

static void print_usage(FILE *out)
{
	size_t i;

	fputs("Usage: dxmit COMMAND [OPTION...]\n\nCommands:\n", out);
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-7s %s\n", commands[i].name, commands[i].summary);
	fputs("\n  -h, --help     print this and exit; 'dxmit COMMAND --help' lists "
	      "options\n"
	      "  -V, --version  print the version and exit\n\n"
	      "To try it without a NIC: dxmit tx --sandbox -d 5\n",
	      out);
}

/* Names of the commands that `typed` (NULL: nothing) may mean, else all. */
static void list_commands(const char *typed, char *buf, size_t len)
{
	bool any = false;
	size_t i, at = 0;

	for (i = 0; typed && i < COMMANDS; i++)
		any |= nearest_matches(typed, commands[i].name);
	buf[0] = '\0';
	for (i = 0; i < COMMANDS && at < len; i++)
		if (!any || nearest_matches(typed, commands[i].name))
			at += (size_t)snprintf(buf + at, len - at, "%s'dxmit %s'",
					       at ? " or " : "", commands[i].name);
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int fail_command(const char *typed)
{
	char shown[64] = "command line", names[192];

	list_commands(typed, names, sizeof(names));
	if (!typed)
		return fail(EXIT_USAGE, shown, "no command is given; use %s", names);
	parse_printable(shown, sizeof(shown), typed);
	return fail(EXIT_USAGE, shown[0] ? shown : "''", "no such command; use %s",
		    names);
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct config config;
	int code = options_parse(command, argc, argv, &config);

	if (code == 0) {
		if (!config.verbose)
			silence_libraries();
		code = command->run(&config);
	}
	config_free(&config);
	return code == OPTIONS_DONE ? EXIT_DONE : code;
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2)
		return fail_command(NULL);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("dxmit %s\n", dxmit_version());
		return EXIT_DONE;
	}
	command = find_command(argv[1]);
	if (!command)
		return fail_command(argv[1]);
	return run_command(command, argc - 1, argv + 1);
}

/* Output that was lost is a failure, unless there was a worse one. */
static int close_output(int code)
{
	int lost = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !lost)
		return code;
	if (code != EXIT_DONE)
		return code;
	return fail(EXIT_RUNTIME, "standard output",
		    "not everything could be written%s%s; look at where it goes",
		    errno ? ": " : "", errno ? strerror(errno) : "");
}

int main(int argc, char **argv)
{
	if (!occupy_standard_descriptors())
		return fail(EXIT_RUNTIME, "standard descriptors",
			    "one is closed and "
			    "/dev/null cannot take its place; check /dev/null");
	/* A reader that goes away shows as EPIPE where it is written, a file over
	 * `ulimit -f` as EFBIG. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* Ignored, as some parents leave it, no child could be waited for. */
	signal(SIGCHLD, SIG_DFL);
	return close_output(dispatch(argc, argv));
}
