#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the report of a run: the JSON document has the fields of the contract,
# its figures agree with each other and with the device, CSV and Prometheus say
# the same, foreign frames are told apart, placement is checked and true.
. "$(dirname "$0")/lib.sh"

# |a - b| <= tolerance * b, as a jq function.
near='def near(a; b; t): ((a) - (b) | fabs) <= (t) * ((b) | fabs);'

holds() { # JQ-CONDITION TEXT
	is "$(json "$near $1")" true "$2: $1"
}

run_on_pair() { # OPTIONS…
	veth 2
	dxmit tx -i va -n 60001 --rate 100kpps -s 200 --interval 0.2 --json "$report" "$@"
	is "$status" 0 "exit code"
	no_error
}

case_json_has_the_fields_of_the_contract() {
	run_on_pair
	is "$(json '[.schema, .version, .command] | tojson')" '["dxmit-report",1,"tx"]' \
		"schema, version, command"
	is "$(json '[.host, .plan, .queues, .total, .device, .ledger] | map(type) | tojson')" \
		'["object","object","array","object","object","object"]' "parts"
	is "$(json '["packets", "seconds", "pps", "l1_bps", "l2_bps", "ns_per_packet"] -
		(.total | to_entries | map(select(.value | type == "number").key)) | tojson')" \
		"[]" "missing numbers of total"
	is "$(json '["queued", "sent", "dropped", "invalid", "in_flight", "foreign",
		"unexplained"] -
		(.ledger | to_entries | map(select(.value | type == "number").key)) | tojson')" \
		"[]" "missing numbers of the ledger"
	is "$(json '.ledger | [.settled, .closed] | tojson')" "[true,true]" "settled, closed"
	is "$(json '[.queues[].queue] | tojson')" "[0,1]" "queues"
	is "$(json '[.exit_code, .interrupted] | tojson')" "[0,false]" "end"
}

case_json_goes_to_stdout_alone() {
	veth 1
	dxmit tx -i va -n 100 --json -
	is "$(jq -s 'length' <<<"$stdout")" 1 "documents on stdout"
	is "$(jq .ledger.sent <<<"$stdout")" 100 "sent"
}

case_figures_agree_with_each_other() {
	run_on_pair
	holds '.total.packets == 60001' "count"
	holds '.total.packets == ([.queues[].packets] | add)' "total"
	holds '.total.completed == ([.queues[].completed] | add)' "total"
	holds '.total.kicks == ([.queues[].kicks] | add)' "total"
	holds '.total.lost == ([.queues[].lost] | add)' "total"
	holds '.total.retries == ([.queues[].retries] | add)' "total"
	holds '.total.seconds == ([.queues[].seconds] | max)' "total"
	holds '.ledger | .queued == .sent + .dropped + .invalid + .in_flight + .unexplained' \
		"ledger"
	holds '.ledger.queued == .total.packets' "ledger"
	holds '.ledger.closed == (.ledger.unexplained == 0)' "ledger"
	holds 'near(.total.pps; .total.packets / .total.seconds; 1e-9)' "rate"
	holds 'near(.total.ns_per_packet; 1e9 * .total.seconds / .total.packets; 1e-9)' "time"
	holds '.config.size == 200 and .config.frame_length == 196' "size"
	holds 'near(.total.l2_bps; .total.pps * 8 * 200; 1e-9)' "L2 counts the FCS"
	holds 'near(.total.l1_bps; .total.pps * 8 * 220; 1e-9)' "L1 adds 20 bytes"
	holds '[.queues[] | near(.l1_bps; .packets / .seconds * 8 * 220; 1e-9)] | all' "queues"
	holds 'near(.total.packets_per_kick; .total.packets / .total.kicks; 1e-9)' "kicks"
	holds 'near(.total.pps; 100000; 0.01)' "the rate asked"
}

# The deltas are those of this run, also when the counters did not start at 0.
case_device_deltas_are_the_interface_s_counters() {
	local before after name
	veth 2
	dxmit tx -i va -n 777 --json "$report"
	for name in tx_packets tx_bytes tx_dropped tx_errors; do
		before+=" $(counter va $name)"
	done
	dxmit tx -i va -n 5000 -s 128 --json "$report"
	for name in tx_packets tx_bytes tx_dropped tx_errors; do
		after+=" $(counter va $name)"
	done
	is "$(json '.device | [.tx_packets, .tx_bytes, .tx_dropped, .tx_errors] | tojson')" \
		"$(jq -nc --arg a "$after" --arg b "$before" \
			'[$a, $b | split(" ") | map(select(. != "") | tonumber)] |
			[.[0], .[1]] | transpose | map(.[0] - .[1])')" "deltas"
	is "$(json '.device | [.tx_packets, .tx_bytes] | tojson')" "[5000,$((5000 * 124))]" \
		"packets and bytes"
	is "$(json '.device | [.mtu, .up, .carrier] | tojson')" "[1500,true,true]" "state"
}

