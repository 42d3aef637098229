/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Topologies as plain data: numbering of cores, threads and nodes, gaps,
 * restrictions, this machine, and sources that are not topologies.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <dxmit/topology.h>

/* hwloc 2.9 loses objects when it gives up on a damaged file. A topology we
 * forget to destroy would still show: its root is allocated elsewhere. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:hwloc_alloc_setup_object\n";
}

static char directory[] = "/tmp/dxmit-topology-XXXXXX";

static const char *file_with(const char *name, const char *content)
{
	static char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(content, f);
	assert_int_equal(fclose(f), 0);
	return path;
}

static struct dxmit_topology *load(const char *source)
{
	struct dxmit_topology *topology;

	assert_int_equal(dxmit_topology_load(source, &topology, NULL), 0);
	assert_non_null(topology);
	return topology;
}

static void refused(const char *source, int expected)
{
	struct dxmit_topology *topology = (struct dxmit_topology *)(uintptr_t)8;
	struct dxmit_error error;

	assert_int_equal(dxmit_topology_load(source, &topology, &error), expected);
	assert_null(topology);
	assert_int_equal(error.stage, DXMIT_STAGE_TOPOLOGY);
	assert_int_equal(error.code, -expected);
	assert_memory_equal(error.object, source, strnlen(source, 31));
}

static void two_packages_with_threads(void **state)
{
	struct dxmit_topology *topology = load("pack:2 numa:1 core:2 pu:2");
	size_t i;

	(void)state;
	assert_int_equal(topology->cpus, 8);
	assert_int_equal(topology->cores, 4);
	assert_int_equal(topology->nodes, 2);
	assert_int_equal(topology->smt, 1);
	assert_string_equal(topology->source, "pack:2 numa:1 core:2 pu:2");
	for (i = 0; i < 8; i++) {
		assert_int_equal(topology->cpu[i].id, i);
		assert_int_equal(topology->cpu[i].core, i / 2);
		assert_int_equal(topology->cpu[i].sibling, i % 2);
		assert_int_equal(topology->cpu[i].node, i / 4);
		assert_int_equal(topology->cpu[i].package, i / 4);
		assert_int_equal(topology->cpu[i].allowed, 1);
	}
	assert_int_equal(topology->node[1].id, 1);
	assert_int_equal(topology->node[1].allowed, 1);
	assert_true(topology->node[1].memory_bytes > 0);
	dxmit_topology_free(&topology);
	assert_null(topology);
	dxmit_topology_free(&topology);
	dxmit_topology_free(NULL);
}

/* hwloc may merge a level that has one child: it must not swallow the core. */
static void one_core_with_threads(void **state)
{
	struct dxmit_topology *topology = load("pack:1 core:1 pu:4");

	(void)state;
	assert_int_equal(topology->cores, 1);
	assert_int_equal(topology->cpu[3].sibling, 3);
	assert_int_equal(topology->smt, 1);
	assert_int_equal(topology->nodes, 1);
	dxmit_topology_free(&topology);
}

