# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Network tests: each case (see ../tap.sh) in a network and mount namespace of
# its own, devices to send through, dxmit with a time limit, the receiver at
# the far end, and a look for what was left behind.
#
# In a case: $work is an empty directory; after `dxmit …` $status, $stdout,
# $stderr, $seconds hold its results and $report names its JSON document.
# DXMIT names the binary under test, BUILD the build tree of the helpers.

tests_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
root_dir=$(dirname "$tests_dir")
# shellcheck source=tests/tap.sh
. "$tests_dir/tap.sh"
# shellcheck source=tests/processes.sh
. "$tests_dir/processes.sh"

BUILD=${BUILD:-$root_dir/build}
DXMIT=${DXMIT:-$BUILD/app/dxmit}
RECEIVER=$BUILD/tests/receiver
LIMIT=${LIMIT:-20}      # seconds a dxmit may take
work=${work:-}          # set for each case by tap_enter

if [ ! -x "$DXMIT" ] || [ ! -x "$RECEIVER" ]; then
	echo "Bail out! $DXMIT or $RECEIVER is not built; run tests/run.sh"
	exit 1
fi
if ! refusal=$(unshare -n -m true 2>&1); then
	echo "no network and mount namespace (run as root): $refusal"
	exit 77
fi

# ---- a case's surroundings (hooks of tap.sh) ----

# Every process of a case has this in its environment, wherever it hides.
case_mark() {
	echo "DXMIT_CASE=$$.$case_number"
}

case_number=0
tap_enter() {
	local dir result
	case_number=$((case_number + 1))
	dir=$(mktemp -d) || return 1
	outside_before=$(outside_state)
	env "$(case_mark)" work="$dir" unshare -n -m "$@"
	result=$?
	rm -rf "$dir"
	return $result
}

tap_before() {
	mount --make-rprivate / || bail "mounts cannot be made private"
	mount -t sysfs sysfs /sys || bail "no fresh /sys"
	report=$work/report.json
	no_ipv6
	ip link set lo up
}

tap_after() {
	local left
	[ "${allow_xdp:-0}" = 1 ] && return
	left=$(ip -j -d link show | jq -r '.[] | select(.xdp) | .ifname' | xargs)
	if [ -n "$left" ]; then
		tap_failed=1
		note "wrong: an XDP program is left on $left"
	fi
}

# What could outlive a case. Only names of ours: the machine may be busy with
# other things.
outside_state() {
	ip -o link show | sed -n 's/^[0-9]*: \(dxmit[^:@]*\|v[ab]\|hole\)[:@].*/interface \1/p'
	find /run/netns -mindepth 1 -maxdepth 1 -name '*dxmit*' -printf 'namespace %f\n' \
		2>/dev/null
	find /dev/shm -mindepth 1 -name '*dxmit*' -printf 'shared memory %f\n' 2>/dev/null
	find /sys/fs/bpf -mindepth 1 -printf 'pinned %f\n' 2>/dev/null
}

tap_outside() {
	local left
	end_marked_processes "$(case_mark)"
	left=$(diff <(sort <<<"$outside_before") <(outside_state | sort) | sed -n 's/^> //p')
	[ -z "$left" ] || printf 'left behind: %s\n' "$left"
}

# ---- devices ----

# IPv6 would put frames on every new interface that nobody asked for.
no_ipv6() {
	local file
	for file in /proc/sys/net/ipv6/conf/{all,default}/disable_ipv6; do
		[ ! -w "$file" ] || echo 1 >"$file"
	done
}

wait_carrier() { # INTERFACE…
	local name turn
	for name; do
		for turn in {1..200}; do
			[ "$(cat "/sys/class/net/$name/carrier" 2>/dev/null)" = 1 ] && break
			[ "$turn" = 200 ] && bail "no carrier on $name"
			sleep 0.01
		done
	done
}

