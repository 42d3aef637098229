/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards `dxmit attach` and `dxmit detach`: which sockets of a process they find,
 * what the module is asked, what is said and the exit code, and that no copy of a
 * descriptor stays. The sockets are real, the module is a script, and the process
 * that is looked at is the test itself.
 */
#include "message.h" /* before cmocka.h, which has a macro fail() */

#include "pair_fixture.h"

#include <sys/wait.h>

#include "attach.h"
#include "command.h"
#include "fake_module.h"
#include "peer.h"

/* Where the child that runs a command leaves what it printed and asked. */
struct outcome {
	int code;
	char out[2048], err[2048];
};

static void read_back(int fd, char *buf, size_t len)
{
	ssize_t n = pread(fd, buf, len - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	close(fd);
}

static int temporary(void)
{
	char path[] = "/tmp/dxmit-attach-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/* In a child, since a process prints only its first error; the sockets it looks
 * for are those of the test. Its exit code is 99 if it kept a copy. */
static struct outcome run(int (*command)(const struct config *), struct config config)
{
	struct outcome outcome = { 0 };
	int out = temporary(), err = temporary(), status;
	pid_t child;

	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		int before, code;

		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		before = dup(0); /* the lowest free number: taken by a copy */
		close(before);
		code = command(&config);
		fflush(stdout);
		_exit(dup(0) == before ? code : 99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	outcome.code = WEXITSTATUS(status);
	read_back(out, outcome.out, sizeof(outcome.out));
	read_back(err, outcome.err, sizeof(outcome.err));
	return outcome;
}

static void expect(struct outcome is, int code, const char *out, const char *err)
{
	const char *newline = strchr(is.err, '\n');

	if (is.code != code || !strstr(is.out, out) || !strstr(is.err, err))
		fail_msg("%d, \"%s\", \"%s\"", is.code, is.out, is.err);
	if (code == 0)
		assert_string_equal(is.err, "");
	else if (!newline || newline[1])
		fail_msg("not one line: \"%s\"", is.err);
}

static struct config of_this_process(void)
{
	return (struct config){ .pid = (uint32_t)getpid() };
}

static void its_only_socket_is_found(void **state)
{
	struct config config = of_this_process();
	struct dxmit_queue_options options = options_for(2);
	struct dxmit_queue *q;
	char line[128];

	(void)state;
	NEED_DEVICES();
	load_module();
	module.stats.ifindex = 42;
	module.stats.queue = 2;
	q = open_with(&options);
	expect(run(cmd_attach, config), EXIT_DONE, "id 1, ifindex 42, queue 2\n", "");
	snprintf(line, sizeof(line), "process %d, descriptor %d: on the direct path",
		 getpid(), info_of(q).fd);
	expect(run(cmd_attach, config), EXIT_DONE, line, "");
	expect(run(cmd_detach, config), EXIT_DONE, "on the kernel's path again", "");
	config.fd_given = true;
	config.fd = (uint32_t)info_of(q).fd;
	expect(run(cmd_attach, config), EXIT_DONE, "id 1,", "");
	config.fd = 0;
	expect(run(cmd_attach, config), EXIT_RUNTIME, "", "not an AF_XDP socket; ");
	config.fd = 4000;
	expect(run(cmd_attach, config), EXIT_RUNTIME, "", "no descriptor 4000; ");
	dxmit_queue_close(&q);
	expect(run(cmd_attach, of_this_process()), EXIT_RUNTIME, "",
	       "no AF_XDP socket; ");
}

static void several_need_a_choice(void **state)
{
	struct config config = of_this_process();
	struct dxmit_queue_options first = options_for(0), second = options_for(1);
	struct outcome all;
	struct dxmit_queue *a, *b;
	char names[128];
	int twin;

	(void)state;
	NEED_DEVICES();
	load_module();
	a = open_with(&first);
	b = open_with(&second);
	twin = dup(info_of(a).fd); /* the same socket: not a third one */
	snprintf(names, sizeof(names), "it has 2 AF_XDP sockets, descriptors %d",
		 info_of(a).fd);
	expect(run(cmd_attach, config), EXIT_USAGE, "", names);
	expect(run(cmd_detach, config), EXIT_USAGE, "", "; use --fd N or --all");
	config.all = true;
	all = run(cmd_attach, config);
	expect(all, EXIT_DONE, "id 1,", "");
	assert_non_null(strstr(all.out, "id 2,"));
	/* Each is told; the first that failed is the error. */
	module.attach_error = EBUSY;
	module.refusal = DXMIT_REFUSED_SHARED_POOL;
	all = run(cmd_attach, config);
	expect(all, EXIT_RUNTIME, "another socket sends", "another socket sends");
	assert_non_null(strstr(strchr(all.out, '\n'), "another socket sends"));
	/* What never was there is where it shall be, among others. */
	module.detach_error = ENOENT;
	expect(run(cmd_detach, config), EXIT_DONE, "not on the direct path", "");
	config.all = false;
	config.fd_given = true;
	config.fd = (uint32_t)twin;
	expect(run(cmd_detach, config), EXIT_RUNTIME, "", "not on the direct path; ");
	close(twin);
	dxmit_queue_close(&a);
	dxmit_queue_close(&b);
}

static void each_is_found_once_in_order(void **state)
{
	struct dxmit_queue_options first = options_for(0), second = options_for(1);
	struct peer_socket *sockets;
	struct dxmit_queue *a, *b;
	struct peer peer;
	size_t count;
	int twin;

	(void)state;
	NEED_DEVICES();
	a = open_with(&first);
	b = open_with(&second);
	twin = dup(info_of(b).fd);
	assert_int_equal(peer_open((uint32_t)getpid(), &peer), 0);
	assert_int_equal(peer_find(&peer, &sockets, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(sockets[0].fd, info_of(a).fd);
	assert_int_equal(sockets[1].fd, info_of(b).fd);
	free(sockets);
	peer_close(&peer);
	close(twin);
	dxmit_queue_close(&a);
	dxmit_queue_close(&b);
}

static void settings_reach_the_module(void **state)
{
	const struct config config = { .direct_batch = 9,
				       .direct_validate = true,
				       .direct_shadow = 77 };
	struct dxmit_ioc_stats stats;
	char reason[ATTACH_REASON];
	int device;

	(void)state;
	load_module();
	device = attach_device();
	assert_true(device >= 0);
	module.stats.queue = 3;
	assert_int_equal(attach_socket(device, 55, &config, &stats, reason), 0);
	assert_int_equal(module.asked.fd, 55);
	assert_int_equal(module.asked.batch, 9);
	assert_int_equal(module.asked.flags, DXMIT_ATTACH_VALIDATE);
	assert_int_equal(module.asked.shadow_every, 77);
	assert_int_equal(stats.id, 1);
	assert_int_equal(stats.queue, 3);
	assert_int_equal(detach_socket(device, -1, 123456789012, reason), 0);
	assert_int_equal(module.detached.fd, -1);
	assert_int_equal(module.detached.id, 123456789012);
	module.detach_error = EPERM;
	assert_int_equal(detach_socket(device, 55, 0, reason), -EPERM);
	assert_non_null(strstr(reason, "CAP_NET_ADMIN"));
	close(device);
}

static void lists_are_whole(void **state)
{
	struct dxmit_ioc_stats *list;
	size_t count;
	int device;

	(void)state;
	load_module();
	device = attach_device();
	assert_int_equal(attach_read_all(device, &list, &count), 0);
	assert_int_equal(count, 0);
	free(list);
	module.listed = 100;
	module.grows = 2;
	module.gone = 7;
	assert_int_equal(attach_read_all(device, &list, &count), 0);
	assert_int_equal(count, 179);
	assert_int_equal(list[5].id, 6);
	assert_int_equal(list[6].id, 8);
	assert_int_equal(list[178].id, 180);
	free(list);
	close(device);
}

static void lists_are_printed(void **state)
{
	struct config config = { .list = true };

	(void)state;
	load_module();
	expect(run(cmd_attach, config), EXIT_DONE, "no socket is on the direct path\n",
	       "");
	module.listed = 1;
	module.stats.ifindex = 99999;
	module.stats.queue = 3;
	module.stats.packets = 1234;
	module.stats.kept = 5;
	module.stats.invalid = 6;
	module.stats.dropped_driver = 1;
	module.stats.dropped_link = 2;
	module.stats.dropped_validate = 4;
	module.stats.dropped_close = 8;
	expect(run(cmd_attach, config), EXIT_DONE,
	       "     1   99999 -              3     1234        5        6       15    yes\n",
	       "");
	config.json = "-";
	expect(run(cmd_attach, config), EXIT_DONE, "\"dropped\": 15", "");
}

static void without_the_module(void **state)
{
	struct config config = { .list = true };

	(void)state;
	load_module();
	module.open_error = ENOENT;
	expect(run(cmd_attach, config), EXIT_RUNTIME, "",
	       "/dev/dxmit: the kernel module is");
	config = (struct config){ .id = 3 };
	expect(run(cmd_detach, config), EXIT_RUNTIME, "", "modprobe dxmit");
	module.open_error = EACCES;
	expect(run(cmd_detach, config), EXIT_RUNTIME, "", "no right to open");
	module.open_error = 0;
	module.detach_error = ENOENT;
	expect(run(cmd_detach, config), EXIT_RUNTIME, "",
	       "attachment 3: not on the direct");
	config = (struct config){ .pid = INT32_MAX };
	expect(run(cmd_attach, config), EXIT_RUNTIME, "",
	       "process 2147483647: there is none; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_only_socket_is_found),
		cmocka_unit_test(several_need_a_choice),
		cmocka_unit_test(each_is_found_once_in_order),
		cmocka_unit_test(settings_reach_the_module),
		cmocka_unit_test(lists_are_whole),
		cmocka_unit_test(lists_are_printed),
		cmocka_unit_test(without_the_module),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("attach", tests, make_pair, NULL);
}
