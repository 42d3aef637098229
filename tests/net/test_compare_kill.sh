#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 900
#
# Guards an interface against whatever becomes of `dxmit compare`: a leg, the whole
# or both killed at random moments leave it as it was, nothing keeps running, and
# what the other legs gave is kept. KILLS is the number of moments (soak: 100).
. "$(dirname "$0")/lib.sh"

kills=${KILLS:-9}
LIMIT=120
options=(--rounds 3 -d 0.1 --warm-up 0.05 --carrier-wait 5)
# Not over before it is killed.
long_options=(--rounds 100 "${options[@]:2}")

# In the environment of the comparison and of all it starts; another run of this test
# on the machine has others.
mark=DXMIT_KILLED
unset "$mark"

random_moment() { # UP_TO_MS
	sleep "$(awk -v r=$((RANDOM * 32768 + RANDOM)) -v b="$1" \
		'BEGIN { printf "%.4f", (r % (b * 1000)) / 1000000 }')"
}

interface_state() {
	ip -j -d link show va | jq -c '.[0] | [.flags, .mtu, .xdp, .num_tx_queues, .operstate]'
	ethtool -l va 2>/dev/null
	tc qdisc show dev va
}

start() { # NUMBER LEGS
	DXMIT_KILLED=$$.$1 dxmit_start compare -i va --json "$report" "${options[@]}" --legs "$2"
}

# The process of the leg that is running, if one is.
leg_process() {
	cut -d' ' -f1 "/proc/$dxmit_pid/task/$dxmit_pid/children" 2>/dev/null
}

# One that is killed by its parent's death is gone a moment after that.
nobody_is_left() { # NUMBER
	local left tries=0
	while left=$(marked_processes "$mark=$$.$1") && [ -n "$left" ] && [ $tries -lt 40 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	is "$left" "" "kill $1: processes left"
}

undone() { # NUMBER
	nobody_is_left "$1"
	is "$(interface_state)" "$state" "kill $1: the interface"
}

# Every round of the legs that were not hit.
others_are_whole() {
	is "$(json '[.cells[] | select(.failure == null and .unavailable == null) |
		.samples | length] | unique | join(" ")')" 3 "$1: rounds of the other legs"
}

legs=(
	"copy,af_packet,small=copy:batch=16"
	"copy,self=exec:$DXMIT tx -i va --interval 0,udp=af_packet-bypass"
	"left=exec:$BUILD/tests/leaves_program va,copy"
)

case_a_leg_is_killed() {
	local n pid hit=0 failures down
	veth 2
	state=$(interface_state)
	for ((n = 0; n < kills; n++)); do
		start "$n" "${legs[n % 3]}"
		dxmit_is_sending
		random_moment 3000
		pid=$(leg_process)
		# Below the outer guard of a command come the inner one and its shell.
		for ((down = n / 3 % 3; down > 0; down--)); do
			pid=$(cut -d' ' -f1 "/proc/$pid/task/$pid/children" 2>/dev/null |
				grep . || echo "$pid")
		done
		[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
		dxmit_wait
		failures=$(json '[.cells[] | select(.failure != null)] | length')
		# Between two legs, or when one was ending, there was nothing to hit.
		within "$failures" 0 1 "kill $n: legs that broke off"
		is "$status" "$failures" "kill $n: exit code"
		[ "$failures" = 0 ] || hit=$((hit + 1))
		others_are_whole "kill $n"
		undone "$n"
	done
	within $hit 1 "$kills" "legs that were hit"
}

case_the_comparison_is_killed() {
	local n signals=(KILL KILL TERM INT KILL) options=("${long_options[@]}")
	veth 2
	state=$(interface_state)
	for ((n = 0; n < kills; n++)); do
		start "$n" "${legs[n % 3]}"
		dxmit_is_sending
		random_moment 1500 # on a quiet machine it is done after 2 s
		kill "-${signals[n % 5]}" "$dxmit_pid" 2>/dev/null
		wait "$dxmit_pid" 2>/dev/null
		status=$?
		case ${signals[n % 5]} in
		KILL) within "$status" 137 137 "kill $n: it was killed" ;;
		*) is "$status" 0 "kill $n: exit code" ;;
		esac
		nobody_is_left "$n"
		# A program that a foreign sender attached stays if nobody is left to
		# take it off.
		((n % 3 == 2)) && ip link set va xdpgeneric off
		undone "$n"
	done
}

# Both at once, the comparison first.
case_both_are_killed() {
	local n pid options=("${long_options[@]}")
	veth 2
	state=$(interface_state)
	for ((n = 0; n < (kills + 2) / 3; n++)); do
		start "$n" "${legs[n % 2]}"
		dxmit_is_sending
		random_moment 2000
		pid=$(leg_process)
		kill -KILL "$dxmit_pid" ${pid:+"$pid"} 2>/dev/null
		wait "$dxmit_pid" 2>/dev/null
		undone "$n"
	done
}

# The next comparison finds nothing in its way.
case_after_a_kill_everything_works() {
	veth 2
	start 0 "copy,af_packet"
	dxmit_is_sending
	kill -KILL "$dxmit_pid"
	wait "$dxmit_pid" 2>/dev/null
	dxmit compare -i va --json "$report" "${options[@]}" --legs copy,af_packet
	is "$status" 0 "exit code"
	others_are_whole "afterwards"
	is "$(json '[.cells[] | select(.failure != null or .unavailable != null)] | length')" 0 \
		"legs that could not run"
}

run_cases "$@"
