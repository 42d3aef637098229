/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards where the frame memory is said to lie: what could not be checked is
 * not called verified, and has its reason.
 */
#include "pair_fixture.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

struct refusal {
	const struct dxmit_queue *queue;
	int error;
	int filtered;
	int answer;
	struct dxmit_residence found;
};

/* As in a container, or on a kernel without NUMA; for this thread alone. */
static void *look_without_move_pages(void *arg)
{
	struct refusal *r = arg;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_move_pages, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)r->error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = 4, .filter = code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	r->filtered = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	r->found = (struct dxmit_residence){ .size = sizeof(r->found) };
	r->answer = dxmit_queue_residence(r->queue, &r->found);
	return NULL;
}

static void unverified_has_a_reason(void **state)
{
	static const int errors[] = { EPERM, ENOSYS };
	struct dxmit_queue_options options = options_for(0);
	struct dxmit_residence found = { .size = sizeof(found) };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct dxmit_queue *q;
	size_t i;

	(void)state;
	NEED_DEVICES();
	options.huge = DXMIT_HUGE_OFF;
	options.node_plus_1 = 1;
	q = open_with(&options);
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct refusal r = { .queue = q, .error = errors[i] };
		pthread_t thread;

		assert_int_equal(
			pthread_create(&thread, NULL, look_without_move_pages, &r), 0);
		pthread_join(thread, NULL);
		if (r.filtered) {
			print_message("# skipped: no seccomp filters here\n");
			dxmit_queue_close(&q);
			skip();
		}
		assert_int_equal(r.answer, 0);
		assert_int_equal(r.found.verified, 0);
		assert_int_equal(r.found.reason, errors[i]);
		assert_int_equal(r.found.pages_on_node, 0);
		assert_int_equal(r.found.node, -1);
	}
	assert_int_equal(dxmit_queue_residence(q, &found), 0);
	if (found.reason != ENOSYS) { /* a kernel with NUMA */
		assert_int_equal(found.verified, 1);
		assert_int_equal(found.reason, 0);
		assert_int_equal(found.pages, info_of(q).umem_bytes / page);
		assert_true(found.node >= 0 && found.pages_on_node <= found.pages);
		/* One page that is nowhere is enough. */
		assert_int_equal(madvise(q->umem + 5 * page, page, MADV_DONTNEED), 0);
		assert_int_equal(dxmit_queue_residence(q, &found), 0);
		assert_int_equal(found.verified, 0);
		assert_int_not_equal(found.reason, 0);
	}
	dxmit_queue_close(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unverified_has_a_reason),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("residence", tests, make_pair, NULL);
}
