#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the kernel's other ways to send, which dxmit is compared with: each sends
# the frames of `dxmit tx` with the same options, exactly as many, and ends when it
# is told to; what it cannot send is refused with a reason. pktgen is tested where
# its module is, in the guests (../vm/guest/yardstick.sh).
. "$(dirname "$0")/lib.sh"

YARDSTICK=$BUILD/tests/yardstick
CONTENT=$BUILD/tests/content
TALLY=$BUILD/tests/tally
PACKET_KINDS='af_packet af_packet-bypass af_packet-ring'
UDP_KINDS='udp udp-gso'

# Run one: it is watched as a dxmit is, and $report is its document.
yardstick() { # KIND OPTIONS…
	yardstick_start "$@"
	yardstick_wait
}

yardstick_start() {
	local DXMIT=$YARDSTICK
	dxmit_start "$@"
	dxmit_said="yardstick $*"
}

yardstick_wait() {
	dxmit_wait
	cp "$work/stdout" "$report"
}

# What UDP sockets need on va to send dxmit's default frames with right checksums.
udp_ready() {
	ip addr add 198.18.0.1/32 dev va
	ip neigh replace 198.18.0.2 lladdr 02:00:00:00:00:02 dev va nud permanent
	ethtool -K va tx off >/dev/null 2>&1
	ethtool -K va tx-udp-segmentation off >/dev/null 2>&1
}

# The run succeeded and this many were accepted, none lost.
accepted() { # COUNT
	is "$status" 0 "$dxmit_said: exit code"
	is "$(json '[.total.packets, .total.lost, ([.queues[].packets] | add)] | tojson')" \
		"[$1,0,$1]" "$dxmit_said: accepted, lost, sum over the queues"
	no_error
}

# ---- how many, and which bytes ----

case_exact_counts() {
	local kind count before
	veth 2
	udp_ready
	for kind in $PACKET_KINDS $UDP_KINDS; do
		for count in 0 1 63 64 1000 100003; do
			before=$(counter vb rx_packets)
			yardstick "$kind" -i va -q 0 -n "$count"
			accepted "$count"
			is "$(($(counter vb rx_packets) - before))" "$count" \
				"$dxmit_said: at the far end"
		done
	done
}

case_two_queues_and_lengths() {
	local kind size before bytes
	veth 2
	udp_ready
	for kind in $PACKET_KINDS $UDP_KINDS; do
		for size in 64 1518; do
			before=$(counter vb rx_packets)
			bytes=$(counter vb rx_bytes)
			yardstick "$kind" -i va -n 5001 -s "$size" -b 100
			accepted 5001
			is "$(json '[.queues[] | [.queue, .packets, .mode, .path]] | tojson')" \
				"[[0,2501,\"$kind\",\"kernel\"],[1,2500,\"$kind\",\"kernel\"]]" \
				"$dxmit_said: the queues"
			is "$(($(counter vb rx_packets) - before)) $(($(counter vb rx_bytes) - bytes))" \
				"5001 $((5001 * (size - 4)))" "$dxmit_said: frames and bytes"
		done
	done
}

# Each byte against the library's own frame.
compare() { # KIND CONTENT-KEYS -- OPTIONS
	local kind=$1 keys=() line
	shift
	while [ "$1" != -- ]; do
		keys+=("$1")
		shift
	done
	shift
	exec {content_fd}< <(exec "$CONTENT" vb 300 destination_mac=02:00:00:00:00:02 \
		source_mac="$(cat /sys/class/net/va/address)" destination_ip=198.18.0.2 \
		source_ip=198.18.0.1 destination_port=9 source_port=4660 length=60 \
		"${keys[@]}" 2>"$work/content.err")
	read -r -t 10 -u "$content_fd" line
	[ "$line" = ready ] || bail "content: $(cat "$work/content.err")"
	yardstick "$kind" -i va -n 300 --ring 128 -b 48 "$@"
	cat <&"$content_fd" >"$work/content.json"
	exec {content_fd}<&-
	accepted 300
	is "$(json '[.frames, .differing, .foreign, .first_difference] | tojson' \
		"$work/content.json")" "[300,0,0,null]" \
		"$dxmit_said: frames, differing, foreign, first difference"
}

