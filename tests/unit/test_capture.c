/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures nobody vouches for (CASES.md C21): every format is read back exactly;
 * cut at every byte and with every header byte spoilt, the good records before
 * are usable, the fault says where, and memory stays bounded.
 */
#include "capture_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "capture.h"

#define RECORDS 5
#define START_NS 1700000000123456789ull
#define MEMORY_BYTES (96l << 20) /* far above pcapng's 16 MiB and the sanitizer's share */

static struct file file; /* too large for a stack */
static const uint32_t lengths[RECORDS] = { 60, 14, 1514, 61, 300 };

static void make_file(bool next, bool big, bool nano)
{
	uint8_t frame[2048];
	uint32_t i;

	file_begin(&file, next, big, nano);
	for (i = 0; i < RECORDS; i++) {
		make_frame(frame, lengths[i], i, i);
		put_frame(&file, START_NS + i * 1000001000ull, frame, lengths[i]);
	}
}

static uint64_t expected_ns(uint32_t i)
{
	uint64_t ns = START_NS + i * 1000001000ull;

	return file.nano ? ns : ns / 1000 * 1000;
}

static void check_record(const struct capture_record *record, uint32_t i)
{
	uint8_t frame[2048];

	make_frame(frame, lengths[i], i, i);
	assert_int_equal(record->number, i + 1);
	assert_int_equal(record->offset, file.record_at[i]);
	assert_int_equal(record->time_ns, expected_ns(i));
	assert_int_equal(record->captured, lengths[i]);
	assert_int_equal(record->original, lengths[i]);
	assert_memory_equal(record->bytes, frame, lengths[i]);
}

/* Run f for each of the eight formats. */
static void each_format(void (*f)(void))
{
	unsigned int format;

	for (format = 0; format < 8; format++) {
		make_file(format & 1, format & 2, format & 4);
		f();
		file_close(&file);
	}
}

static void read_back(void)
{
	struct capture_fault fault;
	struct capture_record record;
	struct capture *c;
	uint32_t i, pass;

	assert_int_equal(capture_open(file_written(&file, file.used), -1, &c, &fault), 0);
	assert_int_equal(capture_size(c), file.used);
	for (pass = 0; pass < 3; pass++) {
		for (i = 0; i < RECORDS; i++) {
			assert_int_equal(capture_next(c, &record, &fault), 1);
			check_record(&record, i);
		}
		assert_int_equal(capture_next(c, &record, &fault), 0);
		assert_int_equal(capture_rewind(c, &fault), 0);
	}
	capture_close(&c);
	assert_null(c);
	capture_close(&c);
}

static void test_every_format(void **state)
{
	(void)state;
	each_format(read_back);
}

/* Records that are whole before the byte `at`. */
static uint32_t whole_before(size_t at)
{
	uint32_t n = 0;

	while (n < RECORDS && file.record_at[n + 1] <= at)
		n++;
	return n;
}

/* Read as far as it goes; the first `good` records must be as written. */
static int read_all(const char *path, uint32_t good, struct capture_fault *fault)
{
	struct capture_record record;
	struct capture *c;
	uint32_t n = 0;
	int answer = capture_open(path, -1, &c, fault);

	if (answer) {
		assert_null(c);
		assert_int_equal(good, 0);
		return answer;
	}
	while ((answer = capture_next(c, &record, fault)) == 1) {
		if (n < good)
			check_record(&record, n);
		assert_true(record.captured <= CAPTURE_MAX_LENGTH);
		n++;
	}
	assert_true(n >= good);
	capture_close(&c);
	return answer;
}

static void cut_everywhere(void)
{
	struct capture_fault fault;
	size_t cut;

	for (cut = 0; cut < file.used; cut++) {
		uint32_t good = whole_before(cut);
		int answer = read_all(file_written(&file, cut), good, &fault);

		if (cut == file.record_at[good] || (file.next && cut == 28)) {
			/* Between records: nothing can tell. After pcapng's first
			 * block alone there is no link type. */
			assert_true(answer == 0 || cut == 28);
			continue;
		}
		assert_int_equal(answer, -EPROTO);
		assert_true(fault.reason[0]);
		assert_null(strchr(fault.reason, ';'));
		assert_int_equal(fault.record, cut < file.record_at[0] ? 0 : good + 1);
		if (fault.record)
			assert_int_equal(fault.offset, file.record_at[good]);
	}
}

