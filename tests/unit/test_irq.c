/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's lists of CPUs, and the interrupts of a device that this machine
 * really has.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "irq.h"

static void cpu_lists(void **state)
{
	static const struct {
		const char *text;
		int result;
		int32_t lowest;
		uint32_t count;
	} list[] = {
		{ "0\n", 0, 0, 1 },       { "3", 0, 3, 1 },
		{ "0-3,8\n", 0, 0, 5 },   { "8-11,2,64-127\n", 0, 2, 69 },
		{ "", -EINVAL, 0, 0 },    { "\n", -EINVAL, 0, 0 },
		{ "3-1", -EINVAL, 0, 0 }, { "x", -EINVAL, 0, 0 },
		{ "1,x", -EINVAL, 0, 0 }, { "99999999999", -EINVAL, 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		int32_t lowest = 0;
		uint32_t count = 0;

		assert_int_equal(dxmit_cpu_list_parse(list[i].text, &lowest, &count),
				 list[i].result);
		assert_int_equal(lowest, list[i].lowest);
		assert_int_equal(count, list[i].count);
	}
}

/* Interrupts of the first PCI device here that has message-signalled ones. */
static void interrupts_of_a_device(void **state)
{
	DIR *dir = opendir("/sys/bus/pci/devices");
	struct dirent *entry;
	char path[400];
	uint32_t i;

	(void)state;
	while (dir && (entry = readdir(dir)) != NULL) {
		struct dxmit_nic nic = { .node = -1 };

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/msi_irqs",
			 entry->d_name);
		if (entry->d_name[0] == '.' || access(path, F_OK) < 0)
			continue;
		dxmit_irq_read("pci", entry->d_name, &nic);
		assert_true(nic.irqs > 0);
		for (i = 0; i < nic.irqs; i++) {
			snprintf(path, sizeof(path),
				 "/sys/bus/pci/devices/%s/msi_irqs/%u", entry->d_name,
				 nic.irq[i].number);
			assert_int_equal(access(path, F_OK), 0);
			assert_true(i == 0 || nic.irq[i].number > nic.irq[i - 1].number);
			assert_true(nic.irq[i].cpu >= 0 && nic.irq[i].cpus > 0);
		}
		closedir(dir);
		return;
	}
	if (dir)
		closedir(dir);
	print_message("# skipped: no PCI device with MSI here\n");
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_lists),
		cmocka_unit_test(interrupts_of_a_device),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("irq", tests, NULL, NULL);
}