case_every_byte() {
	local kind id
	veth 1
	udp_ready
	for kind in $PACKET_KINDS $UDP_KINDS; do
		# A connected socket counts the identification up.
		id=any_id=0
		[[ $kind != udp* ]] || id=any_id=1
		compare "$kind" $id --
		compare "$kind" $id length=1514 payload=count -- -s 1518 --payload count
		compare "$kind" $id stamp=1 sequence=1 -- --stamp
		compare "$kind" $id ttl=3 dscp=46 -- --ttl 3 --dscp 46
		compare "$kind" $id source_port=1 destination_port=65535 -- --src-port 1 \
			--dst-port 65535
	done
}

# Everything that arrives at vb while a command sends 200 frames, as text.
captured() { # FILE COMMAND…
	local file=$1 turn
	shift
	dumpcap -q -i vb -s 0 -w "$work/far.pcap" 2>"$work/dumpcap.err" &
	capture_pid=$!
	for turn in {1..500}; do
		[ -s "$work/far.pcap" ] && break
		[ "$turn" = 500 ] && bail "dumpcap: $(cat "$work/dumpcap.err")"
		sleep 0.01
	done
	"$@" -i va -q 0 -n 200
	is "$status" 0 "$dxmit_said: exit code"
	sleep 0.5
	kill -INT "$capture_pid"
	wait "$capture_pid"
	tshark -n -r "$work/far.pcap" -x 2>/dev/null >"$file"
	rm "$work/far.pcap"
}

# What no template alone says: lengths, fields and streams that change.
same_frames() { # OPTIONS…
	local kind
	captured "$work/tx.text" dxmit tx "$@"
	is "$(grep -c '^0000' "$work/tx.text")" 200 "frames of dxmit tx in the capture"
	for kind in $PACKET_KINDS; do
		captured "$work/yardstick.text" yardstick "$kind" "$@"
		check "$dxmit_said: the same frames in the same order" \
			cmp "$work/tx.text" "$work/yardstick.text"
	done
}

case_same_frames_in_the_same_order() {
	command -v tshark dumpcap >/dev/null || skip "tshark is not installed"
	veth 1
	same_frames -s imix -b 32
	same_frames --flows 7 -b 32
	same_frames -s 64-1518 -b 7 --flows 70000
	same_frames -b 32 --frame 'eth/vlan:7/ip6:fe80::1-fe80::1e>fe80::2/udp:1000-1019@1>9'
}

# The run's sequence of lengths is divided over the queues, not repeated.
case_mixed_lengths_over_queues() {
	local line kind
	veth 3
	udp_ready
	for kind in $PACKET_KINDS udp; do
		exec {tally_fd}< <(exec "$TALLY" vb 1207 2>"$work/tally.err")
		read -r -t 10 -u "$tally_fd" line
		[ "$line" = ready ] || bail "tally: $(cat "$work/tally.err")"
		yardstick "$kind" -i va -n 1207 -s imix -b 40
		cat <&"$tally_fd" >"$work/tally.json"
		exec {tally_fd}<&-
		accepted 1207
		is "$(json '[.frames, .bad_checksum, .flows, .lengths] | tojson' \
			"$work/tally.json")" '[1207,0,1,{"60":704,"590":402,"1514":101}]' \
			"$dxmit_said: frames, bad checksums, flows, lengths"
	done
}

case_a_sink() {
	local kind
	sink hole 2
	for kind in $PACKET_KINDS; do
		yardstick "$kind" -i hole -n 50000
		is "$status" 0 "$dxmit_said: exit code"
		# It stops its queue while it is behind, and the discipline overflows.
		is "$(json '.total.packets + .total.lost')" 50000 "$dxmit_said: accepted and lost"
		is "$(counter hole rx_packets)" "$(json .total.packets)" \
			"$dxmit_said: what the ifb took"
		ip link del hole
		sink hole 2
	done
}

# ---- what is refused ----

refused() { # KIND REASON OPTIONS…
	local kind=$1 reason=$2
	shift 2
	yardstick "$kind" "$@"
	is "$status" 2 "$dxmit_said: exit code"
	one_error "$kind|va" "$reason"
	is "$stdout" "" "$dxmit_said: no result"
}

