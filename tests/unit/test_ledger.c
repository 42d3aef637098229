/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the rules of the ledger on synthetic reports: who is believed, what a
 * drop is, what kernels do with invalid descriptors, what is foreign, and that
 * only a deficit opens the books.
 */
#include "report_fixture.h"

#include "ledger.h"

/* One finished run as its witnesses tell it; all else is 0. */
struct run_told {
	uint64_t queued, completed, lost, invalid;
	bool far;
	uint64_t far_packets;
	bool device;
	uint64_t tx_packets, tx_dropped, tx_errors, rx_packets, rx_dropped;
	const char *driver;
};

struct books {
	uint64_t sent, dropped, invalid, in_flight, foreign;
	int64_t unexplained;
};

/* Counters do not begin at 0, and wrap nowhere. */
#define BEFORE 0xfffffff000ull

static void tell(struct fixture *f, const struct run_told *told)
{
	struct report *r = &f->report;

	fixture_init(f);
	strcpy(f->nic.driver, told->driver ? told->driver : "veth");
	memset(&r->total, 0, sizeof(r->total));
	memset(&r->ledger, 0, sizeof(r->ledger));
	r->total.packets = told->queued;
	r->total.completed = told->completed;
	r->total.lost = told->lost;
	f->queue[0].invalid = told->invalid / 2;
	f->queue[1].invalid = told->invalid - told->invalid / 2;
	r->far_end_present = told->far;
	r->far_end_packets = told->far_packets;
	r->device_valid = told->device;
	r->device_before = (struct dxmit_nic_counters){ .tx_packets = BEFORE,
							.tx_dropped = BEFORE + 1,
							.tx_errors = BEFORE + 2,
							.rx_packets = BEFORE + 3,
							.rx_dropped = BEFORE + 4 };
	r->device_after = r->device_before;
	r->device_after.tx_packets += told->tx_packets;
	r->device_after.tx_dropped += told->tx_dropped;
	r->device_after.tx_errors += told->tx_errors;
	r->device_after.rx_packets += told->rx_packets;
	r->device_after.rx_dropped += told->rx_dropped;
}

static void check(const char *what, struct run_told told, const char *witness,
		  struct books expected)
{
	struct fixture f;
	const struct ledger *l = &f.report.ledger;
	struct books got;

	tell(&f, &told);
	ledger_fill(&f.report);
	got = (struct books){ l->sent,      l->dropped, l->invalid,
			      l->in_flight, l->foreign, l->unexplained };
	if (memcmp(&got, &expected, sizeof(got)) != 0)
		fail_msg("%s: sent %ju dropped %ju invalid %ju in flight %ju foreign %ju "
			 "unexplained %jd",
			 what, (uintmax_t)got.sent, (uintmax_t)got.dropped,
			 (uintmax_t)got.invalid, (uintmax_t)got.in_flight,
			 (uintmax_t)got.foreign, (intmax_t)got.unexplained);
	assert_string_equal(l->witness, witness);
	assert_true(l->queued == told.queued);
	assert_true(l->closed == (expected.unexplained == 0));
	assert_true((int64_t)(l->queued - l->sent - l->dropped - l->invalid -
			      l->in_flight) == l->unexplained);
}

static void far_end_is_believed_first(void **state)
{
	(void)state;
	check("all well",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .far = true,
				 .far_packets = 100,
				 .device = true,
				 .tx_packets = 100 },
	      "far end", (struct books){ 100, 0, 0, 0, 0, 0 });
	check("nothing asked", (struct run_told){ .far = true, .device = true },
	      "far end", (struct books){ 0 });
	check("the device claims more than arrived",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .far = true,
				 .far_packets = 99,
				 .device = true,
				 .tx_packets = 100 },
	      "far end", (struct books){ 99, 0, 0, 0, 0, 1 });
	check("more arrived than completed",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .far = true,
				 .far_packets = 101,
				 .device = true,
				 .tx_packets = 101 },
	      "far end", (struct books){ 100, 0, 0, 0, 1, 0 });
	check("beyond 32 and 53 bits",
	      (struct run_told){ .queued = (1ull << 53) + 1,
				 .completed = (1ull << 53) + 1,
				 .far = true,
				 .far_packets = (1ull << 53) + 1,
				 .device = true,
				 .tx_packets = (1ull << 53) + 1 },
	      "far end", (struct books){ (1ull << 53) + 1, 0, 0, 0, 0, 0 });
}

