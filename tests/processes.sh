# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Finding what a test left running: processes are known by a mark in their
# environment, which children inherit wherever they go.

# Numbers of the processes that have "NAME=VALUE" in their environment. Those
# about to end get half a second.
marked_processes() { # NAME=VALUE
	local pid found turn
	for turn in 1 2 3 4 5; do
		found=()
		while IFS=/ read -r _ _ pid _; do
			grep -q '^State:[[:space:]]*[ZX]' "/proc/$pid/status" 2>/dev/null ||
				found+=("$pid")
		done < <(grep -lazxF "$1" /proc/[0-9]*/environ 2>/dev/null)
		[ ${#found[@]} -eq 0 ] && return
		[ "$turn" = 5 ] || sleep 0.1
	done
	echo "${found[@]}"
}

# End them, and say which they were.
end_marked_processes() { # NAME=VALUE
	local pid
	for pid in $(marked_processes "$1"); do
		echo "left behind: process $pid: $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")"
		kill -KILL "$pid" 2>/dev/null
	done
}
