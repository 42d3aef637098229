# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The comparison of copy mode, direct path and zero-copy on an igb: the interface is
# afterwards what it was before, and the wire saw what the results say. The results
# go to the host as well, over the third serial port.

# All of an interface that a leg could change.
interface_state() {
	ip -j -d link show igb0 | jq -c '.[0] | [.flags, .operstate, .mtu, .promiscuity,
		.qdisc, .txqlen, .address, .xdp]'
	ethtool -l igb0
	ethtool -g igb0
	ethtool -k igb0
	dxmit attach --list
}

# Up to a file of that name. Legs, modes, paths, faults and rounds are those wanted.
wire_compare() { # FILE ROUNDS WORDS…
	local file=$1 rounds=$2
	shift 2
	dxmit compare -i igb0 --legs copy,direct,zerocopy --rounds "$rounds" --json "$file" \
		"$@" >/tmp/out 2>/tmp/err
	is $? 0 "exit code; $(tail -n 1 /tmp/err)"
	is "$(jq -r '[.cells[] | .leg, .mode, .path, .unavailable, .failure] | join(" ")' \
		"$file")" "copy copy kernel   direct copy direct   zerocopy zero-copy kernel  " \
		"legs, modes, paths"
	is "$(jq -r '[.cells[].summary.rounds] | join(" ")' "$file")" \
		"$rounds $rounds $rounds" "rounds that can be used"
	[ "$failed" = 0 ] || note "$(jq -c '[.cells[] | [.leg, .repeated, .samples[] |
		.note?, .life_packets?, .life_own?]]' "$file")"
}

differing() { # FILE: samples
	jq '[.cells[].samples[] | select(.life_packets != .life_own)] | length' "$1"
}

case_a_comparison_leaves_the_igb_as_it_was() {
	local before
	if ! igb_has_zerocopy; then
		skip "this igb has no zero-copy"
		return
	fi
	far_nic igb1
	up igb0 igb1
	before=$(interface_state)
	wire_compare /tmp/compare.json 6 -d 0.2 --warm-up 0.05 --csv /tmp/compare.csv \
		--markdown /tmp/compare.md --html /tmp/compare.html
	is "$(interface_state)" "$before" "the interface afterwards"
	no_program_left compare
	is "$(differing /tmp/compare.json)" 0 "samples in which device and sender differ"
	is "$(tail -n +2 /tmp/compare.csv | wc -l)" 18 "rows of the CSV"
	is "$(grep -c '</html>' /tmp/compare.html)" 1 "HTML"
	stty -F /dev/ttyS2 -opost
	cat /tmp/compare.json >/dev/ttyS2
	down igb0 igb1
}

# The far end decides: what it received over a leg's life is what the leg sent. In
# windows so short that the queue of the emulated wire (10000 frames: net/queue.c of
# QEMU) holds what the far end is behind.
case_the_wire_counts_what_the_legs_sent() {
	if ! igb_has_zerocopy; then
		skip "this igb has no zero-copy"
		return
	fi
	far_nic igb1
	up igb0 igb1
	wire_compare /tmp/wire.json 1 -d 0.03 --warm-up 0 \
		--witness "cat /sys/class/net/igb1/statistics/rx_packets"
	is "$(jq '[.cells[].samples[] | select(.packets > 0)] | length' /tmp/wire.json)" 3 "samples"
	is "$(differing /tmp/wire.json)" 0 "samples in which far end and sender differ"
	down igb0 igb1
}