static void device_is_believed_next(void **state)
{
	(void)state;
	check("all well",
	      (struct run_told){ .queued = 179,
				 .completed = 179,
				 .device = true,
				 .tx_packets = 179 },
	      "device tx_packets", (struct books){ 179, 0, 0, 0, 0, 0 });
	check("completed, never sent",
	      (struct run_told){ .queued = 179,
				 .completed = 179,
				 .device = true,
				 .tx_packets = 170 },
	      "device tx_packets", (struct books){ 170, 0, 0, 0, 0, 9 });
	check("nobody saw anything", (struct run_told){ .queued = 179, .completed = 179 },
	      "none", (struct books){ 0, 0, 0, 0, 0, 179 });
	check("nobody saw, some were lost",
	      (struct run_told){ .queued = 179, .completed = 179, .lost = 9 }, "none",
	      (struct books){ 0, 9, 0, 0, 0, 170 });
}

/* C14: a completion is no witness. ifb takes all and sends nothing of ours: it
 * throws away what it received and did not pass on. */
static void ifb_sends_nothing(void **state)
{
	struct fixture f;

	(void)state;
	check("ifb",
	      (struct run_told){ .queued = 179,
				 .completed = 179,
				 .device = true,
				 .rx_packets = 179,
				 .rx_dropped = 120,
				 .driver = "ifb" },
	      "device tx_packets", (struct books){ 0, 179, 0, 0, 0, 0 });
	check("ifb, late counter",
	      (struct run_told){ .queued = 179,
				 .completed = 179,
				 .device = true,
				 .rx_packets = 100,
				 .driver = "ifb" },
	      "device tx_packets", (struct books){ 0, 100, 0, 0, 0, 79 });
	check("ifb passes on what was redirected",
	      (struct run_told){ .queued = 179,
				 .completed = 179,
				 .device = true,
				 .rx_packets = 186,
				 .tx_packets = 7,
				 .driver = "ifb" },
	      "device tx_packets", (struct books){ 0, 179, 0, 0, 7, 0 });
	check("what others receive is not ours",
	      (struct run_told){ .queued = 179,
				 .completed = 179,
				 .device = true,
				 .tx_packets = 170,
				 .rx_packets = 9,
				 .rx_dropped = 9 },
	      "device tx_packets", (struct books){ 170, 0, 0, 0, 0, 9 });
	tell(&f, &(struct run_told){ .device = true,
				     .rx_packets = 5,
				     .tx_packets = 2,
				     .tx_dropped = 4,
				     .tx_errors = 5,
				     .driver = "ifb" });
	assert_true(ledger_device_drops(&f.report) == 3);
	strcpy(f.nic.driver, "ixgbe");
	assert_true(ledger_device_drops(&f.report) == 9);
	f.report.device_valid = false;
	assert_true(ledger_device_drops(&f.report) == 0);
}

/* EBUSY losses, and what the device counts beyond them. Never a frame that
 * the witness saw. */
