#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards a sender whose interface is set down and up again and again under
# load: it goes on each time, no frame goes out twice, and the totals add up.
. "$(dirname "$0")/lib.sh"

TIMES=${DOWN_UP_TIMES:-20}      # each takes half a second

flap() { # TIMES INTERFACE
	local turn
	for ((turn = 0; turn < $1; turn++)); do
		ip link set "$2" down
		sleep 0.2
		ip link set "$2" up
		sleep 0.3
	done
}

# Down and up while dxmit sends stamped frames, then a while without.
under_load() { # TIMES INTERFACE OPTIONS…
	local times=$1 interface=$2 last
	shift 2
	LIMIT=$((times + 20))
	veth 2
	receive vb --time "$LIMIT"
	dxmit_start tx -i va --rate 200kpps --stamp --interval 0 --json "$report" "$@"
	dxmit_is_sending va
	flap "$times" "$interface"
	kill -0 "$dxmit_pid"
	is $? 0 "still there after $times times"
	last=$(counter va tx_packets)
	sleep 0.5
	isnt "$(counter va tx_packets)" "$last" "it sends again after the last time"
	kill -INT "$dxmit_pid"
	dxmit_wait
	receive_stop
	is "$status" 0 "exit code"
	no_error
}

adds_up() {
	is "$(json '[.ledger.unexplained, .ledger.in_flight] | tojson')" "[0,0]" \
		"unexplained, in flight"
	is "$(rx .frames)" "$(json .ledger.sent)" "sent and arrived"
	is "$(rx .duplicates)" 0 "frames that came twice"
	is "$(rx .out_of_order)" 0 "frames out of order"
	is "$(rx '.bad_checksum + .bad_length')" 0 "damaged frames"
	is "$(json '.ledger.queued - .ledger.dropped')" "$(rx .frames)" \
		"queued - dropped and arrived"
	within "$(json .total.packets)" "$((TIMES * 20000))" 1e9 "frames under load"
}

case_C16_interface_down_and_up_with_sendto() {
	under_load "$TIMES" va --kick sendto
	adds_up
	within "$(json .total.paused_seconds)" "$(awk -v n="$TIMES" 'BEGIN { print n * 0.15 }')" \
		1000 "seconds waited for the link"
}

case_C16_interface_down_and_up_with_poll() {
	under_load "$TIMES" va --kick poll
	adds_up
}

# Without a pause of its own: the kernel itself says down, nothing is lost.
case_C16_interface_down_and_up_with_go() {
	under_load 5 va --link-loss go
	is "$(rx .frames)" "$(json .ledger.sent)" "sent and arrived"
	is "$(rx '.duplicates + .out_of_order')" 0 "frames twice or out of order"
	is "$(json .ledger.unexplained)" 0 "unexplained"
}

# A far end that goes down throws away, uncounted, the few frames in its backlog.
case_C16_far_end_down_and_up() {
	under_load 5 vb
	within "$(($(json .ledger.sent) - $(rx .frames)))" 0 500 "sent and not arrived"
	is "$(rx '.duplicates + .out_of_order')" 0 "frames twice or out of order"
	is "$(json .ledger.unexplained)" 0 "unexplained"
	is "$(json '.ledger.queued - .ledger.sent')" "$(counter va tx_dropped)" \
		"not sent, and dropped by the device"
}

run_cases "$@"
