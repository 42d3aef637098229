/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The naming of profiler_names.h. Other programs are noise in a comparison: which
 * they are matters, not what they do, and their page faults must not be taken for
 * the sender's. So only files of the sender's own program and of what it started are
 * read, which the user chose to run.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "process_symbols.h"
#include "profiler_names.h"

#define ANCESTORS_MOST 32
#define KERNEL_THREAD 0x00200000u /* PF_KTHREAD of include/linux/sched.h, 2.6.27 on */
#define COMMAND_BYTES 64 /* TASK_COMM_LEN is 16; workers of the kernel have more */
#define KERNEL "[kernel]"
#define UNKNOWN "[unknown process]"

struct process {
	int parent;
	bool is_kernel_thread;
	char command[COMMAND_BYTES];
};

struct naming {
	struct symbols kernel;
	struct process_symbols process;
	int pid;        /* the sender */
	int looked_at;  /* the process that what follows is of */
	bool is_sender; /* or started by it */
	bool is_other;  /* another program; neither: the kernel's own */
	char other[COMMAND_BYTES + 2];
};

/*
 * "PID (NAME) STATE PARENT GROUP SESSION TERMINAL ITS_GROUP FLAGS …",
 * proc_pid_stat(5); the name may hold parentheses. Returns false where there is no
 * such process.
 */
static bool read_stat(int pid, struct process *out)
{
	unsigned int flags;
	char path[64], line[512], *begin, *end;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	in = fopen(path, "re");
	if (!in)
		return false;
	line[0] = '\0';
	if (!fgets(line, sizeof(line), in))
		line[0] = '\0';
	fclose(in);
	begin = strchr(line, '(');
	end = strrchr(line, ')');
	if (!begin || !end ||
	    sscanf(end, ") %*c %d %*d %*d %*d %*d %u", &out->parent, &flags) != 2)
		return false;
	*end = '\0';
	snprintf(out->command, sizeof(out->command), "%s", begin + 1);
	out->is_kernel_thread = flags & KERNEL_THREAD;
	return true;
}

/* Is it the sender's process, or one it has started? One whose parent has ended is
 * not seen to be. */
static bool is_sender(int pid, int sender)
{
	struct process process;
	int i;

	for (i = 0; i < ANCESTORS_MOST && pid > 0; i++) {
		if (pid == sender)
			return true;
		if (!read_stat(pid, &process))
			return false;
		pid = process.parent;
	}
	return false;
}

static int look_at(struct naming *naming, int pid)
{
	struct process process;

	if (pid == naming->looked_at)
		return 0;
	naming->looked_at = pid;
	naming->is_sender = naming->is_other = false;
	if (pid == 0)
		return 0;
	if (!read_stat(pid, &process)) {
		naming->is_other = true;
		snprintf(naming->other, sizeof(naming->other), "%s", UNKNOWN);
		return 0;
	}
	naming->is_sender = is_sender(pid, naming->pid);
	if (naming->is_sender)
		return process_symbols_select(&naming->process, pid);
	naming->is_other = !process.is_kernel_thread;
	snprintf(naming->other, sizeof(naming->other), "[%s]", process.command);
	return 0;
}

/*
 * Does the idle task wait here, or does an interrupt work in its context? Functions
 * that wait have it in their names (arch/x86/kernel/process.c, drivers/idle,
 * drivers/cpuidle of Linux 6.12: default_idle, pv_native_safe_halt, intel_idle,
 * acpi_safe_halt, mwait_idle, poll_idle, cpu_do_idle, do_idle …). Without names all
 * is taken to be waiting.
 */
static bool is_idle(const char *name)
{
	return !name || strstr(name, "idle") || strstr(name, "halt") ||
	       strstr(name, "mwait");
}

static const char *user_name(struct naming *naming, uint64_t address,
			     char out[SYMBOL_NAME_BYTES])
{
	if (naming->is_sender && naming->process.readable)
		return process_symbols_name(&naming->process, address, out);
	/* Process 0 is one of another PID namespace. */
	return UNKNOWN;
}

/* NULL: it was idle. */
static const char *kernel_name(const struct naming *naming, const struct hit *hit)
{
	const char *name = symbols_find(&naming->kernel, hit->address);

	if (hit->pid == 0 && is_idle(name))
		return NULL;
	return name ? name : KERNEL;
}

static int name_hit(struct naming *naming, const struct hit *hit,
		    struct profiler_functions *out, uint64_t *idle)
{
	char text[SYMBOL_NAME_BYTES];
	const char *name;
	int err = look_at(naming, (int)hit->pid);

	if (err)
		return err;
	if (hit->kind == HIT_GUEST)
		name = "[guest]";
	else if (naming->is_other)
		name = symbols_clean_name(naming->other, strlen(naming->other), text);
	else if (hit->kind == HIT_USER)
		name = user_name(naming, hit->address, text);
	else
		name = kernel_name(naming, hit);
	if (!name) {
		*idle += hit->count;
		return 0;
	}
	return profiler_functions_add(out, name, hit->kind == HIT_KERNEL, hit->count);
}

int profiler_names_find(struct profiler_hits *hits, FILE *kallsyms, int pid,
			struct profiler_functions *out, uint64_t *idle)
{
	struct naming naming = { .pid = pid, .looked_at = -1 };
	size_t i;
	int err = 0;

	if (kallsyms && hits->used) {
		rewind(kallsyms);
		err = symbols_read_kernel(kallsyms, &naming.kernel);
		/* Without it they are "[kernel]". */
		err = err == -ENOMEM ? err : 0;
	}
	profiler_hits_by_process(hits);
	for (i = 0; !err && i < hits->used; i++)
		err = name_hit(&naming, &hits->hit[i], out, idle);
	symbols_free(&naming.kernel);
	process_symbols_free(&naming.process);
	return err;
}
