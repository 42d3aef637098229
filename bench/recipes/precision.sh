#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# Can a comparison be believed on this machine? The same leg twice, several times
# over: each verdict other than "no difference" is a false one, of which an interval
# of 95 % allows one in twenty. Then a difference that is there: one system call for
# 32 frames instead of for a ring. How large it is, recipes.sh tells in instructions
# (with --kernel 7, the first that lets a socket raise its budget).
#
# Environment: RECIPE_RUNS of the first part (20).
# shellcheck source=bench/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
recipe precision "$@"

need jq
ip link add ifb0 type ifb 2>/dev/null || skip "the kernel has no ifb device"
ip link set ifb0 arp off up
runs=${RECIPE_RUNS:-20}
run=1
while [ "$run" -le "$runs" ]; do
	rows "device=veth run=$run" --sandbox=1 --legs copy,same=copy --seed "$run" |
		tee -a "$work/same" | grep '^pair'
	run=$((run + 1))
done
echo "check recipe=$recipe runs=$runs false_verdicts=$(grep '^pair' "$work/same" |
	grep -cE ' (faster|slower)$')"
rows "device=ifb budget=32" -i ifb0 --legs copy,small=copy:batch=32:budget=32
