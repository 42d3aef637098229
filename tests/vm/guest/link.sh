# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The link and the interface go away under a sender.

# Each EBUSY is one loss, in the device's counter too.
case_no_carrier_loses_one_frame_for_each_kick() {
	local before path
	veth
	ip link set vb down
	for path in stock batch=16; do
		before=$(drops)
		direct_run va 100 $path
		is "$(said error completed lost)" "0 100 100" "$path"
		is $(($(drops) - before)) 100 "$path: tx_dropped"
	done
	is "$(said packets dropped_link)" "0 100" "counted"
	no_veth
}

case_interface_down_and_up_loses_nothing() {
	local lost
	veth
	listen /tmp/receiver receiver vb --time 60 --linger 500
	taskset 1 /opt/direct va 3000 gap_us=1000 ring=16 >/tmp/direct 2>&1 &
	direct_pid=$!
	usleep 300000
	ip link set va down
	usleep 300000
	ip link set va up
	wait $direct_pid
	kill $listener
	wait $listener
	lost=$(said lost)
	is "$(said error submitted completed)" "0 3000 3000" "sender"
	is "$(received ".frames + ${lost:-0}, .duplicates, .out_of_order")" "3000 0 0" \
		"far end and lost"
	no_veth
}

case_interface_deleted_while_attached() {
	local turn
	for turn in 1 2 3; do
		veth
		/opt/direct va 1000000 gap_us=500 >/tmp/direct 2>&1 &
		direct_pid=$!
		usleep 700000
		timeout 10 ip link del va
		is $? 0 "deleted"
		wait $direct_pid
		is "$(said error active kept)" "-6 0 0" "sender, turn $turn"
	done
}

case_interface_moved_while_attached() {
	veth
	unshare -n sleep 20 &
	other=$!
	/opt/direct va 1000000 gap_us=500 >/tmp/direct 2>&1 &
	direct_pid=$!
	usleep 700000
	ip link set va netns $other
	is $? 0 "moved"
	wait $direct_pid
	is "$(said error active kept)" "-6 0 0" "sender"
	kill $other
	wait $other 2>/dev/null
}

# Where the kernel lets the driver take a bound queue away: the stock path answers 0
# as well, and sends nothing. Where it refuses, the sender goes on.
case_queues_cut_while_attached() {
	local path before
	ip link add va numtxqueues 2 numrxqueues 2 type veth peer name vb numtxqueues 2 \
		numrxqueues 2
	up va vb
	for path in stock batch=16; do
		ethtool -L va tx 2 rx 2 2>/dev/null
		taskset 1 /opt/direct va 100000 queue=1 ring=16 gap_us=1000 $path >/tmp/direct 2>&1 &
		direct_pid=$!
		usleep 500000
		if ethtool -L va tx 1 rx 1 2>/dev/null; then
			wait $direct_pid
			is "$(said error)" "-110" "$path: stalled"
			continue
		fi
		before=$(sent va)
		usleep 500000
		is "$([ "$(sent va)" -gt "$before" ] && echo yes)" yes "$path: sends on"
		kill $direct_pid
		wait $direct_pid 2>/dev/null
	done
	no_veth
}
