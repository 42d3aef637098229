#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the bytes on the wire: every byte of every frame is the one asked for,
# with right lengths and checksums, for every size and setting.
. "$(dirname "$0")/lib.sh"

CONTENT=$BUILD/tests/content

# Send 300 frames (more than a small ring) and compare each byte of each.
compare() { # DXMIT-OPTIONS -- CONTENT-KEYS
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	exec {content_fd}< <(exec "$CONTENT" vb 300 destination_mac=02:00:00:00:00:02 \
		source_mac="$(cat /sys/class/net/va/address)" destination_ip=198.18.0.2 \
		source_ip=198.18.0.1 destination_port=9 source_port=4660 length=60 "$@" \
		2>"$work/content.err")
	read -r -t 10 -u "$content_fd" line
	[ "$line" = ready ] || bail "content: $(cat "$work/content.err")"
	dxmit tx -i va -n 300 --ring 128 -b 64 --json "$report" "${options[@]}"
	cat <&"$content_fd" >"$work/content.json"
	exec {content_fd}<&-
	no_error
	sent_exactly 300
	is "$(json '[.frames, .differing, .foreign, .first_difference] | tojson' \
		"$work/content.json")" "[300,0,0,null]" \
		"$dxmit_said: frames, differing, foreign, first difference"
}

case_default_frame() {
	veth 2
	compare --
	compare --stamp -- stamp=1
}

case_every_size() {
	local size
	veth 1
	for size in 64 65 66 67 128 777 1024 1517 1518; do
		compare -s "$size" -- length=$((size - 4))
		compare -s "$size" --stamp -- length=$((size - 4)) stamp=1
	done
}

case_every_payload() {
	local payload
	veth 1
	for payload in zero count 0x00 0x5a 0xff; do
		compare -s 401 --payload "$payload" -- length=397 payload="$payload"
		compare -s 401 --payload "$payload" --stamp -- length=397 \
			payload="$payload" stamp=1
	done
}

case_every_address_and_header_field() {
	veth 1
	compare --dst-mac 0a:1b:2c:3d:4e:5f -- destination_mac=0a:1b:2c:3d:4e:5f
	compare --src-mac 0e:ff:00:00:00:09 -- source_mac=0e:ff:00:00:00:09
	compare --dst-ip 255.255.255.255 -- destination_ip=255.255.255.255
	compare --src-ip 10.1.2.3 -- source_ip=10.1.2.3
	compare --dst-port 65535 -- destination_port=65535
	compare --src-port 1 -- source_port=1
	compare --ttl 1 -- ttl=1
	compare --dscp 46 -- dscp=46
}

# The library's own idea of the frame is under test too: this one was put
# together by hand, checksums included.
case_default_frame_byte_by_byte() {
	veth 1
	compare --src-mac 02:00:00:00:00:01 -- source_mac=02:00:00:00:00:01
	is "$(json .first "$work/content.json")" \
		"$(tr -d ' \n\t' <<-'FRAME'
			020000000002 020000000001 0800
			45 00 002e 0000 4000 40 11 ae97 c6120001 c6120002
			1234 0009 001a 6155
			000000000000000000000000000000000000
		FRAME
		)" "every byte of the default frame"
}

# Lengths and checksums again, summed by a receiver that shares no code.
case_checksums_hold_for_every_stamp() {
	veth 2
	receive vb --count 70000 --time 15
	dxmit tx -i va -n 70000 --rate 200kpps -s 99 --payload count --stamp \
		--interval 0 --json "$report"
	received
	sent_exactly 70000
	rx_complete 70000
	is "$(rx '[.min_length, .max_length] | tojson')" "[95,95]" "length at the far end"
}

run_cases "$@"
