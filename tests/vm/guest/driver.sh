# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Drivers of NICs: what they send, and what they do when they are full, or late.

# Emulated NICs with a wire between them, on both paths. The sender never gets far
# ahead: what a NIC has no room for is gone, or with virtio delivered by QEMU after
# what came later.
frames_cross() { # FROM TO COUNT WORDS…: and the receiving counter agrees
	local before after
	before=$(cat "/sys/class/net/$2/statistics/rx_packets")
	all_arrive "$@" ring=128 "follow=$2"
	after=$(cat "/sys/class/net/$2/statistics/rx_packets")
	case $2 in # igb and e1000e read theirs from the device every two seconds
	virt*) is $((after - before)) "$3" "$*: counter of $2" ;;
	esac
}

case_many_frames_on_igb_as_on_the_stock_path() {
	far_nic igb1
	up igb0 igb1
	frames_cross igb0 igb1 "$many_frames" stock
	frames_cross igb0 igb1 "$many_frames" shadow=1
	is "$(said shadow_checks shadow_mismatches packets)" "$many_frames 0 $many_frames" \
		"shadow check"
	down igb0 igb1
}

case_frames_on_every_kind_of_nic() {
	local kind words
	for kind in igb e1000e virt; do
		far_nic ${kind}1
		up ${kind}0 ${kind}1
		for words in stock batch=16 batch=1 poll; do
			frames_cross ${kind}0 ${kind}1 1000 $words
		done
		down ${kind}0 ${kind}1
	done
}

case_bytes_on_igb_as_on_the_stock_path() {
	local length path
	far_nic igb1
	up igb0 igb1
	for length in 60 61 777 1514; do
		for path in stock batch=16; do
			bytes_arrive igb0 igb1 300 $length $path
		done
	done
	down igb0 igb1
}

# virtio_net counts a frame when the device has used it, which it does when told.
case_the_doorbell_rings_for_the_last_frame() {
	local before count path turn
	up virt0 virt1
	for path in stock batch=1 batch=16 batch=64; do
		for count in 1 2 16 17 100; do
			before=$(sent virt0)
			direct_run virt0 $count $path
			for turn in 1 2 3 4 5 6 7 8 9 10; do
				[ $(($(sent virt0) - before)) -lt $count ] || break
				usleep 100000
			done
			is $(($(sent virt0) - before)) $count "$path, $count frames"
		done
	done
	down virt0 virt1
}

# A NIC that takes a ring of frames and no more.
case_a_full_driver_keeps_frames_in_line() {
	up stall0
	direct_run stall0 600 ring=512
	is "$(said error)" "-110" "stalled"
	is "$([ "$(said kept)" -gt 0 ] && echo yes)" yes "frames are kept"
	is "$(said detach)" 0 "DETACH"
	is $(($(said packets) + $(said kept))) "$(said completed_at_end)" \
		"completed at the end: what the driver took and what was kept"
	is "$(said completed)" "$(said packets)" "completed before: what the driver took"
}

case_stock_frames_in_flight_are_waited_for() {
	up stall1
	direct_run stall1 100 late
	is "$(said refusal attach)" "9 -16" "refused"
}

# C13: with the default send buffer of 208 KiB fewer than 128 frames of virtio-net
# fit; the library asks for more.
case_C13_a_ring_of_128_is_in_flight_on_virtio() {
	up stall2
	direct_run stall2 128 stock ring=128
	is "$(said error unconsumed)" "-110 0" "all are with the device"
	down stall2
}

# C11: nobody reads the completions.
case_C11_completions_nobody_reads() {
	veth
	timeout 30 never_reads va 64 64 >/tmp/never 2>&1
	is "$(grep -c '64 completions unread' /tmp/never)" 1 "$(cat /tmp/never)"
	no_veth
}

# C12: the device completes nothing, and takes no more.
case_C12_a_device_that_never_completes() {
	local begin
	up stall1
	direct_run stall1 600 stock ring=512
	ip link add hole link stall1 type macvlan mode private
	up hole
	begin=$(cut -d. -f1 /proc/uptime)
	timeout 30 dxmit tx -i hole -n 10 --interval 0 --path kernel --json /tmp/c12 \
		>/tmp/out 2>/tmp/err
	is $? 1 "exit code"
	is "$(grep -c '10 frames outstanding' /tmp/err)" 1 "$(cat /tmp/err)"
	is "$(jq -r '[.ledger.queued, .ledger.in_flight] | join(" ")' /tmp/c12)" "10 10" "ledger"
	is "$([ $(($(cut -d. -f1 /proc/uptime) - begin)) -le 8 ] && echo soon)" soon "ends soon"
}