static void drops(void **state)
{
	(void)state;
	check("each loss counted by both",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .lost = 7,
				 .far = true,
				 .far_packets = 93,
				 .device = true,
				 .tx_packets = 93,
				 .tx_dropped = 7 },
	      "far end", (struct books){ 93, 7, 0, 0, 0, 0 });
	check("losses behind poll, counted by the device",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .lost = 1,
				 .far = true,
				 .far_packets = 68,
				 .device = true,
				 .tx_packets = 68,
				 .tx_dropped = 32 },
	      "far end", (struct books){ 68, 32, 0, 0, 0, 0 });
	check("losses the device does not count",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .lost = 7,
				 .device = true,
				 .tx_packets = 93 },
	      "device tx_packets", (struct books){ 93, 7, 0, 0, 0, 0 });
	check("drops as errors",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .device = true,
				 .tx_packets = 90,
				 .tx_dropped = 4,
				 .tx_errors = 6 },
	      "device tx_packets", (struct books){ 90, 10, 0, 0, 0, 0 });
}

/* Drops the device counts and that are not ours, or not all there is. */
static void drops_that_do_not_fit(void **state)
{
	(void)state;
	check("somebody else's drops",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .far = true,
				 .far_packets = 100,
				 .device = true,
				 .tx_packets = 100,
				 .tx_dropped = 50 },
	      "far end", (struct books){ 100, 0, 0, 0, 0, 0 });
	check("more drops than missing",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .lost = 2,
				 .far = true,
				 .far_packets = 98,
				 .device = true,
				 .tx_packets = 98,
				 .tx_dropped = 50 },
	      "far end", (struct books){ 98, 2, 0, 0, 0, 0 });
	check("a loss, and one that nobody explains",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .lost = 2,
				 .far = true,
				 .far_packets = 97,
				 .device = true,
				 .tx_packets = 97,
				 .tx_dropped = 2 },
	      "far end", (struct books){ 97, 2, 0, 0, 0, 1 });
	check("all of them dropped",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .lost = 100,
				 .device = true,
				 .tx_dropped = 100 },
	      "device tx_packets", (struct books){ 0, 100, 0, 0, 0, 0 });
}

static void frames_in_flight(void **state)
{
	(void)state;
	check("never completed",
	      (struct run_told){ .queued = 100,
				 .completed = 60,
				 .far = true,
				 .far_packets = 60,
				 .device = true,
				 .tx_packets = 60 },
	      "far end", (struct books){ 60, 0, 0, 40, 0, 0 });
	/* They may have left: a completion lags. Still in flight, not sent. */
	check("on the wire, not completed",
	      (struct run_told){ .queued = 100,
				 .completed = 60,
				 .far = true,
				 .far_packets = 75,
				 .device = true,
				 .tx_packets = 75 },
	      "far end", (struct books){ 60, 0, 0, 40, 0, 0 });
	check("dropped and in flight",
	      (struct run_told){ .queued = 100,
				 .completed = 60,
				 .lost = 10,
				 .device = true,
				 .tx_packets = 50,
				 .tx_dropped = 10 },
	      "device tx_packets", (struct books){ 50, 10, 0, 40, 0, 0 });
	check("in flight hides no deficit",
	      (struct run_told){ .queued = 100,
				 .completed = 60,
				 .far = true,
				 .far_packets = 55,
				 .device = true,
				 .tx_packets = 55 },
	      "far end", (struct books){ 55, 0, 0, 40, 0, 5 });
}

/* 6.12 completes an invalid descriptor, 6.1 never does. Either way it is not
 * sent, not in flight and not missing. */
static void invalid_descriptors(void **state)
{
	(void)state;
	check("6.12",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .invalid = 3,
				 .far = true,
				 .far_packets = 97,
				 .device = true,
				 .tx_packets = 97 },
	      "far end", (struct books){ 97, 0, 3, 0, 0, 0 });
	check("6.1",
	      (struct run_told){ .queued = 100,
				 .completed = 97,
				 .invalid = 3,
				 .far = true,
				 .far_packets = 97,
				 .device = true,
				 .tx_packets = 97 },
	      "far end", (struct books){ 97, 0, 3, 0, 0, 0 });
	check("6.12 with losses and frames out",
	      (struct run_told){ .queued = 100,
				 .completed = 80,
				 .lost = 5,
				 .invalid = 3,
				 .device = true,
				 .tx_packets = 72,
				 .tx_dropped = 5 },
	      "device tx_packets", (struct books){ 72, 5, 3, 20, 0, 0 });
	check("6.1 with losses and frames out",
	      (struct run_told){ .queued = 100,
				 .completed = 77,
				 .lost = 5,
				 .invalid = 3,
				 .device = true,
				 .tx_packets = 72,
				 .tx_dropped = 5 },
	      "device tx_packets", (struct books){ 72, 5, 3, 20, 0, 0 });
	check("nothing but invalid ones",
	      (struct run_told){ .queued = 5, .invalid = 5, .device = true },
	      "device tx_packets", (struct books){ 0, 0, 5, 0, 0, 0 });
}

