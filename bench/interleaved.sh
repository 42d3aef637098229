# SPDX-License-Identifier: BSD-2-Clause
# interleaved.sh: what the benches share that hold senders against each other.
# Sourced by them. They set here, rounds and seconds, and define
#	run_row ROUND KEY… PEER
# which prints a row or a line "skip …" and then returns 1.
BUILD=$(readlink -m "${BUILD:-$here/../build}")
DXMIT=${DXMIT:-$BUILD/app/dxmit}
measure=$BUILD/bench/measure

# What the head of the script says of its options.
usage() {
	sed -n '/^#	bench/,/^#$/s/^#//p' "$0" >&2
	exit 2
}

# Start the script anew in namespaces of its own, where /sys shows them; $work is a
# directory that goes with it.
own_namespaces() { # ARGUMENT…
	[ -x "$measure" ] || { echo "$(basename "$0"): $measure is not built" >&2; exit 2; }
	if [ "${BENCH_INSIDE-}" != 1 ]; then
		export BENCH_INSIDE=1 BUILD DXMIT
		exec unshare -n -m "$0" "$@"
	fi
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mount -t sysfs none /sys || exit 1
}

# Every round runs all peers, in an order that rotates by one each time and is
# reversed every other round, so that each follows each. Round 0 warms up and
# leaves out those that cannot run.
interleave() { # KEY… -- PEER…
	local key=() peers=() round i at n line

	while [ "$1" != -- ]; do
		key+=("$1")
		shift
	done
	shift
	for peer; do
		line=$(run_row 0 "${key[@]}" "$peer") && peers+=("$peer") || echo "$line"
	done
	n=${#peers[@]}
	for ((round = 1; round <= rounds; round++)); do
		for ((i = 0; i < n; i++)); do
			at=$(((i + round) % n))
			[ $((round % 2)) = 0 ] || at=$((n - 1 - at))
			run_row $round "${key[@]}" "${peers[at]}"
		done
	done
}

# A row of one run of command[], or the skip line. The kernel gives a queue back some
# 50 ms after its socket is closed, and not every sender waits for it.
measure_row() { # ROUND "KEY=VALUE…" COUNTER CPU CPUS COPIES
	local result

	sleep 0.2
	if ! result=$("$measure" "$3" "$seconds" 10 "$4" "$5" "$6" "$work/log" \
		"${command[@]}"); then
		echo "skip $2: $result:" \
			"$(grep -iE 'fail|error|cannot|dxmit:' "$work/log" | tail -n 1)"
		return 1
	fi
	echo "row round=$1 $2 $result"
}

machine() { # KEY=VALUE…
	echo "machine kernel=$(uname -r) cpus=$(nproc)" \
		"load=$(cut -d' ' -f1-3 /proc/loadavg | tr ' ' ,)" \
		"cpu=\"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)\"" \
		"seconds=$seconds rounds=$rounds" "$@"
}
