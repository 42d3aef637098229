# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The command with the module: tx on the direct path, attach and detach from
# outside, and users who may not.

two_queues() {
	ip link add va numtxqueues 2 numrxqueues 2 type veth peer name vb numtxqueues 2 \
		numrxqueues 2
	up va vb
}

report() { # EXPRESSION: of the report in JSON
	jq -rc "$1" /tmp/report
}

arrived() { # INTERFACE: frames, by the device's count
	cat "/sys/class/net/$1/statistics/rx_packets"
}

# Exactly COUNT frames, at the far end too.
tx_arrives() { # COUNT WORDS…
	local count=$1
	shift
	listen /tmp/receiver receiver vb --count "$count" --time 120
	dxmit tx -i va -n "$count" --stamp --json /tmp/report "$@" >/tmp/tx 2>/tmp/tx.err ||
		kill "$listener"
	is "$(report .exit_code)" 0 "$*: exit code"
	wait "$listener"
	is "$(received '.frames, .missing, .duplicates, .bad_checksum, .foreign')" \
		"$count 0 0 0 0" "$*: far end"
	is "$(report '[.total.packets, .total.completed, .ledger.sent, .ledger.closed]')" \
		"[$count,$count,$count,true]" "$*: report"
	is "$(cat /tmp/tx.err)" "" "$*: stderr"
}

# A sender that goes on until it is stopped, or ends by itself: $tx_pid.
tx_starts() { # WORDS…
	local turn=0 before
	before=$(sent va)
	dxmit tx -i va --json /tmp/report "$@" >/tmp/tx 2>/tmp/tx.err &
	tx_pid=$!
	until [ "$(sent va)" -gt "$before" ] || [ $turn = 200 ]; do
		usleep 50000
		turn=$((turn + 1))
	done
}

# After a signal the report is due in 200 ms: a thread that an emulated CPU keeps
# waiting is not in it, but nothing that is in it contradicts the wire.
tx_stops() { # SIGNAL TEXT
	kill "-$1" "$tx_pid"
	wait "$tx_pid"
	is $? 0 "$2: exit code"
	is "$(report '.ledger.closed, .ledger.unexplained, .ledger.dropped' | xargs)" \
		"true 0 0" "$2: ledger"
	is "$(cat /tmp/tx.err)" "" "$2: stderr"
}

tx_ends() { # TEXT: with nothing lost, on a new pair
	wait "$tx_pid"
	is $? 0 "$1: exit code"
	is "$(report '.ledger.closed, .ledger.in_flight, .ledger.dropped' | xargs)" \
		"true 0 0" "$1: ledger"
	is "$(report '[.total.packets, .total.completed]')" "[$(arrived vb),$(arrived vb)]" \
		"$1: as many as the far end has"
	is "$(cat /tmp/tx.err)" "" "$1: stderr"
}

# Run the command, keep what it says in /tmp/out and /tmp/err.
asked() { # EXIT-CODE WORDS…
	local code=$1
	shift
	dxmit "$@" >/tmp/out 2>/tmp/err
	is $? "$code" "dxmit $*: exit code"
	[ "$code" = 0 ] && code='' || code=1
	is "$(wc -l </tmp/err)" "${code:-0}" "dxmit $*: lines on stderr"
}

listed() { # EXPRESSION: of the sockets on the direct path
	dxmit attach --list --json - | jq -rc ".sockets | sort_by(.queue) | $1"
}

# Without the numbers nobody can know before.
plain() { # FILE
	sed -e "s/process $tx_pid\b/process P/" -e 's/descriptor [0-9]*/descriptor N/' \
		-e 's/: id [0-9]*/: id N/' "$1" | sort
}

case_tx_takes_the_direct_path() {
	two_queues
	tx_arrives 100000 --path direct --direct-shadow 1
	is "$(report '[.queues[] | .path, .direct.shadow_mismatches]')" \
		'["direct",0,"direct",0]' "path and mismatches"
	is "$(report '[([.queues[].direct.shadow_checks] | add),
		([.queues[].direct.packets] | add)]')" "[100000,100000]" "each was checked"
	tx_arrives 20000
	is "$(report '[.config.path_asked, .queues[].path, .queues[].path_reason]')" \
		'["auto","direct","direct",null,null]' "auto"
	tx_arrives 20000 --path direct --direct-batch 1 --direct-validate
	is "$(report '[.queues[] | .direct_batch, .direct.validations_skipped]')" \
		"[1,0,1,0]" "batch 1, validated"
	is "$(listed length)" 0 "attached after the end"
	no_veth
}