static void foreign_frames(void **state)
{
	(void)state;
	check("beside ours",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .far = true,
				 .far_packets = 100,
				 .device = true,
				 .tx_packets = 106 },
	      "far end", (struct books){ 100, 0, 0, 0, 6, 0 });
	check("the device alone as witness",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .device = true,
				 .tx_packets = 106 },
	      "device tx_packets", (struct books){ 100, 0, 0, 0, 6, 0 });
	check("with drops and invalid ones",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .lost = 10,
				 .invalid = 5,
				 .far = true,
				 .far_packets = 85,
				 .device = true,
				 .tx_packets = 89,
				 .tx_dropped = 10 },
	      "far end", (struct books){ 85, 10, 5, 0, 4, 0 });
	check("do not stand in for a loss",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .lost = 10,
				 .device = true,
				 .tx_packets = 97,
				 .tx_dropped = 10 },
	      "device tx_packets", (struct books){ 90, 10, 0, 0, 7, 0 });
	/* The far end counts by content: a foreign frame fills no gap. */
	check("cannot cover a deficit",
	      (struct run_told){ .queued = 100,
				 .completed = 100,
				 .far = true,
				 .far_packets = 98,
				 .device = true,
				 .tx_packets = 100 },
	      "far end", (struct books){ 98, 0, 0, 0, 0, 2 });
}

/* A counter that went back (the device was reset) is 0, not 2^64. */
static void counters_that_go_back(void **state)
{
	struct fixture f;

	(void)state;
	tell(&f, &(struct run_told){ .queued = 10, .completed = 10, .device = true });
	f.report.device_after.tx_packets = 3;
	f.report.device_after.tx_dropped = 0;
	f.report.device_after.tx_errors = 0;
	ledger_fill(&f.report);
	assert_true(f.report.ledger.sent == 0);
	assert_true(f.report.ledger.dropped == 0);
	assert_true(f.report.ledger.foreign == 0);
	assert_true(f.report.ledger.unexplained == 10);
}

/* Filling again from newer counters gives what filling once would have. */
static void filling_again_changes_nothing(void **state)
{
	struct fixture f;
	struct ledger once;

	(void)state;
	tell(&f, &(struct run_told){ .queued = 100,
				     .completed = 80,
				     .lost = 5,
				     .invalid = 3,
				     .device = true,
				     .tx_packets = 72,
				     .tx_dropped = 5 });
	f.report.ledger.settled = true;
	f.report.ledger.skipped = 11;
	ledger_fill(&f.report);
	once = f.report.ledger;
	ledger_fill(&f.report);
	assert_memory_equal(&f.report.ledger, &once, sizeof(once));
	assert_true(once.settled);
	assert_true(once.skipped == 11);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_end_is_believed_first),
		cmocka_unit_test(device_is_believed_next),
		cmocka_unit_test(ifb_sends_nothing),
		cmocka_unit_test(drops),
		cmocka_unit_test(drops_that_do_not_fit),
		cmocka_unit_test(frames_in_flight),
		cmocka_unit_test(invalid_descriptors),
		cmocka_unit_test(foreign_frames),
		cmocka_unit_test(counters_that_go_back),
		cmocka_unit_test(filling_again_changes_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
