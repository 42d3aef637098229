# shellcheck shell=dash disable=SC3043
# SPDX-License-Identifier: BSD-2-Clause
#
# The cases of test_module.sh, run by busybox in the guest. Each function
# case_NAME is one TAP line.

number=0

note() {
	printf '%s\n' "$*" | sed 's/^/# /' >>/tmp/notes
}

is() { # GOT WANTED TEXT
	asserted=1
	[ "$1" = "$2" ] && return
	failed=1
	note "wrong: $3: got $1, wanted $2"
}

run() { # NAME: as a case
	failed=0 asserted=0 number=$((number + 1))
	: >/tmp/notes
	"case_$1"
	[ $asserted = 1 ] || failed=1
	if [ $failed = 0 ]; then
		echo "ok $number - $(echo "$1" | tr _ ' ')"
	else
		echo "not ok $number - $(echo "$1" | tr _ ' ')"
		cat /tmp/notes
	fi
}

# Busybox has a lesser one of its own and prefers it.
ip() {
	/opt/ip "$@"
}

veth() {
	ip link add va type veth peer name vb
	ip link set va arp off up
	ip link set vb arp off up
}

no_veth() {
	ip link del va
}

# Run direct, keep what it printed, and read it with `said`.
direct_run() {
	/opt/direct "$@" >/tmp/direct 2>&1
}

said() { # KEY…: their values
	local key line=
	for key; do
		line="$line $(sed -n "s/^$key=//p" /tmp/direct)"
	done
	echo "${line# }"
}

drops() {
	cat /sys/class/net/va/statistics/tx_dropped
}

# The far end's view of one run of direct.
far_end() { # COUNT WORDS…
	local count=$1 turn=0
	shift
	receiver vb --count "$count" --time 60 >/tmp/receiver 2>&1 &
	receiver_pid=$!
	until grep -q ready /tmp/receiver || [ $turn = 100 ]; do
		usleep 50000
		turn=$((turn + 1))
	done
	direct_run va "$count" "$@"
	wait $receiver_pid
	rx=$(grep -v '^ready' /tmp/receiver | jq -r '[.frames, .missing, .duplicates,
		.out_of_order, .bad_checksum, .bad_length, .foreign] | join(" ")')
}

all_arrive() { # COUNT WORDS…: everything came, once, in order, unharmed
	far_end "$@"
	is "$rx" "$1 0 0 0 0 0 0" "$*: far end"
	is "$(said error submitted completed lost)" "0 $1 $1 0" "$*: sender"
}

case_loads() {
	insmod /modules/dxmit.ko
	is $? 0 "insmod"
	is "$(stat -c %a /dev/dxmit)" 600 "mode of /dev/dxmit"
}

# Count, order, content on both paths, for each way to send.
case_same_frames_as_the_stock_path() {
	local words
	veth
	for words in stock "" validate batch=1 batch=64 ring=16 shadow=1 budget=7 poll; do
		# shellcheck disable=SC2086 # a word or none
		all_arrive 20000 $words
		[ "$words" = stock ] || is "$(said packets bytes dropped_driver invalid kept)" \
			"20000 1200000 0 0 0" "$words: counted"
	done
	no_veth
}

case_shadow_check_finds_no_difference() {
	veth
	all_arrive 20000 shadow=1
	is "$(said shadow_checks shadow_mismatches validations_skipped)" "20000 0 0" "every frame"
	all_arrive 20000 shadow=100
	is "$(said shadow_checks shadow_mismatches validations_skipped)" "200 0 19800" "every 100th"
	all_arrive 1000 validate
	is "$(said shadow_checks shadow_mismatches validations_skipped)" "0 0 0" "validate"
	no_veth
}

case_bytes_as_on_the_stock_path() {
	local length path
	veth
	for length in 60 61 777 1514; do
		for path in stock batch=16; do
			content vb 300 length=$length >/tmp/content 2>&1 &
			content_pid=$!
			until grep -q ready /tmp/content; do usleep 20000; done
			direct_run va 300 plain length=$length $path
			wait $content_pid
			is "$(grep -v '^ready' /tmp/content | jq -r '[.frames, .differing,
				.foreign] | join(" ")')" "300 0 0" "$path, $length bytes"
		done
	done
	no_veth
}

# Completed, counted, not sent: 10 of 100.
case_invalid_descriptors_are_completed_and_counted() {
	local kind
	veth
	for kind in short metadata; do
		direct_run va 100 bad=$kind
		is "$(said error completed packets invalid kernel_invalid)" "0 100 90 10 0" "$kind"
	done
	# The stock path: a drop of the driver's; a ring that is blocked.
	direct_run va 100 bad=short stock
	is "$(said error completed lost)" "0 100 10" "short, stock"
	direct_run va 100 bad=metadata stock
	is "$(said error)" -22 "metadata, stock"
	no_veth
}

# The kernel's own reader throws these away uncompleted: as README says.
case_what_the_kernel_throws_away() {
	local kind path
	veth
	for kind in empty outside unknown; do
		for path in stock batch=16; do
			direct_run va 100 bad=$kind $path
			is "$(said error completed kernel_invalid)" "-110 90 10" "$kind, $path"
		done
		is "$(said packets invalid)" "90 0" "$kind: counted"
	done
	# The stock path makes one packet of it and the next; here it is lost.
	direct_run va 100 bad=chain stock
	is "$(said error completed kernel_invalid)" "-110 99 0" "chain, stock"
	direct_run va 100 bad=chain
	is "$(said error completed kernel_invalid packets)" "-110 90 0 90" "chain"
	no_veth
}

