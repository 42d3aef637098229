#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# pacing.sh: how exactly rates are kept. dxmit alone in its sandbox (a veth pair
# and a far end that counts, in a namespace of its own); any user may run it.
#
#	bench/pacing.sh [--rates LIST] [--seconds S] [--rounds N] [--queues N]
#
# Prints "row round=N rate=R asked=N sent=N far=N given_up=N error=PERCENT
# near=PERCENT gap_p99_us=X off_p50_us=X off_p99_us=X off_max_us=X
# packets_per_kick=X cpu=PERCENT others=PERCENT away=PERCENT" for each run, then a line per rate
# with the medians of its rounds. asked is the rate times the time, and error is
# sent against it. near is the share of gaps within 20 us of what was asked, kept
# up to 10000 packets per second and queue. others is the share of the CPU (the
# first one, with several) that was not dxmit's and not idle: where it is not near
# 0, the row says more of the machine than of dxmit. away is the share of the 3 s
# before the run for which the CPU left a program that only spins, for more than 20 us
# at a time: a frame due then is late and makes two gaps wrong, so that at low rates
# no sender of this machine has more near than 100 - 2 * away, give or take.
#
# Environment: BUILD, DXMIT (as everywhere), BENCH_CPU (first CPU; default: the
# last ones). Needs jq. Nothing is asserted; exit 1 if a run fails.
set -u

here=$(cd "$(dirname "$0")" && pwd)
BUILD=$(readlink -m "${BUILD:-$here/../build}")
DXMIT=${DXMIT:-$BUILD/app/dxmit}
rates=1,10,999,10000,150000,1000000 seconds=10 rounds=1 queues=1

usage() {
	sed -n '/^#	bench/s/^#//p' "$0" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || usage
	case $1 in
	--rates) rates=$2 ;;
	--seconds) seconds=$2 ;;
	--rounds) rounds=$2 ;;
	--queues) queues=$2 ;;
	*) usage ;;
	esac
	shift 2
done
for program in "$DXMIT" "$BUILD/bench/stolen"; do
	[ -x "$program" ] || { echo "pacing.sh: $program is not built" >&2; exit 2; }
done
command -v jq >/dev/null || { echo "pacing.sh: jq is not installed" >&2; exit 2; }
first=${BENCH_CPU:-$(($(nproc) - queues))}
[ "$first" -ge 0 ] || { echo "pacing.sh: fewer CPUs than queues" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "BUSY ALL" of the first CPU in ticks: user nice system idle iowait irq softirq
# steal.
ticks() {
	awk -v name="cpu$first" '$1 == name {
		for (i = 2; i <= 9; i++) all += $i
		print all - $5 - $6, all
	}' /proc/stat
}

run() { # ROUND RATE
	local before after away

	away=$("$BUILD/bench/stolen" "$first" 3 | sed 's/away=\([^ ]*\).*/\1/')
	before=$(ticks)
	"$DXMIT" tx --sandbox="$queues" --cpus "$(seq -s, "$first" $((first + queues - 1)))" \
		--rate "$2" -d "$seconds" --interval 0 --json "$work/json" >/dev/null || exit 1
	after=$(ticks)
	jq -r --argjson round "$1" --argjson rate "$2" --argjson seconds "$seconds" \
		--arg away "$away" --arg ticks "$before $after" '
		def digits(n): . * pow(10; n) | round / pow(10; n);
		def or_none(f): if . == null then "-" else f end;
		($ticks | split(" ") | map(tonumber)) as [$b0, $a0, $b1, $a1] |
		(.queues[0].cpu_seconds / .total.seconds) as $mine |
		(($b1 - $b0) / ($a1 - $a0)) as $busy |
		.total as $t | $t.gaps as $g |
		"row round=\($round) rate=\($rate) asked=\($rate * $seconds) " +
		"sent=\($t.packets) far=\(.far_end.packets) given_up=\($t.given_up) " +
		"error=\(($t.packets / ($rate * $seconds) - 1) * 100 | digits(4)) " +
		"near=\($g | or_none(.near_share * 100 | digits(3))) " +
		"gap_p99_us=\($g | or_none(.p99_ns / 1000 | digits(2))) " +
		"off_p50_us=\($g | or_none(.off_asked.p50_ns / 1000 | digits(2))) " +
		"off_p99_us=\($g | or_none(.off_asked.p99_ns / 1000 | digits(2))) " +
		"off_max_us=\($g | or_none(.off_asked.max_ns / 1000 | digits(2))) " +
		"packets_per_kick=\($t.packets_per_kick | digits(2)) " +
		"cpu=\($mine * 100 | digits(1)) " +
		"others=\([$busy - $mine, 0] | max * 100 | digits(1)) away=\($away)"' "$work/json" |
		tee -a "$work/rows"
}

echo "machine kernel=$(uname -r) cpus=$(nproc) seconds=$seconds queues=$queues"
for round in $(seq "$rounds"); do
	for rate in ${rates//,/ }; do
		run "$round" "$rate"
	done
done

# The median of a field over the rounds of a rate.
median() { # RATE FIELD
	sed -n "s/^row .* rate=$1 .* $2=\([^ ]*\).*/\1/p" "$work/rows" | sort -g |
		awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

for rate in ${rates//,/ }; do
	echo "median rate=$rate error=$(median "$rate" error) near=$(median "$rate" near)" \
		"off_p99_us=$(median "$rate" off_p99_us) others=$(median "$rate" others)" \
		"away=$(median "$rate" away)"
done