# A pair va - vb with the same number of queues both ways, ready to send.
veth() { # QUEUES [MTU]
	ip link add dev va mtu "${2:-1500}" numtxqueues "$1" numrxqueues "$1" type veth \
		peer name vb mtu "${2:-1500}" numtxqueues "$1" numrxqueues "$1" ||
		bail "no veth pair"
	ip link set va arp off up
	ip link set vb arp off up
	wait_carrier va vb
}

# A device that completes everything and sends nothing.
sink() { # NAME QUEUES
	ip link add dev "$1" numtxqueues "$2" numrxqueues "$2" type ifb ||
		skip "the kernel has no ifb"
	ip link set "$1" arp off up
}

# hole: a device whose frames never complete. A macvlan over a veth whose
# queueing discipline lets a byte per second through.
black_hole() { # [QUEUES]
	veth "${1:-1}"
	ip addr add 198.18.1.1/24 dev va
	ip link add link va name hole numtxqueues "${1:-1}" numrxqueues "${1:-1}" \
		type macvlan || skip "the kernel has no macvlan"
	ip link set hole arp off up
	wait_carrier hole
	plug_hole
}

# Forget what waits in it and begin anew. The burst would let the first 33
# frames through, so small packets of our own use it up.
plug_hole() {
	local n
	tc qdisc del dev va root 2>/dev/null
	tc qdisc add dev va root tbf rate 8bit burst 2000 limit 10000000 ||
		skip "the kernel has no tbf"
	for n in {1..60}; do
		echo "$n" >/dev/udp/198.18.1.2/9
	done
}

# A tap without a reader.
tap_device() { # NAME
	ip tuntap add dev "$1" mode tap || skip "the kernel has no tap"
	ip link set "$1" arp off up
}

# A tap ready to send, with as many queues as readers, which tap_queues.c is:
# process $tap_reader.
tap_with_readers() { # NAME QUEUES
	local line
	[ -c /dev/net/tun ] || skip "the kernel has no tap"
	exec {tap_fd}< <(exec "$BUILD/tests/tap_queues" "$1" "$2" 2>&1)
	tap_reader=$!
	read -r -t 5 -u "$tap_fd" line
	is "$line" ready "the readers of the tap"
	ip link set "$1" arp off up
	wait_carrier "$1"
}

tap_readers_end() {
	kill -TERM "$tap_reader"
	wait "$tap_reader"
	exec {tap_fd}<&-
}

counter() { # INTERFACE NAME, as in /sys/class/net/IF/statistics
	cat "/sys/class/net/$1/statistics/$2"
}

# ---- dxmit ----

now_ms() {
	local now=${EPOCHREALTIME/./}
	echo $((now / 1000))
}

# Runs to its end, at most LIMIT seconds; past that the case has failed.
dxmit() { # ARGUMENTS…
	dxmit_start "$@"
	dxmit_wait
}

# The same, in two halves. $dxmit_pid takes signals.
dxmit_start() {
	dxmit_said="dxmit $*"
	rm -f "$report"
	dxmit_began_ms=$(now_ms)
	"$DXMIT" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null &
	dxmit_pid=$!
}

dxmit_wait() {
	local watchdog ended_ms
	# A process of its own, so that this shell can wait for the exit status. It
	# sleeps in a read that never ends: a child could outlive it.
	[ -p "$work/never" ] || mkfifo "$work/never"
	(
		read -r -t "$LIMIT" _ <>"$work/never"
		touch "$work/hung"
		kill -KILL "$dxmit_pid"
	) >/dev/null 2>&1 &
	watchdog=$!
	wait "$dxmit_pid" 2>/dev/null
	status=$?
	ended_ms=$(now_ms)
	kill -TERM "$watchdog" 2>/dev/null
	wait "$watchdog" 2>/dev/null
	# shellcheck disable=SC2034 # for the cases
	seconds=$(awk -v ms=$((ended_ms - dxmit_began_ms)) 'BEGIN { print ms / 1000 }')
	# shellcheck disable=SC2034
	stdout=$(cat "$work/stdout")
	stderr=$(cat "$work/stderr")
	if [ -e "$work/hung" ]; then
		rm -f "$work/hung"
		tap_result 1 "$dxmit_said ends" "  still running after $LIMIT s"
	elif [ "$status" -gt 128 ]; then
		tap_result 1 "$dxmit_said does not crash" "  signal $((status - 128))"$'\n'"$stderr"
	elif grep -qE 'Sanitizer|runtime error:' "$work/stderr"; then
		tap_result 1 "$dxmit_said is clean" "$stderr"
	fi
	return 0
}

