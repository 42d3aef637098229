/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the library's promises about its doings, for which no other file is
 * the place: what closing leaves behind (nothing), silence, and threads.
 * ../contract.txt lists all promises.
 */
#include "pair_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "queue_private.h"

/* What a command prints, in memory of malloc(). */
static char *output_of(const char *command)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	FILE *in = popen(command, "r");
	int c;

	assert_true(in && out);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	pclose(in);
	fclose(out);
	return text;
}

static int entries_of(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* ---- closing ---------------------------------------------------------- */

/* Mappings of rings, and descriptors, that this process has. */
static int mappings_of_sockets(void)
{
	char *count = output_of("grep -c 'socket:' /proc/$PPID/maps");
	int n = atoi(count);

	free(count);
	return n;
}

static void close_is_idempotent(void **state)
{
	struct dxmit_queue_options options = options_for(0);
	struct dxmit_queue *q = NULL;
	int descriptors = entries_of("/proc/self/fd");
	int mappings = mappings_of_sockets();

	(void)state;
	dxmit_queue_close(NULL);
	dxmit_queue_close(&q);
	NEED_DEVICES();
	q = open_with(&options);
	assert_true(send_frames(q, 100));
	assert_true(mappings_of_sockets() > mappings);
	assert_true(fcntl(info_of(q).fd, F_GETFD) & FD_CLOEXEC);
	dxmit_queue_close(&q);
	assert_null(q);
	dxmit_queue_close(&q);
	assert_int_equal(entries_of("/proc/self/fd"), descriptors);
	assert_int_equal(mappings_of_sockets(), mappings);
	/* Nor does an open that fails leave anything. */
	options.queue = 99;
	assert_int_equal(dxmit_queue_open(&options, &q, NULL), -ENXIO);
	options.queue = 0;
	options.mode = DXMIT_MODE_ZEROCOPY;
	assert_true(dxmit_queue_open(&options, &q, NULL) < 0);
	dxmit_queue_close(&q);
	assert_int_equal(entries_of("/proc/self/fd"), descriptors);
	assert_int_equal(mappings_of_sockets(), mappings);
}

/* A mapping or descriptor that stayed would keep the queue busy for ever. */
static void reopens_at_once_after_close(void **state)
{
	struct dxmit_queue_options options = options_for(2);
	struct dxmit_queue *q;
	int i;

	(void)state;
	NEED_DEVICES();
	for (i = 0; i < 20; i++) {
		q = open_with(&options);
		assert_true(send_frames(q, 1 + (uint64_t)i * 50));
		dxmit_queue_close(&q);
	}
	/* With frames that were never kicked. */
	q = open_with(&options);
	assert_int_equal(dxmit_reserve(q, 8), 8);
	assert_int_equal(dxmit_submit(q, 8, 60), 0);
	dxmit_queue_close(&q);
	q = open_with(&options);
	dxmit_queue_close(&q);
}

static char *settings(void)
{
	return output_of(
		"ip -d -j link show va; ip -d -j link show vb;"
		"for o in -k -l -c -g --show-priv-flags; do ethtool $o va; done 2>&1;"
		"grep -r . /proc/sys/net/core /proc/sys/net/ipv4/conf/va 2>&1;"
		"cat /sys/class/net/va/carrier_changes /sys/class/net/va/threaded;"
		"grep -E 'locked|files' /proc/$PPID/limits;"
		"grep -E '^(Sig[BIC]|Cpus|Mems|NoNew|Cap|Umask)' /proc/$PPID/status");
}

static void open_and_close_change_no_setting(void **state)
{
	struct dxmit_queue_options options = options_for(1);
	struct dxmit_queue *q;
	char *before, *during, *after;

	(void)state;
	NEED_DEVICES();
	options.sndbuf = 4194304;
	before = settings();
	q = open_with(&options);
	assert_true(send_frames(q, 100));
	during = settings();
	dxmit_queue_close(&q);
	after = settings();
	assert_non_null(strstr(before, "\"ifname\":\"va\""));
	assert_non_null(strstr(before, "wmem_max"));
	assert_string_equal(during, before);
	assert_string_equal(after, before);
	free(before);
	free(during);
	free(after);
}

static bool has_program(void)
{
	char *link = output_of("ip -d -j link show va");
	bool has = strstr(link, "\"xdp\"") != NULL;

	free(link);
	return has;
}

/* A queue as far as closing is concerned, with the program zero-copy needs on
 * some drivers. veth takes the program, though it has no zero-copy. */
static struct dxmit_queue *queue_with_program(void)
{
	struct dxmit_queue *q = calloc(1, sizeof(*q));
	struct dxmit_queue_private *p = calloc(1, sizeof(*p));

	assert_true(q && p);
	q->priv = p;
	p->fd = -1;
	p->program_link_fd = -1;
	p->options = options_for(0);
	if (dxmit_zerocopy_attach(p, "va", NULL) == 0)
		return q;
	free(p);
	free(q);
	return NULL;
}

static void program_hangs_on_a_link(void **state)
{
	struct dxmit_queue *q;
	int status;
	pid_t child;

	(void)state;
	NEED_DEVICES();
	assert_false(has_program());
	q = queue_with_program();
	if (!q) {
		print_message("# skipped: no XDP programs here\n");
		skip();
	}
	assert_true(has_program());
	dxmit_queue_close(&q);
	assert_false(has_program());

	/* The kernel takes it away from a process that is killed. */
	child = fork();
	if (child == 0) {
		if (queue_with_program() && has_program())
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_false(has_program());
}

/* ---- silence ---------------------------------------------------------- */

static void open_in_every_bad_way(void)
{
	struct dxmit_queue_options good = options_for(0), bad;
	struct dxmit_queue *owner = open_with(&good), *q;
	struct dxmit_error error;
	char text[256];
	int i;

	for (i = 0; i < 8; i++) {
		bad = good;
		bad.bind_wait_ms = 1;
		switch (i) {
		case 0:
			break; /* taken */
		case 1:
			bad.queue = 99;
			break;
		case 2:
			bad.ifindex = 99999;
			break;
		case 3:
			bad.mode = DXMIT_MODE_ZEROCOPY;
			bad.queue = 1;
			break;
		case 4:
			bad.frame_size = 3000;
			break;
		case 5:
			bad.ring_size = 1000;
			break;
		case 6:
			bad.huge = DXMIT_HUGE_ON;
			bad.frames = 1 << 24;
			break;
		default:
			bad.size = 1;
			break;
		}
		assert_true(dxmit_queue_open(&bad, &q, &error) < 0);
		assert_null(q);
		assert_true(dxmit_error_text(&error, text, sizeof(text)) > 0);
	}
	dxmit_queue_close(&owner);
}

static void use_everything(void)
{
	struct dxmit_queue_options options = options_for(3);
	struct dxmit_residence residence = { .size = sizeof(residence) };
	struct dxmit_queue_stats stats = { .size = sizeof(stats) };
	const struct dxmit_wishes wishes = { .size = sizeof(wishes) };
	struct dxmit_topology *topology;
	struct dxmit_queue *q = open_with(&options);
	struct dxmit_plan *plan;
	struct dxmit_nic nic;

	send_frames(q, 1000);
	dxmit_queue_stats(q, &stats);
	dxmit_queue_residence(q, &residence);
	dxmit_queue_close(&q);
	dxmit_nic_read("va", &nic, NULL);
	dxmit_nic_read("nosuch", &nic, NULL);
	dxmit_nic_read("va", &nic, NULL);
	dxmit_topology_load(NULL, &topology, NULL);
	dxmit_plan_make(&nic, topology, &wishes, &plan, NULL);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static int saved[2] = { -1, -1 }, heard = -1;

static void listen_to_output(void)
{
	heard = memfd_create("heard", MFD_CLOEXEC);
	saved[0] = dup(STDOUT_FILENO);
	saved[1] = dup(STDERR_FILENO);
	assert_true(heard >= 0 && saved[0] >= 0 && saved[1] >= 0);
	fflush(stdout);
	dup2(heard, STDOUT_FILENO);
	dup2(heard, STDERR_FILENO);
}

/* Also after a failure: shows what was said then, by cmocka perhaps. */
static int give_output_back(void **state)
{
	char text[512];
	ssize_t n;

	(void)state;
	if (heard < 0)
		return 0;
	fflush(stdout);
	dup2(saved[0], STDOUT_FILENO);
	dup2(saved[1], STDERR_FILENO);
	close(saved[0]);
	close(saved[1]);
	n = pread(heard, text, sizeof(text), 0);
	if (n > 0)
		print_message("# heard: %.*s\n", (int)n, text);
	close(heard);
	heard = -1;
	return 0;
}

/* Also where libbpf is told to talk. */
static void never_prints_nor_starts_a_thread(void **state)
{
	int threads = entries_of("/proc/self/task"), threads_after;
	struct stat said;

	NEED_DEVICES();
	setenv("LIBBPF_LOG_LEVEL", "debug", 1);
	listen_to_output();
	open_in_every_bad_way();
	use_everything();
	threads_after = entries_of("/proc/self/task");
	fflush(stdout);
	assert_int_equal(fstat(heard, &said), 0);
	give_output_back(state);
	assert_int_equal(said.st_size, 0);
	assert_int_equal(threads_after, threads);
}

/* ---- threads ---------------------------------------------------------- */

#define TIMES 5
#define FRAMES_EACH 2000

struct user {
	pthread_t thread;
	uint32_t queue;
	bool ok;
};

/* All that a handle can do, again and again. The sanitizer of threads, where
 * this runs under it, sees what two handles share. */
static void *use_own_queue(void *arg)
{
	struct user *user = arg;
	struct dxmit_queue_options options = options_for(user->queue);
	int i;

	user->ok = true;
	for (i = 0; i < TIMES && user->ok; i++) {
		struct dxmit_residence residence = { .size = sizeof(residence) };
		struct dxmit_queue_stats stats = { .size = sizeof(stats) };
		struct dxmit_queue_info info = { .size = sizeof(info) };
		struct dxmit_queue *q;

		options.fixed_slots = (uint32_t)i & 1;
		options.kick = i & 2 ? DXMIT_KICK_POLL : DXMIT_KICK_SENDTO;
		user->ok = dxmit_queue_open(&options, &q, NULL) == 0 &&
			   send_frames(q, FRAMES_EACH) &&
			   dxmit_queue_info(q, &info) == 0 && info.queue == user->queue &&
			   dxmit_queue_residence(q, &residence) == 0 &&
			   dxmit_queue_stats(q, &stats) == 0 &&
			   stats.submitted == FRAMES_EACH && stats.in_flight == 0;
		dxmit_queue_close(&q);
	}
	return NULL;
}

static uint64_t far_end_packets(void)
{
	struct dxmit_nic_counters counters = { 0 };
	struct dxmit_nic_watch *watch;

	assert_int_equal(dxmit_nic_watch_open((int)if_nametoindex("vb"), &watch), 0);
	assert_int_equal(dxmit_nic_watch_read(watch, &counters), 0);
	dxmit_nic_watch_close(&watch);
	return counters.rx_packets;
}

static void handles_in_threads_do_not_mix(void **state)
{
	struct user user[PAIR_QUEUES];
	uint64_t before;
	uint32_t i;

	(void)state;
	NEED_DEVICES();
	before = far_end_packets();
	for (i = 0; i < PAIR_QUEUES; i++) {
		user[i].queue = i;
		assert_int_equal(
			pthread_create(&user[i].thread, NULL, use_own_queue, &user[i]),
			0);
	}
	for (i = 0; i < PAIR_QUEUES; i++)
		pthread_join(user[i].thread, NULL);
	for (i = 0; i < PAIR_QUEUES; i++)
		assert_true(user[i].ok);
	assert_int_equal(far_end_packets() - before, PAIR_QUEUES * TIMES * FRAMES_EACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First, while nothing of the library has run. */
		cmocka_unit_test(open_and_close_change_no_setting),
		cmocka_unit_test(close_is_idempotent),
		cmocka_unit_test(reopens_at_once_after_close),
		cmocka_unit_test(program_hangs_on_a_link),
		cmocka_unit_test_teardown(never_prints_nor_starts_a_thread,
					  give_output_back),
		cmocka_unit_test(handles_in_threads_do_not_mix),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("contract: life", tests, make_pair, NULL);
}
