# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What the direct path sends, and what it does with bad descriptors.

# Count, order, content on both paths, for each way to send.
case_same_frames_as_the_stock_path() {
	local words count=$((many_frames / 10))
	veth
	for words in stock "" validate batch=1 batch=64 ring=16 budget=7 poll; do
		# shellcheck disable=SC2086 # a word or none
		all_arrive va vb $count $words
		[ "$words" = stock ] || is "$(said packets bytes dropped_driver invalid kept)" \
			"$count $((60 * count)) 0 0 0" "$words: counted"
	done
	no_veth
}

case_many_frames_on_veth_as_on_the_stock_path() {
	veth
	all_arrive va vb "$many_frames" stock
	all_arrive va vb "$many_frames" shadow=1
	is "$(said shadow_checks shadow_mismatches packets)" "$many_frames 0 $many_frames" \
		"shadow check"
	no_veth
}

case_shadow_check_finds_no_difference() {
	veth
	all_arrive va vb 1000 shadow=1
	is "$(said shadow_checks shadow_mismatches validations_skipped)" "1000 0 0" "every frame"
	all_arrive va vb 5000 shadow=100
	is "$(said shadow_checks shadow_mismatches validations_skipped)" "50 0 4950" "every 100th"
	all_arrive va vb 1000 validate
	is "$(said shadow_checks shadow_mismatches validations_skipped)" "0 0 0" "validate"
	no_veth
}

case_bytes_as_on_the_stock_path() {
	local length path
	veth
	for length in 60 61 777 1514; do
		for path in stock batch=16; do
			bytes_arrive va vb 300 $length $path
		done
	done
	no_veth
}

# The far end reads nothing until all is sent: every skb is alive until then, more of
# them than the attachment has pages for.
case_frames_not_yet_read_keep_their_bytes() {
	local path
	veth
	for path in stock batch=1 batch=16 batch=64; do
		listen /tmp/content content vb 2000 length=60 stamp=1 sequence=1
		kill -STOP $listener
		direct_run va 2000 $path
		kill -CONT $listener
		wait $listener
		is "$(grep -v '^ready' /tmp/content | jq -r '[.frames, .differing,
			.foreign] | join(" ")')" "2000 0 0" "$path"
	done
	no_veth
}

# Completed, counted, not sent: 10 of 100.
case_invalid_descriptors_are_completed_and_counted() {
	local kind
	veth
	for kind in short metadata; do
		[ $kind = short ] || kernel_is_at_least 6 8 || break
		direct_run va 100 bad=$kind
		is "$(said error completed packets invalid kernel_invalid)" "0 100 90 10 0" "$kind"
	done
	# The stock path: a drop of the driver's; a ring that is blocked.
	direct_run va 100 bad=short stock
	is "$(said error completed lost)" "0 100 10" "short, stock"
	if kernel_is_at_least 6 8; then
		direct_run va 100 bad=metadata stock
		is "$(said error)" -22 "metadata, stock"
	fi
	no_veth
}

# The kernel's own reader throws these away on both paths, as README says; stable
# versions differ in whether it completes them. An address outside the UMEM that is
# completed is one the library refuses to take back (EPROTO).
case_what_the_kernel_throws_away() {
	local kind stock
	veth
	for kind in empty unknown; do
		direct_run va 100 bad=$kind stock
		stock=$(said error completed kernel_invalid)
		case $stock in
		"-110 90 10" | "0 100 10") stock="$stock 90 0" ;;
		"0 100 0") stock="0 100 0 90 10" ;; # 6.1 sends those of length 0, we do not
		*) is "$stock" "-110 90 10 or 0 100 10" "$kind, stock" ;;
		esac
		direct_run va 100 bad=$kind
		is "$(said error completed kernel_invalid packets invalid)" "$stock" "$kind"
	done
	direct_run va 100 bad=outside stock
	stock=$(said error)
	direct_run va 100 bad=outside
	is "$(said error packets invalid)" "$stock 90 0" "outside"
	# The stock path makes one packet of it and the next; here both are lost, or on
	# 6.1 and older 6.12 the first. A chain without an end blocks 7.x.
	direct_run va 100 bad=chain
	case $(said error completed kernel_invalid packets) in
	"-110 90 10 90" | "-110 90 0 90" | "0 100 0 81" | "-110 99 0 81") ;;
	*) is "$(said error completed kernel_invalid packets)" "as README says" "chain" ;;
	esac
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

# Where they can be seen: below a macvlan, which hands them to its lower device.
case_priority_and_mark_as_on_the_stock_path() {
	local path
	ip link add low type dummy
	ip link add mv link low type macvlan mode private
	up low mv
	for path in stock batch=16; do
		listen /tmp/marked marked low 100 5 7
		direct_run mv 100 $path priority=5 mark=7
		wait $listener
		is "$(grep -v ready /tmp/marked)" "frames=100 equal=100" "$path"
	done
	ip link del mv
	ip link del low
}
