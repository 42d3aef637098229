# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Comparisons on an igb and a veth: with the module, zero-copy and pktgen, and the
# interface as it was afterwards.

compared() { # EXPRESSION: of the results
	jq -r "[$1] | join(\" \")" /tmp/compared
}

# Emulated CPUs need longer windows.
compare() { # WORDS…
	rm -f /tmp/compared
	dxmit compare --rounds 2 -d 0.5 --warm-up 0.2 --json /tmp/compared "$@" \
		>/tmp/out 2>/tmp/err
}

# Every round, and the sender's own count is what the device counted.
whole() { # LEG…
	local leg
	for leg; do
		is "$(compared ".cells[] | select(.leg == \"$leg\") | .unavailable, .failure,
			([.samples[] | select(.disturbed | not)] | length)")" "  2" \
			"$leg: reason, failure, samples"
		is "$(compared ".cells[] | select(.leg == \"$leg\") | .samples[] |
			select(.packets <= 0 or .packets > .life_packets)")" "" "$leg: packets"
	done
}

state_of() { # INTERFACE
	ip -d link show "$1" | grep -v link/ether | sed 's/state [A-Z]*//'
	ethtool -l "$1"
	jq -r . /proc/net/pktgen/kpktgend_0 2>/dev/null | grep -c "$1"
}

case_compare_copy_direct_and_zerocopy_on_igb() {
	if ! kernel_is_at_least 6 14; then
		skip "this igb has no zero-copy"
		return
	fi
	up igb0 igb1
	state=$(state_of igb0)
	compare -i igb0 --legs copy,direct,direct-validate,zerocopy --html /tmp/html
	is $? 0 "exit code; $(cat /tmp/err)"
	whole copy direct direct-validate zerocopy
	is "$(compared '.cells[] | .mode, .path')" \
		"copy kernel copy direct copy direct zero-copy kernel" "modes and paths"
	is "$(compared '.cells[].witness')" "device tx_packets device tx_packets \
device tx_packets device tx_packets" "witness"
	is "$(compared '[.cells[].samples[] | select(.life_own != .life_packets)] | length')" 0 \
		"own counts and the device's"
	is "$(state_of igb0)" "$state" "igb0 afterwards"
	is "$(dxmit attach -l | grep -c igb0)" 0 "attachments"
	is "$(grep -c '</html>' /tmp/html)" 1 "a page"
	sed 's/^/# /' /tmp/out
	down igb0 igb1
}

case_compare_pktgen_on_a_veth() {
	if [ ! -e /proc/net/pktgen ]; then
		skip "the kernel has no pktgen"
		return
	fi
	veth
	compare -i va --legs copy,direct,pktgen,pktgen-clone,pktgen-queue,pktgen-rx
	is $? 0 "exit code; $(cat /tmp/err)"
	whole copy direct pktgen pktgen-queue
	is "$(compared '.cells[] | select(.leg == "pktgen" and .samples[0].cpu_system_ns > 1e8)
		| .leg')" pktgen "CPU time of its thread"
	is "$(cat /proc/net/pktgen/kpktgend_* | grep -c 'va@')" 0 "pktgen's devices"
	sed 's/^/# /' /tmp/out
	no_veth
}

case_compare_killed_with_every_leg() {
	local turn=0
	veth
	while [ $turn -lt 8 ]; do
		dxmit compare -i va --rounds 100 -d 0.2 --legs direct,pktgen >/dev/null 2>&1 &
		usleep $((700000 + turn * 137000))
		kill -KILL $!
		wait $! 2>/dev/null
		usleep 300000
		is "$(dxmit attach -l | grep -c ' va ')" 0 "attachments after kill $turn"
		turn=$((turn + 1))
	done
	# pktgen looks whether to go on some ten times a second.
	turn=0
	while before=$(sent va) && usleep 300000 && [ "$(sent va)" != "$before" ] &&
		[ $turn -lt 5 ]; do
		turn=$((turn + 1))
	done
	is "$(sent va)" "$before" "nobody sends any more"
	compare -i va --legs direct,pktgen
	is $? 0 "exit code afterwards; $(cat /tmp/err)"
	no_veth
}
