#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards packets made of layers against an independent decoder: tshark at the far
# end of a veth pair sees every legal stack of layers in lengths from 60 to 9000,
# none malformed, none with a bad checksum, each with the layers that were meant.
# The transmitter's chunks end at 4096 bytes; longer frames are sent through a
# packet socket, so that the builder is checked up to 9000 all the same.
. "$(dirname "$0")/lib.sh"

TEMPLATES=$BUILD/tests/templates

# Everything that arrives at vb, into $work/far.pcap.
capture_start() {
	local turn
	command -v tshark dumpcap >/dev/null || skip "tshark is not installed"
	dumpcap -q -i vb -s 0 -B 64 -w "$work/far.pcap" 2>"$work/dumpcap.err" &
	capture_pid=$!
	for turn in {1..500}; do
		[ -s "$work/far.pcap" ] && return
		kill -0 "$capture_pid" 2>/dev/null || break
		sleep 0.01
	done
	bail "dumpcap does not start ($turn): $(cat "$work/dumpcap.err")"
}

# Until COUNT frames have arrived and are written.
capture_stop() { # COUNT
	local turn
	for turn in {1..500}; do
		[ "$(counter vb rx_packets)" -ge "$1" ] && break
		[ "$turn" = 500 ] && note "only $(counter vb rx_packets) arrived"
		sleep 0.01
	done
	sleep 0.5
	kill -INT "$capture_pid"
	wait "$capture_pid"
	is "$(grep -oE "dropped on interface.*: [0-9]+/[1-9][0-9]*" "$work/dumpcap.err")" "" \
		"the capture kept up"
}

# Where a field's checks are off by default they are switched on.
decode() { # TSHARK-OPTIONS
	tshark -n -r "$work/far.pcap" -o ip.check_checksum:TRUE \
		-o udp.check_checksum:TRUE -o tcp.check_checksum:TRUE \
		-o tcp.analyze_sequence_numbers:FALSE "$@" 2>"$work/tshark.err"
}

# Checksum states of Wireshark: 0 bad, 1 good, 2 unverified, 3 absent.
BAD='_ws.malformed or _ws.short or ip.checksum.status == 0
	or udp.checksum.status == 0 or tcp.checksum.status == 0
	or icmp.checksum.status == 0 or icmpv6.checksum.status == 0
	or _ws.expert.severity == "Error" or _ws.unreassembled'
UNVERIFIED='ip.checksum.status == 2 or tcp.checksum.status == 2
	or icmp.checksum.status == 2 or icmpv6.checksum.status == 2
	or udp.checksum.status == 2'

# The lines of the sender: length and our layers, in the decoder's words.
seen_layers() {
	decode -T fields -e frame.len -e frame.protocols |
		awk '{
			n = split($2, names, ":")
			line = $1
			for (i = 1; i <= n; i++)
				if (names[i] ~ /^(eth|vlan|ieee8021ad|mpls|arp|ip|ipv6|udp|tcp|icmp|icmpv6|gre|vxlan)$/)
					line = line " " names[i]
			print line
		}'
}

case_every_stack_of_layers() {
	local sent
	veth 1 9200
	capture_start
	"$TEMPLATES" va >"$work/expected" 2>"$work/templates.err"
	is $? 0 "sent: $(cat "$work/templates.err")"
	sent=$(wc -l <"$work/expected")
	note "$(cat "$work/templates.err")"
	capture_stop "$sent"
	is "$((sent >= 300 ? 1 : 0))" 1 "at least 300 combinations"
	is "$(decode -Y "$BAD" | head -n 5)" "" "nothing is malformed or has a bad checksum"
	is "$(decode -Y "$UNVERIFIED" | head -n 5)" "" "no checksum is left unverified"
	is "$(diff "$work/expected" <(seen_layers) | head -n 10)" "" \
		"far end: lengths and layers"
}