static void test_cut_at_every_byte(void **state)
{
	(void)state;
	each_format(cut_everywhere);
}

/* Every byte that is no frame, changed in several ways. */
static void spoil_headers(void)
{
	static const uint8_t changes[] = { 0x01, 0x80, 0xff, 0x7f, 0x20 };
	struct capture_fault fault;
	size_t at, i;

	for (at = 0; at < file.used; at++) {
		uint32_t record = whole_before(at);

		if (at >= file.record_at[record] + (file.next ? 28 : 16) &&
		    record < RECORDS &&
		    at < file.record_at[record] + (file.next ? 28 : 16) + lengths[record])
			continue;
		for (i = 0; i < sizeof(changes); i++) {
			file.bytes[at] ^= changes[i];
			read_all(file_written(&file, file.used), record, &fault);
			file.bytes[at] ^= changes[i];
		}
	}
}

static void test_every_header_byte_spoilt(void **state)
{
	struct rusage before, after;

	(void)state;
	getrusage(RUSAGE_SELF, &before);
	each_format(spoil_headers);
	getrusage(RUSAGE_SELF, &after);
	assert_true((after.ru_maxrss - before.ru_maxrss) * 1024 < MEMORY_BYTES);
}

/* One record with these lengths after a good one. */
static int read_odd(uint32_t snaplen, uint32_t there, uint32_t captured,
		    uint32_t original, struct capture_record *record,
		    struct capture_fault *fault)
{
	static uint8_t kept[CAPTURE_MAX_LENGTH];
	uint8_t frame[2048];
	struct capture *c;
	int answer;

	make_frame(frame, sizeof(frame), 0, 0);
	file_begin(&file, false, false, true);
	file.used = 0;
	put_header(&file, snaplen, LINK_ETHERNET);
	put_frame(&file, START_NS, frame, 60);
	put_record(&file, START_NS, frame, there, captured, original);
	assert_int_equal(capture_open(file_written(&file, file.used), -1, &c, fault), 0);
	assert_int_equal(capture_next(c, record, fault), 1);
	answer = capture_next(c, record, fault);
	if (answer == 1) {
		memcpy(kept, record->bytes, record->captured);
		record->bytes = kept;
	}
	capture_close(&c);
	file_close(&file);
	return answer;
}

static void test_odd_lengths(void **state)
{
	struct capture_fault fault;
	struct capture_record record;
	uint8_t frame[2048];
	char text[CAPTURE_TEXT_LEN];

	(void)state;
	make_frame(frame, sizeof(frame), 0, 0);
	/* more than the snap length: as much as that is there */
	assert_int_equal(read_odd(100, 200, 200, 200, &record, &fault), 1);
	assert_int_equal(record.captured, 100);
	assert_int_equal(record.original, 200);
	assert_memory_equal(record.bytes, frame, 100);
	/* more than the rest of the file */
	assert_int_equal(read_odd(65535, 100, 200, 200, &record, &fault), -EPROTO);
	assert_int_equal(fault.record, 2);
	assert_int_equal(fault.offset, 24 + 16 + 60);
	capture_fault_text(&fault, text);
	assert_memory_equal(text, "record 2 at byte 100: ", 22);
	/* more than there can be */
	assert_int_equal(read_odd(65535, 100, 0xffffffff, 100, &record, &fault), -EPROTO);
	assert_int_equal(read_odd(65535, 100, 0x7fffffff, 100, &record, &fault), -EPROTO);
	assert_int_equal(read_odd(0xffffffff, 100, 262145, 100, &record, &fault),
			 -EPROTO);
	/* fewer on the wire than recorded, and none at all */
	assert_int_equal(read_odd(65535, 100, 100, 50, &record, &fault), 1);
	assert_int_equal(record.captured, 100);
	assert_int_equal(record.original, 50);
	assert_int_equal(read_odd(65535, 0, 0, 0, &record, &fault), 1);
	assert_int_equal(record.captured, 0);
}

static int open_only(const char *path, struct capture_fault *fault)
{
	struct capture *c;
	int answer = capture_open(path, -1, &c, fault);

	assert_int_equal(answer == 0, c != NULL);
	capture_close(&c);
	return answer;
}