static void threads_without_cores(void **state)
{
	struct dxmit_topology *topology = load("pu:3");
	size_t i;

	(void)state;
	assert_int_equal(topology->cores, 3);
	assert_int_equal(topology->smt, 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(topology->cpu[i].core, i);
	dxmit_topology_free(&topology);
}

static void several_nodes_in_a_package(void **state)
{
	struct dxmit_topology *topology = load("pack:2 numa:2 core:2 pu:1");
	size_t i;

	(void)state;
	assert_int_equal(topology->nodes, 4);
	for (i = 0; i < 8; i++)
		assert_int_equal(topology->cpu[i].node, i / 2);
	dxmit_topology_free(&topology);
}

/* Laid out as the tree it describes. */
/* clang-format off */
#define OBJECT(type, index, cpus, nodes, gp) \
	"<object type=\"" type "\" os_index=\"" index "\" cpuset=\"" cpus "\" " \
	"complete_cpuset=\"" cpus "\" nodeset=\"" nodes "\" complete_nodeset=\"" \
	nodes "\" gp_index=\"" gp "\""

/* CPUs 1, 5 (one core), 3 and 34; node 0 with them, node 2 without any; CPU 5
 * and node 2 not allowed. */
static const char sparse_xml[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
	OBJECT("Machine", "0", "0x00000004,0x0000002a", "0x5", "1")
	" allowed_cpuset=\"0x00000004,0x0000000a\" allowed_nodeset=\"0x1\">\n"
	OBJECT("NUMANode", "2", "0x0", "0x4", "2") " local_memory=\"4096\"/>\n"
	OBJECT("Package", "0", "0x00000004,0x0000002a", "0x1", "3") ">\n"
	OBJECT("NUMANode", "0", "0x00000004,0x0000002a", "0x1", "4")
	" local_memory=\"8192\"/>\n"
	OBJECT("Core", "7", "0x22", "0x1", "5") ">\n"
	OBJECT("PU", "1", "0x2", "0x1", "6") "/>\n"
	OBJECT("PU", "5", "0x20", "0x1", "7") "/>\n</object>\n"
	OBJECT("Core", "8", "0x8", "0x1", "8") ">\n"
	OBJECT("PU", "3", "0x8", "0x1", "9") "/>\n</object>\n"
	OBJECT("Core", "9", "0x00000004,0x00000000", "0x1", "10") ">\n"
	OBJECT("PU", "34", "0x00000004,0x00000000", "0x1", "11") "/>\n</object>\n"
	"</object>\n</object>\n</topology>\n";
/* clang-format on */

static void sparse_file(void **state)
{
	static const uint32_t id[] = { 1, 3, 5, 34 }, core[] = { 0, 1, 0, 2 };
	const char *path = file_with("sparse.xml", sparse_xml);
	struct dxmit_topology *topology = load(path);
	size_t i;

	(void)state;
	assert_int_equal(topology->cpus, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(topology->cpu[i].id, id[i]);
		assert_int_equal(topology->cpu[i].core, core[i]);
		assert_int_equal(topology->cpu[i].sibling, id[i] == 5);
		assert_int_equal(topology->cpu[i].allowed, id[i] != 5);
		assert_int_equal(topology->cpu[i].node, 0);
		assert_ptr_equal(dxmit_topology_cpu(topology, id[i]), &topology->cpu[i]);
	}
	assert_null(dxmit_topology_cpu(topology, 0));
	assert_null(dxmit_topology_cpu(topology, 4));
	assert_null(dxmit_topology_cpu(topology, 35));
	assert_int_equal(topology->nodes, 2);
	assert_int_equal(topology->node[0].id, 0);
	assert_int_equal(topology->node[0].allowed, 1);
	assert_int_equal(topology->node[1].id, 2);
	assert_int_equal(topology->node[1].allowed, 0);
	assert_int_equal(topology->node[1].memory_bytes, 4096);
	assert_string_equal(topology->source, path);
	dxmit_topology_free(&topology);
}

static void not_a_topology(void **state)
{
	char pipe_path[64];

	(void)state;
	refused("no/such/file", -ENOENT);
	refused("missing.xml", -ENOENT);
	refused("bogus", -EINVAL);
	refused("", -EINVAL);
	refused("pu:0", -EINVAL);
	refused("a description that is rather longer than an error's object", -EINVAL);
	refused(directory, -EINVAL);
	refused(file_with("empty.xml", ""), -EINVAL);
	refused(file_with("text.xml", "pack:2 core:2"), -EINVAL);
	/* Opening a pipe for reading would block for ever. */
	snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", directory);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	refused(pipe_path, -EINVAL);
}

/* A good file cut short anywhere is refused or loads, and never crashes; a CPU
 * named twice is refused. */
static void damaged_files(void **state)
{
	char copy[sizeof(sparse_xml)];
	struct dxmit_topology *topology;
	size_t cut;
	char *pu;
	int err;

	(void)state;
	for (cut = 0; cut < sizeof(sparse_xml) - 1; cut += 7) {
		memcpy(copy, sparse_xml, cut);
		copy[cut] = '\0';
		err = dxmit_topology_load(file_with("cut.xml", copy), &topology, NULL);
		assert_true(err == 0 || err == -EINVAL);
		assert_int_equal(err == 0, topology != NULL);
		dxmit_topology_free(&topology);
	}
	memcpy(copy, sparse_xml, sizeof(sparse_xml));
	pu = strstr(copy, "PU\" os_index=\"5\"");
	assert_non_null(pu);
	pu[strlen("PU\" os_index=\"")] = '1';
	refused(file_with("twice.xml", copy), -EINVAL);
}

static void this_machine(void **state)
{
	struct dxmit_topology *topology = load(NULL);
	size_t i, online = 0;

	(void)state;
	assert_string_equal(topology->source, "this machine");
	for (i = 0; i < topology->cpus; i++) {
		assert_true(i == 0 || topology->cpu[i].id > topology->cpu[i - 1].id);
		assert_true(topology->cpu[i].core < topology->cores);
		assert_true(topology->cpu[i].node >= 0 || topology->nodes == 0);
		online++;
	}
	assert_int_equal(online, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(topology->nodes > 0,
			 access("/sys/devices/system/node", F_OK) == 0);
	dxmit_topology_free(&topology);
}

static void affinity_restricts_and_is_left_alone(void **state)
{
	cpu_set_t before, one, after;
	struct dxmit_topology *topology;
	size_t i, allowed = 0;
	int last = -1, cpu;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &before))
			last = cpu;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	topology = load(NULL);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_true(CPU_EQUAL(&one, &after));
	for (i = 0; i < topology->cpus; i++)
		allowed += topology->cpu[i].allowed;
	assert_int_equal(allowed, 1);
	assert_int_equal(dxmit_topology_cpu(topology, (uint32_t)last)->allowed, 1);
	dxmit_topology_free(&topology);
}

static void load_good_and_bad(void)
{
	const char *source[] = {
		NULL,
		"bogus",
		file_with("text.xml", "<topology version=\"9\">"),
	};
	struct dxmit_topology *topology;
	size_t i;

	for (i = 0; i < sizeof(source) / sizeof(source[0]); i++) {
		dxmit_topology_load(source[i], &topology, NULL);
		dxmit_topology_free(&topology);
	}
}

/* The library prints nothing, not even hwloc's complaints about a bad file. */
static void silent(void **state)
{
	int saved[2] = { dup(1), dup(2) };
	struct stat st;
	char path[64];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/output", directory);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && saved[0] >= 0 && saved[1] >= 0);
	fflush(stdout);
	dup2(fd, 1);
	dup2(fd, 2);
	load_good_and_bad();
	fflush(stdout);
	dup2(saved[0], 1);
	dup2(saved[1], 2);
	close(saved[0]);
	close(saved[1]);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	assert_int_equal(st.st_size, 0);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	static const char *const names[] = {
		"sparse.xml", "empty.xml", "text.xml", "pipe",
		"cut.xml",    "twice.xml", "output",
	};
	char path[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_packages_with_threads),
		cmocka_unit_test(one_core_with_threads),
		cmocka_unit_test(threads_without_cores),
		cmocka_unit_test(several_nodes_in_a_package),
		cmocka_unit_test(sparse_file),
		cmocka_unit_test(not_a_topology),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(this_machine),
		cmocka_unit_test(affinity_restricts_and_is_left_alone),
		cmocka_unit_test(silent),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("topology", tests, make_directory,
					   remove_directory);
}
