#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the direct path where the kernel module is not: runs go on without it
# and say so, and everything that needs it, or the sockets of another process,
# ends with one line. With the module it is the guest's to test (../vm).
. "$(dirname "$0")/lib.sh"

if [ -e /dev/dxmit ]; then
	echo "the module is loaded here"
	exit 77
fi

user=$((64100 + $$ % 800))

# A sender of ours whose sockets can be looked for: process $sender_pid.
sender() { # INTERFACE OPTIONS…
	"$DXMIT" tx -i "$@" --rate 1kpps >/dev/null 2>&1 </dev/null &
	sender_pid=$!
	local turn
	for turn in {1..200}; do
		[ "$(counter "$1" tx_packets)" -gt 0 ] && return
		sleep 0.01
	done
	bail "the sender never sent ($turn)"
}

# How many there are, of any kind.
sockets_of_sender() {
	find "/proc/$sender_pid/fd" -printf '%f %l\n' | grep -c 'socket:'
}

end_sender() {
	kill -TERM "$sender_pid"
	wait "$sender_pid"
}

# ---- tx ----

case_auto_falls_back_and_says_why() {
	veth 2
	dxmit tx -i va -n 1000 --json "$report"
	no_error
	sent_exactly 1000
	is "$(counter vb rx_packets)" 1000 "frames at the far end"
	is "$(json '[.config.path, .config.path_asked, .queues[].path] | tojson')" \
		'["kernel","auto","kernel","kernel"]' "path"
	like "$(json '.queues[0].path_reason')" "not loaded; .modprobe dxmit." "why"
	is "$(json '[.queues[] | .path_lost, .direct, .direct_batch] | unique | tojson')" \
		"[null,false]" "nothing of the module"
	like "$stdout" "mode +copy, kernel path, kick" "the plan names it"
	like "$(tr -s ' \n' ' ' <<<"$stdout")" "copy mode, kernel path, " "the report names it"
	is "$(grep -cE 'modprobe|not loaded' "$work/stdout")" 0 "lines about the module"
	dxmit tx -i va -n 1000 -v
	like "$(tr -s ' \n' ' ' <<<"$stdout")" \
		"path queue 0 is on the kernel path: the kernel module is not loaded;" "why, with -v"
}

case_kernel_asks_for_nothing() {
	veth 1
	dxmit tx -i va -n 100 --path kernel --json "$report" -v
	no_error
	sent_exactly 100
	is "$(json '.queues[0] | [.path, .path_reason] | tojson')" '["kernel",null]' "path"
}

case_direct_is_an_error_without_the_module() {
	veth 2
	dxmit tx -i va -n 1000 --path direct --json "$report"
	is "$status" 1 "$dxmit_said: exit code"
	one_error "direct path" "not loaded; .modprobe dxmit."
	is "$(counter va tx_packets)" 0 "frames sent"
	dxmit tx --sandbox -n 10 --path direct --direct-batch 8 --direct-validate
	is "$status" 1 "$dxmit_said: exit code"
	one_error "direct path" "not loaded"
}

case_plan_and_probe_tell() {
	veth 1
	dxmit plan -i va
	like "$stdout" "direct path if it can be had" "plan"
	dxmit plan -i va --path kernel
	like "$stdout" "copy, kernel path" "plan with --path kernel"
	dxmit probe -i va --json "$work/probe.json"
	no_error
	like "$stdout" "module +not loaded.*modprobe" "probe"
	is "$(json '.probe | [.module, .module_version] | tojson' "$work/probe.json")" \
		"[false,null]" "probe in JSON"
	like "$(json .probe.module_reason "$work/probe.json")" "not loaded; " "reason in JSON"
}

# ---- attach and detach ----

case_attach_without_the_module() {
	local what before
	veth 2
	sender va -q 1
	before=$(sockets_of_sender)
	for what in "attach -p $sender_pid" "attach -p $sender_pid --all" "attach --list" \
		"detach -p $sender_pid" "detach --id 1"; do
		# shellcheck disable=SC2086 # words
		dxmit $what
		is "$status" 1 "$dxmit_said: exit code"
		one_error "/dev/dxmit" "not loaded; .modprobe dxmit."
		is "$stdout" "" "$dxmit_said: stdout"
	done
	is "$(sockets_of_sender)" "$before" "sockets of the sender, none lost"
	end_sender
}

case_attach_needs_a_choice_among_several() {
	veth 3
	sender va
	dxmit attach -p "$sender_pid"
	is "$status" 2 "$dxmit_said: exit code"
	one_error "process $sender_pid" "3 AF_XDP sockets, descriptors [0-9]+.*--fd N or --all"
	if ss --xdp -a >/dev/null 2>&1 && [ "$(ss --xdp -a | wc -l)" -gt 1 ]; then
		like "$stderr" "\(ifindex $(cat /sys/class/net/va/ifindex), queue 2\)" \
			"where each is bound"
	fi
	end_sender
}

case_attach_to_what_is_none() {
	dxmit attach -p $$
	is "$status" 1 "$dxmit_said: exit code"
	one_error "process $$" "no AF_XDP socket"
	dxmit attach -p $$ --all
	one_error "process $$" "no AF_XDP socket"
	dxmit attach -p $$ --fd 0
	is "$status" 1 "$dxmit_said: exit code"
	one_error "process $$, descriptor 0" "not an AF_XDP socket"
	dxmit detach -p $$ --fd 9999
	one_error "process $$" "no descriptor 9999"
	dxmit attach -p 2147483647
	is "$status" 1 "$dxmit_said: exit code"
	one_error "process 2147483647" "there is none"
}

# What an ordinary user may not do with root's process: Yama or not.
case_attach_without_the_right_to_copy() {
	local library
	veth 1
	sender va
	cp "$DXMIT" "$work/dxmit"
	library=$(ldd "$work/dxmit" | awk '/libdxmit/ { print $3 }')
	[ -z "$library" ] || cp "$library" "$work/"
	cat >"$work/as_user" <<-END
		#!/bin/sh
		exec setpriv --reuid=$user --regid=$user --clear-groups --inh-caps=-all \
			env LD_LIBRARY_PATH=$work $work/dxmit "\$@"
	END
	chmod 755 "$work" "$work/as_user"
	DXMIT=$work/as_user
	dxmit attach -p "$sender_pid"
	is "$status" 1 "$dxmit_said: exit code"
	one_error "process $sender_pid" "CAP_SYS_PTRACE.*ptrace_scope is [0-9]\); run as root"
	dxmit detach -p "$sender_pid" --fd 5
	is "$status" 1 "$dxmit_said: exit code"
	one_error "process $sender_pid" "CAP_SYS_PTRACE"
	end_sender
}

run_cases "$@"
