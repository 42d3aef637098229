# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Threads that send, poll and bind while a socket is attached and detached.

# Every completion is of a frame in flight, and every frame arrives, but for those
# the kernel has counted as dropped.
hammered() { # FROM TO CYCLES FRAMES [bind]
	listen /tmp/receiver receiver "$2" --time 600 --linger 500
	local from=$1 to=$2
	shift 2
	hammer "$from" "$to" "$@" >/tmp/hammer 2>&1
	kill $listener
	wait $listener
	is "$(line_says /tmp/hammer error) $(line_says /tmp/hammer false) $(line_says /tmp/hammer lost)" \
		"0 0 0" "$from $*: $(cat /tmp/hammer)"
	is "$(line_says /tmp/hammer completed) $(line_says /tmp/hammer demoted)" \
		"$(line_says /tmp/hammer submitted) 0" "$from $*: completed"
	is "$(received ".frames + $(line_says /tmp/hammer kernel_lost), .duplicates")" \
		"$(line_says /tmp/hammer submitted) 0" "$from $*: at $to"
	note "$from $*: $(cat /tmp/hammer)"
}

case_attach_and_detach_under_two_threads_on_veth() {
	veth
	hammered va vb "$cycles" 500
	hammered va vb "$cycles" 500 bind
	no_veth
}

# Frames complete only when the device says so.
case_attach_and_detach_under_two_threads_on_igb() {
	far_nic igb1
	up igb0 igb1
	hammered igb0 igb1 "$race_cycles" 100
	is "$(line_says /tmp/hammer kernel_lost)" 0 "lost by the driver"
	hammered igb0 igb1 "$race_cycles" 100 bind
	down igb0 igb1
}

case_many_threads_attach_one_socket() {
	veth
	attachers va 40 4 >/tmp/attachers 2>&1
	is "$(line_says /tmp/attachers wrong)" 0 "$(cat /tmp/attachers)"
	no_veth
}

case_poll_wakes_a_sender_whose_ring_is_full() {
	local words
	veth
	up igb0 igb1
	for words in "va stock" va "va budget=32 ring=512" "igb0 stock" igb0 "igb0 budget=32 ring=512"; do
		# shellcheck disable=SC2086 # words
		timeout 60 pollout $words turns=20 >/tmp/pollout 2>&1
		is "$(line_says /tmp/pollout woken)" 20 "$words: $(cat /tmp/pollout)"
	done
	down igb0 igb1
	no_veth
}

# It has frames for a device that takes none: it may write at once.
case_poll_does_not_wait_for_kept_frames() {
	up stall0
	timeout 60 pollout stall0 kept turns=5 >/tmp/pollout 2>&1
	is "$(line_says /tmp/pollout kept) $(line_says /tmp/pollout woken)" "1 5" \
		"$(cat /tmp/pollout)"
	down stall0
}
