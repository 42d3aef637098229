#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards what is needed and what is kept: with few privileges the missing one
# is named with its size and remedy, and all of them are gone while it sends.
. "$(dirname "$0")/lib.sh"

# A number of its own per case: locked memory counts per user.
user=$((61000 + $$ % 3000))
dxmit_program=$DXMIT

# From here on `dxmit` is a PROGRAM run as an ordinary user with these
# capabilities, under the commands BEFORE and, as that user, AFTER. A copy, since
# the user may have no way into the build tree.
as_user() { # CAPABILITIES, as in +net_raw, or none [PROGRAM]
	local capabilities=-all${1:+,$1} library
	mkdir -p "$work/bin"
	cp "${2:-$dxmit_program}" "$work/bin/dxmit"
	library=$(ldd "$work/bin/dxmit" | awk '/libdxmit/ { print $3 }')
	[ -z "$library" ] || cp -u "$library" "$work/bin/"
	cat >"$work/as_user" <<-END
		#!/bin/sh
		exec ${BEFORE:-} setpriv --reuid=$user --regid=$user --clear-groups \
			--inh-caps=$capabilities --ambient-caps=$capabilities \
			env LD_LIBRARY_PATH=$work/bin ${AFTER:-} $work/bin/dxmit "\$@"
	END
	chmod 755 "$work" "$work/bin" "$work/as_user" "$work"/bin/*
	chown "$user" "$work"
	DXMIT=$work/as_user
}

# ---- what is kept ----

capabilities_of() { # PID: names and sets that are not empty, of every thread
	grep -hE '^Cap(Inh|Prm|Eff|Bnd|Amb):' "/proc/$1"/task/*/status |
		grep -vE ':[[:space:]]*0{16}$'
}

case_capabilities_are_gone_while_it_sends() {
	veth 4
	isnt "$(capabilities_of $$)" "" "capabilities before"
	dxmit_start tx -i va --rate 10kpps
	dxmit_is_sending va
	is "$(find "/proc/$dxmit_pid/task" -mindepth 1 -maxdepth 1 | wc -l)" 5 "threads"
	is "$(capabilities_of "$dxmit_pid")" "" "capabilities of all threads"
	is "$(sed -n 's/^NoNewPrivs:[[:space:]]*//p' "/proc/$dxmit_pid/task"/*/status |
		sort -u)" 1 "no new privileges"
	kill -TERM "$dxmit_pid"
	dxmit_wait
	is "$status" 0 "exit code"
}

case_capabilities_are_gone_in_the_sandbox() {
	dxmit_start tx --sandbox=2 --rate 10kpps
	sleep 0.6
	is "$(capabilities_of "$dxmit_pid")" "" "capabilities of all threads"
	kill -TERM "$dxmit_pid"
	dxmit_wait
	is "$status" 0 "exit code"
}

# ---- what is needed ----

case_C5_missing_CAP_NET_RAW() {
	veth 2
	as_user ""
	dxmit tx -i va -n 10
	is "$status" 1 "exit code"
	one_error ".*" "CAP_NET_RAW.*run as root.*setcap"
	is "$(counter va tx_packets)" 0 "frames sent"
	as_user +net_admin
	dxmit tx -i va -n 10
	one_error ".*" "CAP_NET_RAW"
}

case_C5_CAP_NET_RAW_is_enough() {
	veth 2
	as_user +net_raw
	dxmit tx -i va -n 1000 --ring 256 -s 1518 --json "$report"
	no_error
	sent_exactly 1000
	is "$(counter vb rx_packets)" 1000 "frames at the far end"
}

case_C5_locked_memory_limit() {
	veth 1
	BEFORE="prlimit --memlock=65536:65536"
	as_user +net_raw
	dxmit tx -i va -n 10 --ring 2048 -s 1518
	is "$status" 1 "$dxmit_said: exit code"
	one_error "frame memory" "4096 KiB .*limit is 64 KiB; .*ulimit -l 4096"
	within "$seconds" 0 0.45 "$dxmit_said: not waited for"
	dxmit tx -i va -n 10 --ring 64 -s 1518
	is "$status" 1 "$dxmit_said: exit code"
	one_error "frame memory" "128 KiB .*limit is 64 KiB"
	is "$(counter va tx_packets)" 0 "frames sent"
	dxmit tx -i va -n 100 --ring 32 --json "$report"
	no_error
	sent_exactly 100
}

# The kernel answers with the total of several queues, so does the message.
case_C5_locked_memory_of_several_queues() {
	local limit
	veth 4
	BEFORE="prlimit --memlock=1048576:1048576"
	as_user +net_raw
	dxmit tx -i va -n 10 --ring 256 -s 1518 --bind-wait 100
	is "$status" 1 "$dxmit_said: exit code"
	one_error "frame memory" "2048 KiB .*limit is 1024 KiB; .*ulimit -l 2048"
	is "$(counter va tx_packets)" 0 "frames sent"
	limit=$(grep -oE 'ulimit -l [0-9]+' <<<"$stderr" | cut -d' ' -f3)
	BEFORE="prlimit --memlock=$((limit * 1024)):$((limit * 1024))"
	as_user +net_raw
	dxmit tx -i va -n 1000 --ring 256 -s 1518 --json "$report"
	no_error
	sent_exactly 1000
}

