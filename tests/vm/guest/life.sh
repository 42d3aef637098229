# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# From attach to detach, and from load to unload.

case_killed_while_attached() {
	veth
	/opt/direct va 1000 stay >/tmp/direct 2>&1 &
	direct_pid=$!
	usleep 700000
	rmmod dxmit 2>/dev/null
	is $? 1 "rmmod while attached"
	kill -9 $direct_pid
	wait $direct_pid 2>/dev/null
	usleep 100000
	all_arrive va vb 1000
	no_veth
}

case_debugfs_shows_each_socket() {
	local file=/sys/kernel/debug/dxmit/attachments
	veth
	/opt/direct va 1000 stay >/tmp/direct 2>&1 &
	direct_pid=$!
	usleep 700000
	is "$(wc -l <$file)" 1 "lines"
	is "$(line_says $file active) $(line_says $file packets) $(line_says $file bytes)" \
		"1 1000 60000" "counters"
	kill $direct_pid
	wait $direct_pid 2>/dev/null
	is "$(wc -l <$file)" 0 "lines when it is gone"
	no_veth
}

case_loads_and_unloads_again_and_again() {
	local turn
	veth
	for turn in $(seq "$cycles"); do
		rmmod dxmit
		is $? 0 "rmmod, turn $turn"
		insmod /modules/dxmit.ko
		is $? 0 "insmod, turn $turn"
		direct_run va 100
		is "$(said error completed packets)" "0 100 100" "turn $turn"
	done
	no_veth
}

case_unloads() {
	rmmod dxmit
	is $? 0 "rmmod"
	is "$(ls /dev/dxmit /sys/kernel/debug/dxmit 2>/dev/null)" "" "device node and debugfs"
}

# The stalled NICs and the per-CPU caches hold some hundred; hundreds of thousands were
# sent. A kernel that has kmemleak has KASAN, too, whose quarantine is counted as
# alive: there it is what has been unreferenced for 5 s.
case_nothing_is_leaked() {
	local leaked=/sys/kernel/debug/kmemleak
	[ -e $leaked ] || {
		is "$([ $(($(skbs) - skbs_before)) -lt 1500 ] && echo few)" few \
			"skbs: $(skbs) now, $skbs_before before"
		return
	}
	sleep 6
	echo scan >$leaked
	echo scan >$leaked
	is "$(grep -cE 'dxmit|xsk_|xp_|direct_' $leaked)" 0 "kmemleak: $(cat $leaked)"
}
