#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the promises of the command that no other file has for its subject;
# ../contract.txt says where each promise is tested, and that this is true is
# tested here, too.
. "$(dirname "$0")/lib.sh"

# ---- the list of promises ----

defines() { # FILE CASE
	case $1 in
	unit/*.c) grep -qE "cmocka_unit_test[a-z_]*\($2[,)]" "$tests_dir/$1" ;;
	net/*.sh) grep -qE "^case_$2\(\)" "$tests_dir/$1" && [ -x "$tests_dir/$1" ] ;;
	vm/guest/*.sh) grep -qE "^case_$2\(\)" "$tests_dir/$1" ;;
	install/*) grep -qE "^\s*(check|skip) \"$2\"" "$tests_dir/$1" ;;
	*) false ;;
	esac
}

# PROMISE | FILE | CASE
promises() {
	sed -n 's/ *| */|/g; /^[^#]*|/p' "$tests_dir/contract.txt"
}

case_each_promise_names_a_case_that_exists() {
	local promise file name lines=0
	while IFS='|' read -r promise file name; do
		lines=$((lines + 1))
		check "$promise: $file has $name" defines "$file" "$name"
	done < <(promises)
	within "$lines" 60 300 "promises"
	is "$(grep -cvE '^(#.*|)$|^[^|]+ \| [^ |]+ \| [^|]+$' "$tests_dir/contract.txt")" 0 \
		"lines that are no promise"
	is "$(promises | sort | uniq -d)" "" "promises listed twice"
}

# ---- the commands ----

case_usual_flags_of_xdpsock() {
	veth 4
	dxmit tx -i va -q 1,3 -s 128 -n 1000 -d 5 -b 16 -c --json "$report"
	no_error
	sent_exactly 1000
	is "$(json '[.queues[].queue, .config.size, .config.batch, .config.count,
		.config.duration, .config.mode] | tojson')" '[1,3,128,16,1000,5,"copy"]' \
		"queues, size, batch, count, duration, mode"
	is "$(counter vb rx_packets) $(counter vb rx_bytes)" "1000 124000" \
		"frames and bytes without FCS at the far end"
}

case_plan_prints_the_placement_and_touches_nothing() {
	local before options=(-i va -q "3,0" --cpus "1,0" --ring 256)
	veth 4
	before=$(ip -s -s -d -j link)
	dxmit plan "${options[@]}" --json "$work/plan.json"
	is "$status" 0 "$dxmit_said: exit code"
	is "$(awk '/^queue/ { rows = 1; next } /^ +memory/ { exit } rows { print $1, $2 }' \
		<<<"$stdout" | xargs)" "3 1 0 0" "queues and their CPUs in the text"
	is "$(json '[.plan.queues[] | .queue, .cpu, .ring] | tojson' "$work/plan.json")" \
		"[3,1,256,0,0,256]" "queue, CPU and ring in JSON"
	dxmit tx "${options[@]}" -n 10 --dry-run --json "$work/dry.json"
	is "$status" 0 "$dxmit_said: exit code"
	is "$(ip -s -s -d -j link)" "$before" "the interfaces and their counters"
	dxmit tx "${options[@]}" -n 10 --json "$report"
	sent_exactly 10
	is "$(json '.plan.queues | map(del(.count))')" \
		"$(json '.plan.queues | map(del(.count))' "$work/plan.json")" "plan and tx agree"
	is "$(json .plan "$work/dry.json")" "$(json .plan)" "--dry-run and tx agree"
}

case_probe_says_what_can_be_done() {
	veth 4 1400
	dxmit probe -i va --json "$work/probe.json"
	is "$status" 0 "$dxmit_said: exit code"
	no_error
	like "$stdout" "interface +va, driver veth, MTU 1400, link up" "the interface"
	like "$stdout" "queues +4 TX \(max 4\)" "its queues"
	like "$stdout" "AF_XDP +yes" "sockets"
	like "$stdout" "zero-copy +(no|unknown)" "zero-copy"
	is "$(json '[.command, .interface.tx_queues, .interface.mtu, .probe.af_xdp,
		.config.size] | tojson' "$work/probe.json")" '["probe",4,1400,true,64]' \
		"command, queues, MTU, sockets, frame size in JSON"
	is "$(counter va tx_packets)" 0 "frames sent"
}

case_probe_says_what_binds_the_rate() {
	veth 1
	dxmit probe -i va -d 0.3 --rate 2kpps --json "$report"
	is "$status" 0 "$dxmit_said: exit code"
	like "$stdout" "bound by +rate asked: asked 2000 pps" "text"
	is "$(json '[.command, .bounds[0].name] | tojson')" '["probe","rate asked"]' "JSON"
	dxmit probe -i va -n 100000 --json "$report"
	like "$stdout" "bound by +[a-z ]+: [^;]+" "$dxmit_said: text"
	isnt "$(json '.bounds | length')" 0 "$dxmit_said: limits named"
	isnt "$(json '.bounds[0].name')" "rate asked" "$dxmit_said: the first of them"
}

# ---- the sandbox ----

# A command in the network of the dxmit that runs.
in_sandbox() { # COMMAND…
	nsenter --target "$dxmit_pid" --net "$@"
}