# Somebody else's sockets hold it: not a word about a limit that is enough.
case_C5_locked_memory_taken_by_another_socket() {
	local other
	veth 2
	BEFORE="prlimit --memlock=4194304:4194304"
	as_user +net_raw
	"$DXMIT" tx -i va -q 0 -d 8 --rate 10pps --ring 2048 -s 1518 >/dev/null 2>&1 &
	other=$!
	sleep 0.6
	dxmit tx -i va -q 1 -n 10 --ring 2048 -s 1518
	is "$status" 1 "exit code"
	one_error "frame memory" "limit of 4096 KiB is taken by other sockets.*ulimit -l 8192"
	within "$seconds" 0.5 1 "seconds: waited as for a queue"
	kill -TERM $other
	wait $other
	is $? 0 "the other was not disturbed: exit code"
}

# The default limit of a user: one queue, in 8 MiB, again and again.
case_C5_one_queue_in_8_MiB() {
	local run
	veth 2
	BEFORE="prlimit --memlock=8388608"
	as_user +net_raw
	for run in {1..10}; do
		dxmit tx -i va -q 0 -n 1000 --json "$report"
		no_error
		sent_exactly 1000
	done
	dxmit tx -i va -n 1000 --json "$report"
	sent_exactly 1000
	is "$(counter vb rx_packets)" 11000 "frames at the far end after $run runs and one"
}

# Memory of the queue before is given back late: the library waits for it.
case_C5_reopened_with_memory_for_one() {
	veth 1
	BEFORE="prlimit --memlock=131072:131072"
	as_user +net_raw "$BUILD/tests/reopen"
	check "fifty times open, send, close" "$DXMIT" va 0 50
	is "$(counter vb rx_packets)" 50 "frames at the far end"
}

# No right to raise the limit is no failure; a soft limit below is raised.
case_C5_a_refused_setrlimit() {
	veth 1
	BEFORE="prlimit --memlock=4194304:4194304"
	as_user +net_raw
	dxmit tx -i va -n 1000 --json "$report"
	no_error
	sent_exactly 1000
	BEFORE="prlimit --memlock=4096:8388608"
	as_user +net_raw
	dxmit tx -i va -n 1000 --json "$report"
	no_error
	sent_exactly 1000
}

# A send buffer that may not be enlarged is smaller, and the report says so.
case_C5_without_CAP_NET_ADMIN_the_send_buffer_is_clamped() {
	local most
	veth 1
	most=$((2 * $(cat /proc/sys/net/core/wmem_max)))
	dxmit tx -i va -n 1000 --sndbuf $((2 * most)) --json "$report"
	sent_exactly 1000
	is "$(json '.queues[0].sndbuf')" $((2 * most)) "with it: bytes obtained"
	as_user +net_raw
	dxmit tx -i va -n 1000 --sndbuf $((2 * most)) --json "$report"
	no_error
	sent_exactly 1000
	is "$(json '.queues[0].sndbuf')" $most "without it: bytes obtained"
	is "$(json '.queues[0].sndbuf_wanted')" $((2 * most)) "bytes wanted"
	is "$(json '.queues[0].sndbuf_frames')" $((most / 3072)) "frames that fit"
}

# ---- namespaces ----

user_namespaces() {
	setpriv --reuid=$user --regid=$user --clear-groups unshare -Urn true 2>/dev/null ||
		skip "user namespaces are not allowed here"
}

case_C5_sandbox_as_an_ordinary_user() {
	local run
	user_namespaces
	BEFORE="prlimit --memlock=8388608"
	as_user ""
	for run in 1 2 3; do
		dxmit tx --sandbox -n 1000 --stamp --json "$report"
		no_error
		sent_exactly 1000
		is "$(json .far_end.packets)" 1000 "run $run: frames at the far end"
	done
	is "$(stat -c %u "$report")" $user "owner of the report"
	dxmit tx --sandbox=1 -d 0.3 --rate 1kpps --json "$report"
	is "$status" 0 "exit code"
	is "$(json '.ledger | .queued - .sent')" 0 "queued and not sent"
}

case_C5_own_user_namespace() {
	user_namespaces
	AFTER="unshare -Urn sh $work/pair"
	cat >"$work/pair" <<-'END'
		ip link add va type veth peer name vb
		ip link set va arp off up
		ip link set vb arp off up
		exec "$@"
	END
	as_user ""
	dxmit tx -i va -n 1000 --json "$report"
	no_error
	sent_exactly 1000
}

# No user namespace to be had: which switch is off, and what to do.
case_C5_sandbox_where_user_namespaces_are_off() {
	local file=/proc/sys/user/max_user_namespaces before
	user_namespaces
	before=$(cat $file)
	# In a user namespace of its own, so that the machine's limit stays.
	AFTER="unshare -Ur sh $work/limited"
	cat >"$work/limited" <<-END
		echo 0 >$file || exit 99
		exec setpriv --bounding-set=-all --inh-caps=-all "\$@"
	END
	as_user ""
	dxmit tx --sandbox -n 10
	[ "$status" != 99 ] || skip "the limit cannot be set"
	is "$status" 1 "exit code"
	one_error --sandbox "namespaces.*run as root"
	is "$(cat $file)" "$before" "the machine's own limit"
}

run_cases "$@"