case_frames_that_are_not_plain_udp() {
	local kind
	veth 1
	udp_ready
	for kind in $UDP_KINDS; do
		refused "$kind" "Ethernet, IPv4" -i va -n 1 --frame "eth/vlan:7/ip4/udp"
		refused "$kind" "Ethernet, IPv4" -i va -n 1 --frame "eth/ip6/udp"
		refused "$kind" "Ethernet, IPv4" -i va -n 1 --frame "eth/ip4/tcp"
		refused "$kind" "change from packet to packet" -i va -n 1 --flows 5
		refused "$kind" "MAC address" -i va -n 1 --src-mac 02:00:00:00:00:09
	done
	refused udp-gso "one length" -i va -n 1 -s imix
	printf 'streams:\n  - frame: eth/ip4:198.18.0.1>198.18.0.2/udp:%s>9\n' 1 2 |
		sed 3d >"$work/streams.yaml"
	refused udp "streams differ" -i va -n 2 --config "$work/streams.yaml"
	for kind in $UDP_KINDS $PACKET_KINDS; do
		refused "$kind" "beyond the MTU" -i va -n 1 -s 1600 --oversize send
		refused "$kind" "as fast as it can" -i va -n 1 --rate 1kpps
	done
	is "$(counter vb rx_packets)" 0 "nothing was sent"
}

case_a_network_that_is_not_ready() {
	local kind command
	veth 1
	ethtool -K va tx-udp-segmentation off
	for kind in $UDP_KINDS; do
		# Each message names the command that helps; it does.
		refused "$kind" "ip neigh replace" -i va -n 1
		command=$(sed -n 's/.*`\(.*\)`.*/\1/p' "$work/stderr")
		eval "$command"
		refused "$kind" "ip addr add" -i va -n 1
		command=$(sed -n 's/.*`\(.*\)`.*/\1/p' "$work/stderr")
		eval "$command"
		yardstick "$kind" -i va -n 1
		accepted 1
		ip neigh replace 198.18.0.2 lladdr 02:00:00:00:00:09 dev va nud permanent
		refused "$kind" "ip neigh replace" -i va -n 1
		ip neigh del 198.18.0.2 dev va
		# By a gateway, whose address counts then.
		ip route add 198.18.0.2/32 via 198.18.7.7 dev va onlink
		refused "$kind" "ip neigh replace 198.18.7.7" -i va -n 1
		ip route del 198.18.0.2/32
		ip addr flush dev va
	done
	is "$(counter vb rx_packets)" 2 "what arrived"
}

case_segmentation_by_a_virtual_device() {
	veth 1
	udp_ready
	ethtool -K va tx on tx-udp-segmentation on >/dev/null
	refused udp-gso "ethtool -K va tx-udp-segmentation off" -i va -n 1000
	eval "$(sed -n 's/.*`\(.*\)`.*/\1/p' "$work/stderr")"
	yardstick udp-gso -i va -n 1000 -s 1518
	accepted 1000
	is "$(counter vb rx_packets)" 1000 "each datagram is a packet"
}

case_without_privilege() {
	local kind
	command -v setpriv >/dev/null || skip "setpriv is not installed"
	veth 1
	udp_ready
	printf '#!/bin/sh\nexec setpriv --bounding-set=-all --inh-caps=-all --reuid=65534 %s "$@"\n' \
		"$YARDSTICK" >"$work/unprivileged"
	chmod 755 "$work/unprivileged" "$work"
	YARDSTICK=$work/unprivileged
	for kind in $PACKET_KINDS; do
		refused "$kind" "needs CAP_NET_RAW" -i va -n 1
	done
	# An ordinary user may send datagrams.
	for kind in $UDP_KINDS; do
		yardstick "$kind" -i va -n 100
		accepted 100
	done
	is "$(counter vb rx_packets)" 200 "what arrived"
}

case_pktgen_where_there_is_none() {
	local kind
	[ ! -e /proc/net/pktgen ] || skip "the kernel has pktgen"
	veth 1
	for kind in pktgen pktgen-clone pktgen-queue pktgen-rx; do
		refused "$kind" "modprobe pktgen" -i va -n 1
	done
}

# ---- how it ends ----

case_stop_signals() {
	local kind signal began
	veth 2
	udp_ready
	for kind in $PACKET_KINDS $UDP_KINDS; do
		for signal in TERM INT; do
			yardstick_start "$kind" -i va
			dxmit_is_sending
			began=$(now_ms)
			kill "-$signal" "$dxmit_pid"
			yardstick_wait
			within "$(($(now_ms) - began))" 0 200 "$dxmit_said: ms from SIG$signal to the end"
			is "$status" 0 "$dxmit_said: exit code after SIG$signal"
			is "$(json .total.lost)" 0 "$dxmit_said: lost"
		done
	done
	is "$(counter vb rx_packets)" "$(counter va tx_packets)" "everything arrived"
}