case_sandbox_needs_no_NIC_and_nothing_foreign_flows() {
	local before
	before=$(ip -s -s -d -j link)
	is "$(jq length <<<"$before")" 1 "interfaces here: the loopback alone"
	# It has to switch IPv6 off by itself.
	for file in /proc/sys/net/ipv6/conf/{all,default}/disable_ipv6; do
		[ ! -w "$file" ] || echo 0 >"$file"
	done
	dxmit_start tx --sandbox=3 -d 1.5 --rate 1kpps --json "$report"
	sleep 0.7
	is "$(in_sandbox ip -j -d link | jq -c 'map(select(.ifname != "lo") |
		[.ifname, .num_tx_queues, (.flags | contains(["NOARP", "LOWER_UP"]))]) | sort')" \
		'[["dxmit0",3,true],["dxmit1",3,true]]' "pair, queues, up without ARP"
	[ ! -d /proc/sys/net/ipv6 ] || is "$(in_sandbox ip -6 address)" "" "IPv6 addresses"
	is "$(ip -s -s -d -j link)" "$before" "the interfaces here"
	dxmit_wait
	no_error
	is "$(json '[.far_end.packets - .ledger.queued, .device.tx_packets - .ledger.queued,
		.device.rx_packets, .ledger.foreign] | tojson')" "[0,0,0,0]" \
		"at the far end and from the device more than ours; received; foreign"
	within "$(json .ledger.queued)" 1490 1510 "queued"
	is "$(ip -s -s -d -j link)" "$before" "the interfaces here afterwards"
}

case_sandbox_has_two_queues_unless_told() {
	dxmit tx --sandbox -n 100 --json "$report"
	sent_exactly 100
	is "$(json '[.queues[].queue] | tojson')" "[0,1]" "queues"
	dxmit tx --sandbox=1 -n 100 --json "$report"
	sent_exactly 100
	is "$(json '[.queues[].queue] | tojson')" "[0]" "queues with --sandbox=1"
}

# ---- the ledger: a device that counts late ----

# A tap counts a frame when its reader takes it, completes it at once, and this
# reader sleeps until it is woken.
lagging_tap() {
	tap_with_readers tap0 1
	kill -STOP "$tap_reader"
}

no_reader() {
	kill -KILL "$tap_reader"
}

case_counters_that_lag_are_waited_for() {
	lagging_tap
	dxmit_start tx -i tap0 -n 300 --interval 0 --json "$report"
	sleep 1
	kill -0 "$dxmit_pid"
	is $? 0 "after a second it still waits"
	kill -CONT "$tap_reader"
	dxmit_wait
	no_error
	sent_exactly 300
	is "$(json .ledger.settled)" true "settled"
	no_reader
}

case_exit_3_when_counts_do_not_match_the_wire() {
	lagging_tap
	dxmit tx -i tap0 -n 300 --interval 0 --json "$report"
	is "$status" 3 "exit code"
	one_error tap0 "300 frames were queued and 300 of them are unexplained.*ip -s link"
	is "$(json '.ledger | [.queued, .sent, .unexplained, .settled, .closed] | tojson')" \
		"[300,0,300,true,false]" "queued, sent, unexplained, settled, closed"
	is "$(json .exit_code)" 3 "exit code in the report"
	like "$stdout" "ledger NOT closed: 300 frames" "text"
	within "$seconds" 1.9 3 "seconds: counters may lag for two"
	no_reader
}

case_a_signal_ends_the_wait_for_counters() {
	local count
	lagging_tap
	# While it waits for them, and while it sends.
	for count in 300 100000; do
		dxmit_start tx -i tap0 -n $count --rate 500pps --interval 0 --json "$report"
		sleep 1
		kill -INT "$dxmit_pid"
		dxmit_began_ms=$(now_ms)
		dxmit_wait
		is "$status" 0 "$dxmit_said: exit code"
		no_error
		within "$seconds" 0 0.5 "$dxmit_said: seconds to the end"
		is "$(json '.ledger | [.sent, .settled, .closed] | tojson')" "[0,false,false]" \
			"$dxmit_said: sent, settled, closed"
		like "$stdout" "settled +no" "$dxmit_said: text"
	done
	no_reader
}

# ---- what it says ----

case_no_chatter_of_libraries() {
	local arguments
	export LIBBPF_LOG_LEVEL=debug
	veth 2
	printf '<topology version="9">' >"$work/damaged.xml"
	for arguments in "tx -i va -z -n 1" "tx -i va -q 9 -n 1" "tx -i nosuch -n 1" \
		"plan -i va --topology $work/damaged.xml" "plan -i va --topology numa:x" \
		"tx -i va -n 1 --ring 1048576 --huge on"; do
		# shellcheck disable=SC2086 # words of a command
		dxmit $arguments
		isnt "$status" 0 "$dxmit_said: exit code"
		one_error ".+"
		is "$stdout" "" "$dxmit_said: stdout"
	done
	for arguments in "tx -i va -n 10" "tx --sandbox -n 10" "plan -i va" "probe -i va"; do
		# shellcheck disable=SC2086
		dxmit $arguments --json -
		is "$status" 0 "$dxmit_said: exit code"
		no_error
		is "$(jq -s length <<<"$stdout")" 1 "$dxmit_said: documents, and nothing else"
	done
	# hwloc looks for the machine there.
	mount -t tmpfs tmpfs /sys || bail "/sys cannot be covered"
	for arguments in "tx -i va -n 10" "plan -i va" "probe -i va"; do
		# shellcheck disable=SC2086
		dxmit $arguments
		is "$status" 0 "$dxmit_said, no /sys: exit code"
		no_error
	done
}

case_unverified_placement_says_why() {
	local subject=$DXMIT
	veth 2
	DXMIT=$BUILD/tests/fault dxmit "$work/log" move_pages EPERM 1+ "$subject" tx -i va \
		-n 1000 --json "$report"
	no_error
	sent_exactly 1000
	is "$(json '[.queues[] | .pages_verified, .placement_verified] | any')" false \
		"called verified"
	is "$(json '[.queues[].placement | test("^unverified: .*permitted")] | all')" true \
		"the reason in JSON"
	like "$stdout" "placement +queue 0: unverified: .*permitted" "the reason in the text"
	unlike "$stdout" "placement +verified" "the text"
}

run_cases "$@"