# Wait until dxmit_start's process has sent something through an interface.
dxmit_is_sending() { # [INTERFACE]
	local turn before
	before=$(counter "${1:-va}" tx_packets)
	for turn in {1..500}; do
		[ "$(counter "${1:-va}" tx_packets)" -gt "$before" ] && return
		kill -0 "$dxmit_pid" 2>/dev/null || break
		sleep 0.01
	done
	bail "$dxmit_said never sent ($turn): $(cat "$work/stderr")"
}

# A field of the JSON report (made with --json "$report").
json() { # JQ-FILTER [FILE]
	jq -r "$1" "${2:-$report}" 2>&1
}

# stderr is exactly one line `dxmit: OBJECT: REASON; REMEDY`.
one_error() { # OBJECT-REGEX [REASON-AND-REMEDY-REGEX]
	is "$(wc -l <"$work/stderr")" 1 "$dxmit_said: one line on stderr"
	like "$stderr" "^dxmit: ($1): [^;]+; .+" "$dxmit_said: object, reason, remedy"
	[ $# -lt 2 ] || like "$stderr" "$2" "$dxmit_said: message"
}

no_error() {
	is "$stderr" "" "$dxmit_said: nothing on stderr"
}

# The run succeeded, its books balance, and it queued that many.
sent_exactly() { # COUNT
	is "$status" 0 "$dxmit_said: exit code"
	is "$(json .ledger.queued)" "$1" "$dxmit_said: queued"
	is "$(json .ledger.sent)" "$1" "$dxmit_said: sent"
	is "$(json .ledger.closed)" true "$dxmit_said: ledger closed"
}

no_xdp() { # INTERFACE
	is "$(ip -j -d link show "$1" | jq '.[0].xdp')" null "no XDP program on $1"
}

# ---- the far end ----

# Start the receiver and come back when it listens.
receive() { # INTERFACE OPTIONS…
	local line
	exec {receiver_fd}< <(exec "$RECEIVER" "$@" 2>"$work/receiver.err")
	receiver_pid=$!
	read -r -t 10 -u "$receiver_fd" line
	[ "$line" = ready ] || bail "receiver: $(cat "$work/receiver.err")"
}

# Let it finish (by its own count or time limit), then read it with rx.
received() {
	cat <&"$receiver_fd" >"$work/receiver.json"
	exec {receiver_fd}<&-
	is "$(cat "$work/receiver.err")" "" "the receiver kept up"
}

# Stop it now; what has arrived is still taken.
receive_stop() {
	kill -TERM "$receiver_pid" 2>/dev/null
	received
}

rx() { # JQ-FILTER
	json "$1" "$work/receiver.json"
}

# Everything came, once, in order, unharmed, and nothing else did.
rx_complete() { # COUNT
	is "$(rx '[.frames, .missing, .duplicates, .out_of_order, .out_of_range,
		.bad_checksum, .bad_length, .foreign] | join(" ")')" "$1 0 0 0 0 0 0 0" \
		"far end: frames, missing, duplicate, late, odd, checksum, length, foreign"
}

# A run from va to vb of which everything arrives.
all_arrive() { # COUNT OPTIONS…
	local count=$1
	shift
	receive vb --count "$count" --time 15
	dxmit tx -i va -n "$count" --stamp --json "$report" "$@"
	received
	sent_exactly "$count"
	no_error
	rx_complete "$count"
}