# What dxmit sends is what it says.
case_dxmit_sends_them() {
	local frame sent=0
	veth 1
	capture_start
	while read -r frame; do
		[ -n "$frame" ] || continue
		dxmit tx -i va -n 3 --json "$report" --frame "$frame"
		sent_exactly 3
		no_error
		sent=$((sent + 3))
	done <<-'FRAMES'
		eth/vlan:100/ip4:10.0.0.1>10.0.0.2/udp:1000>2000
		eth/svlan:7/vlan:8,pcp=3/ip6:2001:db8::1>2001:db8::2,flow=7/tcp:80,flags=syn,options=020405b4/pad
		eth/ip6/udp/vxlan:42/eth/ip4/udp
		eth/mpls:100/mpls:200/ip4/icmp:7
		eth:ff:ff:ff:ff:ff:ff/arp:10.0.0.1>10.0.0.2
	FRAMES
	capture_stop "$sent"
	is "$(decode -Y "$BAD" | head -n 5)" "" "nothing is malformed or has a bad checksum"
	is "$(decode -Y 'vlan.id == 100 and ip.src == 10.0.0.1 and udp.srcport == 1000 and
		udp.dstport == 2000' | wc -l)" 3 "VLAN, IPv4, UDP"
	is "$(decode -Y 'ieee8021ad.id == 7 and vlan.id == 8 and vlan.priority == 3 and
		ipv6.flow == 7 and tcp.flags == 2 and tcp.len == 0 and
		tcp.options.mss_val == 1460' | wc -l)" 3 "two tags, IPv6, TCP"
	is "$(decode -Y 'vxlan.vni == 42 and ipv6 and ip' | wc -l)" 3 "VXLAN"
	is "$(decode -Y 'mpls.label == 100 and mpls.label == 200 and icmp.type == 8' |
		wc -l)" 3 "MPLS, ICMP"
	is "$(decode -Y "arp.opcode == 1 and arp.src.hw_mac == $(cat /sys/class/net/va/address) and
		eth.dst == ff:ff:ff:ff:ff:ff" | wc -l)" 3 "ARP from the interface"
}

# Stamps go where the payload is, and every checksum stays right.
case_stamps_in_layers() {
	local frame
	veth 1
	capture_start
	for frame in eth/vlan:5/ip6/udp eth/ip4:options=94040000/gre:7/ip6/udp \
		eth/ip6/udp/vxlan/eth/ip4/udp:9,checksum=0; do
		dxmit tx -i va -n 100 --stamp --json "$report" --frame "$frame"
		sent_exactly 100
		no_error
	done
	capture_stop 300
	is "$(decode -Y "$BAD" | head -n 5)" "" "nothing is malformed or has a bad checksum"
	is "$(decode -Y 'frame contains 44:58:4d:54:01' | wc -l)" 300 "stamps"
}

# Only what a stack can carry.
case_refusals() {
	veth 1
	dxmit tx -i va -n 1 --frame eth/udp
	is "$status" 2 "exit code"
	one_error --frame "at character 5, 'udp': UDP .* cannot follow Ethernet; put it on"
	dxmit tx -i va -n 1 --stamp --frame eth/ip4/tcp
	is "$status" 2 "exit code"
	one_error --stamp "layers of --frame end in TCP"
	dxmit tx -i va -n 1 -s 128 --stamp --frame eth/ip4/udp:byte23=inc
	is "$status" 2 "exit code"
	one_error --stamp "bytes 42 to 57 of the frame, which --frame changes at character 20"
	dxmit tx -i va -n 1 -s 128 --stamp --frame eth/ip4/udp:byte24=inc
	is "$status" 0 "a field that changes behind the stamp"
	dxmit tx -i va -n 1 -s 64 --frame eth/ip6/udp/vxlan/eth/ip4
	is "$status" 2 "exit code"
	one_error -s "too short for the layers of --frame; use at least 108"
	dxmit tx -i va -n 1 --frame eth/ip4/udp --dst-port 7
	is "$status" 2 "exit code"
	one_error --dst-port "has no effect with --frame"
	dxmit tx -i va -n 1 -s 1519 --frame eth/ip4/udp
	is "$status" 2 "exit code"
	one_error -s "exceed the MTU 1500"
	dxmit tx -i va -n 1 -s 1522 --frame eth/vlan/ip4/udp
	is "$status" 0 "a tag raises the limit by 4"
}

run_cases "$@"
