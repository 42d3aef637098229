# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Zero-copy: the command on an igb, which has it from Linux 6.14 on, and then only
# with an XDP program.

igb_has_zerocopy() {
	kernel_is_at_least 6 14
}

programs() { # on igb0
	ip -d link show igb0 | grep -c 'prog/xdp'
}

# The kernel takes it from the interface at once, and frees it a little later.
no_program_left() { # TEXT
	local turn=0
	is "$(programs)" 0 "$1: programs on igb0"
	while grep -q dxmit_pass /proc/kallsyms && [ $turn -lt 40 ]; do
		usleep 50000
		turn=$((turn + 1))
	done
	is "$(grep -c dxmit_pass /proc/kallsyms)" 0 "$1: programs in the kernel"
}

# At a rate the emulated far end keeps up with.
zerocopy_tx() { # WORDS…
	dxmit tx -z -i igb0 --rate 1kpps --stamp --interval 0 --json /tmp/tx "$@" \
		>/tmp/out 2>/tmp/err
}

case_zerocopy_is_refused_where_the_driver_has_none() {
	if igb_has_zerocopy; then
		skip "this igb has it"
		return
	fi
	up igb0
	zerocopy_tx -n 1000
	is $? 1 "exit code"
	is "$(wc -l </tmp/err) $(grep -c '^dxmit: igb0: zero-copy .*; use copy mode' /tmp/err)" \
		"1 1" "$(cat /tmp/err)"
	no_program_left refused
	down igb0
}

case_zerocopy_frames_on_igb() {
	if ! igb_has_zerocopy; then
		skip "this igb has none"
		return
	fi
	far_nic igb1
	up igb0 igb1
	listen /tmp/receiver receiver igb1 --count 5000 --time 60
	zerocopy_tx -n 5000
	is $? 0 "exit code; $(cat /tmp/err)"
	wait $listener
	is "$(received '.frames, .missing, .duplicates, .out_of_order, .bad_checksum, .bad_length,
		.foreign')" "5000 0 0 0 0 0 0" "far end"
	is "$(jq -r '[.queues[] | .mode, .packets] | join(" ")' /tmp/tx)" \
		"zero-copy 2500 zero-copy 2500" "queues"
	is "$(jq '[.queues[].program_attached] | map(select(.)) | length' /tmp/tx)" 1 \
		"programs attached"
	is "$(jq -r '.ledger | [.queued, .sent, .dropped, .in_flight, .closed] | join(" ")' /tmp/tx)" \
		"5000 5000 0 0 true" "ledger"
	no_program_left "a whole run"
	down igb0 igb1
}

case_zerocopy_ended_in_the_middle() {
	local signal turn before
	if ! igb_has_zerocopy; then
		skip "this igb has none"
		return
	fi
	up igb0 igb1
	for signal in INT KILL; do
		before=$(sent igb0)
		zerocopy_tx &
		turn=0
		until [ $(($(sent igb0) - before)) -ge 500 ] || [ $turn = 200 ]; do
			usleep 100000
			turn=$((turn + 1))
		done
		is "$(programs)" 1 "$signal: while it sends"
		kill -$signal "$(pidof dxmit)"
		wait $! 2>/dev/null
		is $? "$([ $signal = KILL ] && echo 137 || echo 0)" "$signal: exit code"
		no_program_left "$signal"
	done
	down igb0 igb1
}