case_csv_agrees_with_json() {
	run_on_pair --csv "$work/run.csv"
	is "$(grep -c $'\r$' "$work/run.csv")" "$(wc -l <"$work/run.csv")" "lines with CRLF"
	is "$(head -n 1 "$work/run.csv" | cut -d, -f 2-5)" "interval,queue,cpu,packets" "head"
	tr -d '\r' <"$work/run.csv" | jq -RnS '[inputs | split(",")] | .[0] as $head |
		.[1:] | map([$head, map(tonumber)] | transpose |
		map({(.[0]): .[1]}) | add)' >"$work/run.json"
	is "$(json 'map(.packets) | add' "$work/run.json")" 60001 "sum of packets"
	is "$(json 'group_by(.queue) | map([.[].packets] | add) | tojson' "$work/run.json")" \
		"$(json '[.queues[].packets] | tojson')" "packets of each queue"
	is "$(json 'map(.kicks) | add' "$work/run.json")" "$(json .total.kicks)" "kicks"
	is "$(json 'map(.lost) | add' "$work/run.json")" "$(json .total.lost)" "lost"
	# 0.6 s in intervals of 0.2: three or four of them, two rows each.
	within "$(json 'map(.interval) | unique | length' "$work/run.json")" 3 4 "intervals"
	is "$(json 'group_by(.interval) | map(length) | unique | tojson' "$work/run.json")" \
		"[2]" "rows of each interval"
	is "$(json '[.[] | select(.packets > 0) | .l1_bps / .pps | round] | unique | tojson' \
		"$work/run.json")" "[1760]" "bits a packet on L1"
}

case_prometheus_agrees_with_json() {
	local name
	run_on_pair --prometheus "$work/run.prom"
	is "$(grep -vcE '^(#|[a-z0-9_]+\{[^}]*\} [-+0-9.e]+$)' "$work/run.prom")" 0 \
		"lines that are neither comment nor sample"
	for name in packets lost kicks retries; do
		is "$(awk -v m="dxmit_${name}_total{" 'index($0, m) == 1 { n += $2 } END { print n }' \
			"$work/run.prom")" "$(json ".total.$name")" "$name"
	done
	for name in queued sent dropped invalid foreign; do
		is "$(sed -n "s/^dxmit_ledger_${name}_total{.*} //p" "$work/run.prom")" \
			"$(json ".ledger.$name")" "ledger: $name"
	done
	is "$(sed -n 's/^dxmit_ledger_closed{.*} //p' "$work/run.prom")" 1 "closed"
	is "$(sed -n 's/^dxmit_exit_code{.*} //p' "$work/run.prom")" 0 "exit code"
	within "$(sed -n 's/^dxmit_l2_bps{.*} //p' "$work/run.prom")" \
		"$(json '.total.l2_bps * 0.999999')" "$(json '.total.l2_bps * 1.000001')" "L2 rate"
}

# Datagrams of somebody else through the same interface, while dxmit runs.
send_foreign() { # COUNT
	local n
	for ((n = 0; n < $1; n++)); do
		echo foreign >/dev/udp/10.99.0.2/9
	done
}

case_foreign_traffic_is_told_apart() {
	veth 2
	ip address add 10.99.0.1/24 dev va
	receive vb --time 10
	dxmit_start tx -i va --rate 20kpps -n 20000 --stamp --json "$report"
	dxmit_is_sending va
	send_foreign 250
	dxmit_wait
	receive_stop
	no_error
	sent_exactly 20000
	is "$(json .ledger.foreign)" 250 "foreign"
	is "$(json .device.tx_packets)" 20250 "the device's packets"
	is "$(rx '[.frames, .foreign, .missing] | tojson')" "[20000,250,0]" "at the far end"
}

# What was lost must not be made up for by what others sent.
case_foreign_traffic_does_not_hide_losses() {
	veth 1
	ip address add 10.99.0.1/24 dev va
	receive vb --time 10
	dxmit_start tx -i va --rate 20kpps -n 20000 --link-loss go --stamp --json "$report"
	dxmit_is_sending va
	send_foreign 100
	ip link set vb down
	sleep 0.3
	ip link set vb up
	dxmit_wait
	receive_stop
	is "$status" 0 "exit code"
	within "$(json .ledger.dropped)" 3000 15000 "dropped"
	is "$(json .ledger.dropped)" "$(counter va tx_dropped)" "dropped, and by the device"
	is "$(json '.ledger.queued - .ledger.dropped - .ledger.sent')" 0 "sent"
	is "$(json .ledger.foreign)" 100 "foreign"
	within "$(($(json .ledger.sent) - $(rx .frames)))" 0 100 "sent and not arrived"
}

case_placement_is_verified_and_true() {
	veth 2
	dxmit tx -i va -d 0.5 --json "$report"
	is "$status" 0 "exit code"
	holds '[.queues[] | .placement_verified] | all' "placement"
	holds '[.queues[] | .pages_verified and .pages > 0 and .pages_on_node == .pages] | all' \
		"pages"
	holds '[.queues[] | .pages * .page_size >= .bytes] | all' "every page was looked at"
	holds '[.queues[].cpu_seen] == [.plan.queues[].cpu]' "CPUs"
	holds '[.queues[].cpu_other] | add == 0' "CPUs"
	holds '[.queues[] | .cpu_node_seen == .node] | all' "nodes"
	like "$stdout" "placement +verified: 2 queues on the planned CPUs" "the text says so"
}

# True: the kernel's own record of the running threads.
case_threads_run_where_the_report_says() {
	local planned
	veth 2
	dxmit_start tx -i va --cpus 1,0 --json "$report" --rate 1kpps
	dxmit_is_sending va
	sleep 0.2       # both of them
	planned=$(for task in /proc/"$dxmit_pid"/task/*; do
		[ "${task##*/}" = "$dxmit_pid" ] ||
			awk '/^Cpus_allowed_list/ { print $2 }' "$task/status"
	done | sort | xargs)
	kill -INT "$dxmit_pid"
	dxmit_wait
	is "$planned" "0 1" "CPUs the threads may use"
	is "$(json '[.queues[].cpu_seen] | tojson')" "[1,0]" "CPUs in the report"
}

run_cases "$@"