case_tx_stays_on_the_kernel_path() {
	two_queues
	tx_arrives 20000 --path kernel
	is "$(report '[.queues[] | .path, .path_reason, .direct]')" \
		'["kernel",null,null,"kernel",null,null]' "path"
	no_veth
}

case_attach_and_detach_from_outside() {
	local index first
	two_queues
	index=$(cat /sys/class/net/va/ifindex)
	tx_starts --path kernel --rate 10kpps
	asked 2 attach -p $tx_pid
	is "$(sed -e 's/ ([^)]*)//g' -e 's/[0-9][0-9]*/N/g' /tmp/err)" "dxmit: process N: it has\
 N AF_XDP sockets, descriptors N, N; use --fd N or --all" "a choice is needed"
	asked 0 attach -p $tx_pid --all
	is "$(plain /tmp/out)" "process P, descriptor N: on the direct path: id N, ifindex $index, queue 0
process P, descriptor N: on the direct path: id N, ifindex $index, queue 1" "attached"
	asked 1 attach -p $tx_pid --all
	is "$(plain /tmp/err | grep -c 'on the direct path already')" 1 "attached again"
	sleep 1
	asked 0 attach --list
	is "$(awk 'NR > 1 { print $2, $3, $4, $NF }' /tmp/out | sort)" "$index va 0 yes
$index va 1 yes" "list"
	is "$(listed '[.[] | .ifindex, .queue, .active, .packets > 1000]')" \
		"[$index,0,true,true,$index,1,true,true]" "list in JSON"
	first=$(listed '.[0].id')
	asked 0 detach --id "$first"
	is "$(cat /tmp/out)" "attachment $first: on the kernel's path again" "by id"
	is "$(listed '[.[].queue]')" "[1]" "the other is left"
	asked 1 detach --id "$first"
	asked 0 detach -p $tx_pid --all
	is "$(grep -c "on the kernel's path again" /tmp/out)" 1 "all detached"
	asked 0 attach --list
	is "$(cat /tmp/out)" "no socket is on the direct path" "list of none"
	sleep 1
	tx_stops INT "attached and detached"
	no_veth
}

# Two sockets of one device, each on its own path.
case_one_attached_beside_one_that_is_not() {
	two_queues
	tx_starts --path kernel --rate "$rate" -n 30000
	asked 2 attach -p $tx_pid
	asked 0 attach -p $tx_pid --fd "$(sed 's/.*descriptors \([0-9]*\).*/\1/' /tmp/err)"
	sleep 1
	is "$(listed '[.[] | .active, .packets > 1000, .assertions]')" "[true,true,0]" \
		"one is on the direct path"
	tx_ends "one of two"
	is "$(report '[.queues[] | .packets, .completed]')" "[15000,15000,15000,15000]" \
		"both went on"
	is "$(report '[.queues[].path]')" '["kernel","kernel"]' "the path it asked for"
	no_veth
}

case_detached_in_mid_run() {
	two_queues
	tx_starts --path direct --rate "$rate" -n 30000
	sleep 1
	asked 0 detach -p $tx_pid --all
	is "$(plain /tmp/out)" "process P, descriptor N: on the kernel's path again
process P, descriptor N: on the kernel's path again" "detached"
	tx_ends "detached"
	is "$(report '[.queues[] | .path, .path_lost, .packets]')" \
		'["kernel",true,15000,"kernel",true,15000]' "the report"
	is "$(report '.queues[0].path_reason')" "the socket was taken off the direct path from\
 outside; see who runs \`dxmit detach\`" "why"
	is "$(grep -c 'lost the direct path' /tmp/tx)" 2 "told in the text"
	no_veth
}

# A program that knows nothing of the module; its rates are told, not judged.
raw_is_attached() { # INTERFACE
	local raw before packets
	rawsend "$1" >/tmp/raw 2>&1 &
	raw=$!
	sleep 2
	before=$(line_says /tmp/raw pps)
	asked 0 attach -p $raw
	sleep 2
	packets=$(listed '.[].packets')
	sleep 1
	is "$(listed "[.[] | .packets > $packets, .dropped, .invalid]")" "[true,0,0]" \
		"$1: the module sends"
	echo "# $1: $before packets/s, attached $(line_says /tmp/raw pps)"
	kill -TERM $raw
	wait $raw
	is $? 0 "$1: exit code"
	is "$(line_says /tmp/raw completed)" "$(line_says /tmp/raw submitted)" "$1: completed"
}

