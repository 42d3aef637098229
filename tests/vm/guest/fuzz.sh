# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Requests that are wrong, and memory that is not to be had.

case_every_field_of_every_request_fuzzed() {
	ip link add va numtxqueues 4 numrxqueues 4 type veth peer name vb numtxqueues 4 \
		numrxqueues 4
	up va vb
	fuzz va 4 "$fuzz_calls" 1 >/tmp/fuzz 2>&1
	is "$? $(line_says /tmp/fuzz wrong) $(line_says /tmp/fuzz false) $(line_says /tmp/fuzz lost)" \
		"0 0 0 0" "$(tail -n 20 /tmp/fuzz)"
	is "$(line_says /tmp/fuzz calls)" "$fuzz_calls" "calls"
	rmmod dxmit
	is $? 0 "nothing is left attached"
	insmod /modules/dxmit.ko
	no_veth
}

# In the sender only, and what it asked for; fail_alloc says when.
allow_failures() {
	cd /sys/kernel/debug || return
	echo N >failslab/ignore-gfp-wait
	echo N >fail_page_alloc/ignore-gfp-wait
	echo 0 >fail_page_alloc/min-order
	echo 0 >failslab/verbose
	echo 0 >fail_page_alloc/verbose
	cd /
}

case_failed_allocations_lose_nothing() {
	local key
	[ -d /sys/kernel/debug/failslab ] || {
		skip "this kernel cannot make allocations fail"
		return
	}
	allow_failures
	veth
	listen /tmp/receiver receiver vb --count 20000 --time 120
	taskset 1 /opt/fail_alloc va 20000 >/tmp/direct 2>&1
	wait $listener
	is "$(said error odd submitted completed packets dropped)" "0 0 20000 20000 20000 0" \
		"sender: $(tr '\n' ' ' </tmp/direct)"
	for key in attach_failed list_failed injected enobufs kept; do
		is "$([ "$(said $key)" -gt 0 ] && echo yes)" yes "$key: $(said $key)"
	done
	is "$(received '.frames, .missing, .duplicates, .out_of_order')" "20000 0 0 0" "far end"
	no_veth
}