static void test_no_captures(void **state)
{
	static const char text[] = "#!/bin/sh\necho this is a script, no capture\n";
	struct capture_fault fault;

	(void)state;
	assert_int_equal(open_only("/nonexistent", &fault), -ENOENT);
	assert_int_equal(open_only("/tmp", &fault), -EISDIR);
	assert_int_equal(open_only("/dev/null", &fault), -EPROTO);
	assert_string_equal(fault.reason, "it is empty");
	file_begin(&file, false, false, false);
	assert_int_equal(open_only(file_written(&file, 0), &fault), -EPROTO);
	assert_string_equal(fault.reason, "it is empty");
	file.used = 0;
	put(&file, text, sizeof(text));
	assert_int_equal(open_only(file_written(&file, file.used), &fault), -EPROTO);
	file.used = 0;
	put_header(&file, 65535, 101); /* raw IP */
	assert_int_equal(open_only(file_written(&file, file.used), &fault), -EPROTO);
	assert_non_null(strstr(fault.reason, "it holds RAW packets"));
	file_close(&file);
}

/* Standard input becomes a pipe with the file in it. */
static void test_pipe(void **state)
{
	struct capture_fault fault;
	struct capture_record record;
	struct capture *c;
	int ends[2], kept = dup(STDIN_FILENO);
	uint32_t i;

	(void)state;
	make_file(true, false, true);
	assert_int_equal(pipe(ends), 0);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(write(ends[1], file.bytes, file.used - 1), file.used - 1);
	assert_int_equal(capture_open("-", -1, &c, &fault), 0);
	assert_int_equal(capture_size(c), -1);
	for (i = 0; i + 1 < RECORDS; i++) {
		assert_int_equal(capture_next(c, &record, &fault), 1);
		check_record(&record, i);
	}
	close(ends[1]);
	assert_int_equal(capture_next(c, &record, &fault), -EPROTO);
	assert_int_equal(fault.record, RECORDS);
	assert_int_equal(fault.offset, file.record_at[RECORDS - 1]);
	assert_int_equal(capture_rewind(c, &fault), -ESPIPE);
	assert_int_equal(capture_next(c, &record, &fault), -EPROTO);
	capture_close(&c);
	dup2(kept, STDIN_FILENO);
	close(kept);
}

/* Nobody ever writes: the open does not hang, and the read gives up. */
static void test_stop_while_waiting(void **state)
{
	char name[] = "/tmp/dxmit-fifo-XXXXXX";
	struct capture_fault fault;
	struct capture *c;
	int stop_fd = eventfd(1, EFD_CLOEXEC);

	(void)state;
	assert_non_null(mkdtemp(name));
	assert_int_equal(rmdir(name), 0);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(capture_open(name, stop_fd, &c, &fault), -ECANCELED);
	assert_true(fault.canceled);
	unlink(name);
	make_file(false, false, false);
	assert_int_equal(
		capture_open(file_written(&file, file.used), stop_fd, &c, &fault),
		-ECANCELED);
	file_close(&file);
	close(stop_fd);
}

static void test_first(void **state)
{
	struct capture_fault fault;
	uint8_t frame[2048], buf[64];

	(void)state;
	make_file(false, true, false);
	file_written(&file, file.used);
	assert_int_equal(capture_first(file.path, buf, sizeof(buf), &fault), 60);
	make_frame(frame, 60, 0, 0);
	assert_memory_equal(buf, frame, 60);
	assert_int_equal(capture_first(file.path, buf, 59, &fault), -EMSGSIZE);
	assert_int_equal(fault.record, 1);
	assert_int_equal(capture_first(file_written(&file, 24), buf, 64, &fault), 0);
	assert_int_equal(capture_first(file_written(&file, 30), buf, 64, &fault),
			 -EPROTO);
	assert_int_equal(capture_first("/nonexistent", buf, 64, &fault), -ENOENT);
	file_close(&file);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_format),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_every_header_byte_spoilt),
		cmocka_unit_test(test_odd_lengths),
		cmocka_unit_test(test_no_captures),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_stop_while_waiting),
		cmocka_unit_test(test_first),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