case_duration() {
	local kind before
	veth 1
	udp_ready
	for kind in $PACKET_KINDS $UDP_KINDS; do
		before=$(counter vb rx_packets)
		yardstick "$kind" -i va -d 0.3
		is "$status" 0 "$dxmit_said: exit code"
		within "$(json .total.seconds)" 0.29 0.6 "$dxmit_said: seconds"
		is "$(json .total.packets)" "$(($(counter vb rx_packets) - before))" \
			"$dxmit_said: as many as arrived"
	done
}

case_a_queue_that_is_full() {
	local kind
	veth 1
	udp_ready
	# A slow device behind it: what does not fit is thrown away, and told.
	tc qdisc add dev va root tbf rate 8mbit burst 2000 limit 4000 ||
		skip "the kernel has no tbf"
	for kind in af_packet udp; do
		yardstick "$kind" -i va -q 0 -n 20000
		is "$status" 0 "$dxmit_said: exit code"
		is "$(json '.total.packets + .total.lost')" 20000 "$dxmit_said: accepted and lost"
		within "$(json .total.lost)" 1 19999 "$dxmit_said: lost"
	done
	# Tried again until it is sent.
	yardstick af_packet-ring -i va -q 0 -n 3000
	accepted 3000
}

case_no_carrier() {
	local kind before
	veth 1
	udp_ready
	for kind in $PACKET_KINDS $UDP_KINDS; do
		yardstick_start "$kind" -i va -d 10
		dxmit_is_sending
		ip link set vb down
		yardstick_wait
		is "$status" 1 "$dxmit_said: exit code"
		one_error va "carrier"
		within "$seconds" 1 5 "$dxmit_said: seconds"
		ip link set vb up
		wait_carrier va vb
		[[ $kind != udp* ]] || udp_ready
	done
	# A link that comes back: in between the kernel would take all and send none.
	for kind in af_packet udp; do
		before=$(counter vb rx_packets)
		yardstick_start "$kind" -i va -d 2
		dxmit_is_sending
		ip link set vb down
		sleep 0.7
		ip link set vb up
		yardstick_wait
		is "$status" 0 "$dxmit_said: exit code"
		within "$(($(counter vb rx_packets) - before))" \
			"$(($(json .total.packets) * 6 / 10))" "$(json .total.packets)" \
			"$dxmit_said: at the far end"
	done
	# A direct transmission tells its loss.
	ip link set vb down
	yardstick af_packet-bypass -i va -n 1000 --link-loss go
	is "$status" 0 "$dxmit_said: exit code"
	is "$(json '[.total.packets, .total.lost] | tojson')" "[0,1000]" \
		"$dxmit_said: accepted and lost"
	for kind in af_packet af_packet-ring; do
		yardstick "$kind" -i va -d 0.5 --link-loss go
		is "$status" 0 "$dxmit_said: exit code"
		within "$seconds" 0.4 2 "$dxmit_said: seconds"
	done
}

case_down_and_gone() {
	local kind
	for kind in $PACKET_KINDS $UDP_KINDS; do
		veth 1
		udp_ready
		yardstick_start "$kind" -i va -d 10
		dxmit_is_sending
		ip link set va down
		yardstick_wait
		is "$status" 1 "$dxmit_said: exit code"
		one_error va "is down|Network is down|No such device or address|unreachable"
		ip link del va
		veth 1
		udp_ready
		yardstick_start "$kind" -i va -d 10
		dxmit_is_sending
		ip link del va
		yardstick_wait
		is "$status" 1 "$dxmit_said: exit code"
		one_error va "No such device|unreachable|is down"
		within "$seconds" 0 5 "$dxmit_said: seconds"
	done
}

# Of every thread, the one that waits for the others included.
case_no_privileges_while_sending() {
	local kind
	veth 1
	udp_ready
	for kind in $PACKET_KINDS $UDP_KINDS; do
		yardstick_start "$kind" -i va -d 10
		dxmit_is_sending
		is "$(sed -n 's/^Cap\(Prm\|Eff\):\t//p' "/proc/$dxmit_pid"/task/*/status | sort -u)" \
			0000000000000000 "$dxmit_said: capabilities"
		kill "$dxmit_pid"
		yardstick_wait
		is "$status" 0 "$dxmit_said: exit code"
	done
}

case_sandbox() {
	local kind
	for kind in $PACKET_KINDS $UDP_KINDS; do
		yardstick "$kind" --sandbox=2 -n 10000
		accepted 10000
	done
}

run_cases "$@"