case_an_unmodified_program_is_attached() {
	ip link add idle type dummy
	up igb0 igb1 idle
	raw_is_attached idle
	raw_is_attached igb0
	down igb0 igb1
	ip link del idle
}

# An ordinary user with the given capabilities.
as_user() { # CAPABILITIES WORDS…
	local capabilities=$1
	shift
	/opt/setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps="$capabilities" \
		--ambient-caps="$capabilities" dxmit tx -i va -n 100 --json - "$@" \
		>/tmp/report 2>/tmp/err
}

user_is_refused() { # REASON
	as_user +net_raw,+ipc_lock --path direct
	is $? 1 "$1: direct"
	is "$(sed 's/^dxmit: [^:]*: //' /tmp/err)" "$1" "direct: the one line"
	is "$(sent va)" 0 "direct: frames sent"
	as_user +net_raw,+ipc_lock --path auto
	is "$? $(cat /tmp/err)" "0 " "$1: auto"
	is "$(report '[.queues[] | .path, .path_reason]')" \
		"[\"kernel\",\"$1\",\"kernel\",\"$1\"]" "auto: why"
}

case_users_without_the_right() {
	two_queues
	user_is_refused "no right to open /dev/dxmit; run as root, or join the group dxmit\
 where its udev rule is installed"
	no_veth
	two_queues
	chmod 666 /dev/dxmit
	user_is_refused "CAP_NET_ADMIN over the socket's network namespace is missing; run as\
 root, or grant CAP_NET_ADMIN"
	as_user +net_raw,+ipc_lock,+net_admin --path direct
	is "$? $(report '[.queues[].path]')" '0 ["direct","direct"]' "with CAP_NET_ADMIN"
	chmod 600 /dev/dxmit
	no_veth
}

# What it owns it may use; what is the machine's it may not.
case_another_user_namespace() {
	two_queues
	tx_starts --path kernel --rate 1kpps -q 0
	unshare -U -r dxmit attach -p $tx_pid >/tmp/out 2>/tmp/err
	is $? 1 "attach"
	is "$(wc -l </tmp/err) $(grep -c 'CAP_SYS_PTRACE is missing' /tmp/err)" "1 1" "its line"
	[ "$failed" = 0 ] || note "$(cat /tmp/err)"
	unshare -U -r dxmit attach --list >/tmp/out 2>/tmp/err
	is "$? $(cat /tmp/out)" "0 no socket is on the direct path" "list"
	asked 0 attach -p $tx_pid
	unshare -U -r dxmit attach --list >/tmp/out 2>/tmp/err
	is "$? $(cat /tmp/out)" "0 no socket is on the direct path" "list, with one of others"
	unshare -U -r dxmit detach --id "$(listed '.[].id')" >/tmp/out 2>/tmp/err
	is "$? $(wc -l </tmp/err)" "1 1" "detach by id"
	is "$(listed '[.[].active]')" "[true]" "still attached"
	tx_stops TERM "left alone"
	unshare -U -r dxmit tx --sandbox -n 1000 --path direct --json - >/tmp/report 2>/tmp/err
	is "$? $(report '[.queues[].path, .far_end.packets]')" '0 ["direct","direct",1000]' \
		"a namespace of its own"
	no_veth
}

case_probe_tells_of_the_module() {
	local version
	version=$(cat /sys/module/dxmit/version)
	two_queues
	asked 0 probe -i va --json /tmp/probe
	is "$(jq -rc '.probe | [.module, .module_version, .module_reason]' /tmp/probe)" \
		"[true,\"$version\",null]" "JSON"
	is "$(grep -c "^ *module .*loaded.*$version" /tmp/out)" 1 "text"
	no_veth
}

case_no_capabilities_while_it_sends() {
	two_queues
	tx_starts --path direct --rate "$rate" -n 20000
	sleep 1
	is "$(cat /proc/$tx_pid/task/*/status | awk '/^Cap/ { print $2 }' | sort -u)" \
		0000000000000000 "capabilities of all threads"
	is "$(find /proc/$tx_pid/task -maxdepth 1 -mindepth 1 | wc -l)" 3 "threads"
	tx_ends "without capabilities"
	is "$(report '([.queues[].direct.packets] | add) == .total.packets')" true \
		"the module's counters in the report"
	no_veth
}