case_producer_index_beyond_the_ring() {
	local ring
	veth
	for ring in 1 2 16 32; do
		direct_run va 100 ring=$ring batch=64 tamper
		is "$(said error completed detach)" "0 100 0" "ring of $ring"
	done
	no_veth
}

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
	receiver vb --time 6 >/tmp/receiver 2>&1 &
	receiver_pid=$!
	usleep 500000
	/opt/direct va 3000 gap_us=1000 ring=16 >/tmp/direct 2>&1 &
	direct_pid=$!
	usleep 300000
	ip link set va down
	usleep 300000
	ip link set va up
	wait $direct_pid
	wait $receiver_pid
	lost=$(said lost)
	is "$(said error submitted completed)" "0 3000 3000" "sender"
	is "$(grep -v '^ready' /tmp/receiver | jq -r '[.frames + '"${lost:-0}"', .duplicates,
		.out_of_order] | join(" ")')" "3000 0 0" "far end and lost"
	no_veth
}

case_interface_deleted_while_attached() {
	local turn
	for turn in 1 2 3 4 5; do
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

case_refusals() {
	veth
	ip link add na numtxqueues 1 numrxqueues 2 type veth peer name nb numtxqueues 2 \
		numrxqueues 1
	ip link set na arp off up
	ip link set nb arp off up
	ip tuntap add dev point mode tun
	ip link set point up
	refusals va na point >/tmp/refusals 2>&1
	is $? 0 "refusals"
	while read -r name err refusal; do
		is "$(grep "^$name " /tmp/refusals)" "$name $err $refusal" "errno and reason"
	done <<-'WANTED'
		bad_descriptor 9 0
		no_socket 88 1
		udp 91 1
		unbound 6 2
		rx_ring 95 4
		multi_buffer 95 6
		metadata 95 7
		shared 16 8
		device 95 10
		queue 34 11
		busy_poll 95 12
		unknown_flag 22 0
		batch_65 22 0
		budget 22 0
		reserved 22 0
		detach_flags 22 0
		detach_none 2 0
		stats_reserved 22 0
		list_reserved 22 0
		unknown_request 25 0
		first 0 0
		second 114 13
		list 0 1
		share_queue 22 0
		share_queue_own_rings 16 0
		still_attached 1 0
		share_65535 0 0
		sent_back 0 1
		privileged 0 0
		detach_other 1 0
		stats_other 1 0
		list_other 0 0
		stats_own 0 0
		detach_own 0 0
		unprivileged 1 14
	WANTED
	[ "$failed" = 0 ] || note "$(cat /tmp/refusals)"
	ip link del na
	ip link del point
	no_veth
}

# A NIC that takes a ring of frames and no more.
case_a_full_driver_keeps_frames_in_line() {
	ip link set eth0 arp off up
	direct_run eth0 600 ring=512
	is "$(said error)" "-110" "stalled"
	is "$([ "$(said kept)" -gt 0 ] && echo yes)" yes "frames are kept"
	is "$(said detach)" 0 "DETACH"
	is $(($(said packets) + $(said kept))) "$(said completed_at_end)" \
		"completed at the end: what the driver took and what was kept"
	is "$(said completed)" "$(said packets)" "completed before: what the driver took"
}

case_stock_frames_in_flight_are_waited_for() {
	ip link set eth1 arp off up
	direct_run eth1 100 late
	is "$(said refusal attach)" "9 -16" "refused"
}

case_killed_while_attached() {
	veth
	/opt/direct va 1000 stay >/tmp/direct 2>&1 &
	direct_pid=$!
	usleep 700000
	rmmod dxmit 2>/dev/null
	is $? 1 "rmmod while attached"
	kill -9 $direct_pid
	wait $direct_pid 2>/dev/null
	usleep 100000
	all_arrive 1000
	no_veth
}

case_attach_and_detach_under_two_threads() {
	local interface
	veth
	ip link set eth2 arp off up
	# Completes at once; completes when the device says so.
	for interface in va va eth2 eth2; do
		hammer $interface 20 2000 >/tmp/hammer 2>&1
		is "$(cat /tmp/hammer)" "error=0 submitted=80000 completed=80000 false=0 lost=0" \
			"$interface"
	done
	no_veth
}

case_loads_and_unloads_20_times() {
	local turn
	veth
	for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		rmmod dxmit
		is $? 0 "rmmod, turn $turn"
		insmod /modules/dxmit.ko
		is $? 0 "insmod, turn $turn"
		direct_run va 100
		is "$(said error completed packets)" "0 100 100" "turn $turn"
	done
	no_veth
}

case_unloads() {
	rmmod dxmit
	is $? 0 "rmmod"
	is "$(ls /dev/dxmit 2>/dev/null)" "" "device node"
}

sed -n 's/^case_\([a-zA-Z0-9_]*\)() {/\1/p' /script >/tmp/cases
while read -r name <&3; do
	run "$name"
done 3</tmp/cases
