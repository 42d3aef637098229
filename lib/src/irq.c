/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NUMA node and interrupts of the device behind an interface, from sysfs and
 * procfs. Bus devices are not namespaced: /sys/bus is right in every network
 * namespace, unlike /sys/class/net.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "irq.h"
#include "small_file.h"

/* A virtio or auxiliary device has node and interrupts on its PCI parent;
 * deeper nesting has not been seen. */
#define MAX_PARENTS 4

int dxmit_cpu_list_parse(const char *text, int32_t *lowest, uint32_t *count)
{
	unsigned long first, last, lowest_seen = INT32_MAX;
	uint32_t total = 0;
	char *end;

	while (*text >= '0' && *text <= '9') {
		first = strtoul(text, &end, 10);
		last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= INT32_MAX)
			return -EINVAL;
		if (first < lowest_seen)
			lowest_seen = first;
		total += (uint32_t)(last - first + 1);
		text = end;
		if (*text == ',')
			text++;
	}
	if (total == 0 || (*text && *text != '\n'))
		return -EINVAL;
	*lowest = (int32_t)lowest_seen;
	*count = total;
	return 0;
}

static void add_irq(struct dxmit_nic *nic, unsigned long number)
{
	static const char *const lists[] = {
		"effective_affinity_list",
		"smp_affinity_list",
	};
	struct dxmit_irq *irq;
	char path[80], text[1024];
	size_t i;

	if (nic->irqs == DXMIT_MAX_IRQS)
		return;
	irq = &nic->irq[nic->irqs++];
	*irq = (struct dxmit_irq){ .number = (uint32_t)number, .cpu = -1 };
	/* The effective list is empty until the interrupt is started, and
	 * missing on architectures that do not track it. */
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		snprintf(path, sizeof(path), "/proc/irq/%lu/%s", number, lists[i]);
		if (dxmit_file_text(AT_FDCWD, path, text, sizeof(text)) > 0 &&
		    dxmit_cpu_list_parse(text, &irq->cpu, &irq->cpus) == 0)
			return;
	}
}

static int compare_irqs(const void *a, const void *b)
{
	const struct dxmit_irq *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Returns false if the device does not say anything about interrupts. */
static bool read_irqs(int device, struct dxmit_nic *nic)
{
	struct dirent *entry;
	int fd = openat(device, "msi_irqs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long legacy;
	DIR *dir;

	if (fd < 0) {
		/* No MSI: the pin interrupt, 0 when there is none. */
		if (dxmit_file_number(device, "irq", &legacy) < 0)
			return false;
		if (legacy > 0)
			add_irq(nic, (unsigned long)legacy);
		return true;
	}
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return false;
	}
	while ((entry = readdir(dir)) != NULL) {
		char *end;
		unsigned long number = strtoul(entry->d_name, &end, 10);

		if (end != entry->d_name && *end == '\0')
			add_irq(nic, number);
	}
	closedir(dir);
	qsort(nic->irq, nic->irqs, sizeof(nic->irq[0]), compare_irqs);
	return true;
}

void dxmit_irq_read(const char *bus, const char *name, struct dxmit_nic *nic)
{
	char path[160];
	int device, parent, level;
	long node;

	if (!bus[0] || !name[0] || strchr(bus, '/') || strchr(name, '/'))
		return;
	snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s", bus, name);
	device = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Climb to the nearest device that knows either and no further: a PCI
	 * bridge above it has interrupts too, but they are not ours. */
	for (level = 0; device >= 0 && level < MAX_PARENTS; level++) {
		bool has_node = dxmit_file_number(device, "numa_node", &node) == 0;

		if (has_node && node >= 0)
			nic->node = (int32_t)node;
		if (read_irqs(device, nic) || has_node)
			break;
		parent = openat(device, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(device);
		device = parent;
	}
	if (device >= 0)
		close(device);
}
