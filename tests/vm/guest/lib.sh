# shellcheck shell=dash disable=SC3043
# SPDX-License-Identifier: BSD-2-Clause
#
# What every case has. The cases, functions case_NAME in the other files of this
# directory, are run by busybox in the guest; each is one TAP line.

number=0
log_lines=0 # of the kernel's log that were looked at

note() {
	printf '%s\n' "$*" | sed 's/^/# /' >>/tmp/notes
}

is() { # GOT WANTED TEXT
	[ "$3" = "the kernel's log" ] || asserted=1
	[ "$1" = "$2" ] && return
	failed=1
	note "wrong: $3: got $1, wanted $2"
}

# The case ends here, not run. What it asserted before counts.
skip() { # REASON
	skipped=$*
}

# What the kernel said since the last call, and should not have.
complaints() {
	dmesg | sed "1,${log_lines}d" | grep -E "$unwanted"
	log_lines=$(dmesg | wc -l)
}

run() { # NAME: as a case
	failed=0 asserted=0 skipped='' number=$((number + 1))
	local text
	text="$number - $(echo "$1" | tr _ ' ')"
	: >/tmp/notes
	began=$(cut -d. -f1 /proc/uptime)
	"case_$1"
	# In this shell: it counts the lines of the log.
	complaints >/tmp/complaints
	is "$(cat /tmp/complaints)" "" "the kernel's log"
	[ -n "$skipped" ] || [ $asserted = 1 ] || failed=1
	if [ $failed != 0 ]; then
		echo "not ok $text"
		cat /tmp/notes
	elif [ -n "$skipped" ]; then
		echo "ok $text # SKIP $skipped"
	else
		echo "ok $text"
	fi
	echo "# $(($(cut -d. -f1 /proc/uptime) - began)) s"
}

# The first two numbers of the running kernel's version.
kernel_is_at_least() { # MAJOR MINOR
	local major rest
	rest=$(uname -r)
	major=${rest%%.*}
	rest=${rest#*.}
	[ "$major" -gt "$1" ] || { [ "$major" = "$1" ] && [ "${rest%%[!0-9]*}" -ge "$2" ]; }
}

# Up, and with a link: an emulated wire needs a while.
up() { # INTERFACE…
	local name turn
	for name; do
		ip link set "$name" arp off up
	done
	for name; do
		turn=0
		until [ "$(cat "/sys/class/net/$name/carrier" 2>/dev/null)" = 1 ] ||
			[ $turn = 200 ]; do
			usleep 50000
			turn=$((turn + 1))
		done
	done
}

down() { # INTERFACE…
	local name
	for name; do
		ip link set "$name" down
	done
}

# Busybox has a lesser one of its own and prefers it.
ip() {
	/opt/ip "$@"
}

veth() {
	ip link add va type veth peer name vb
	up va vb
}

no_veth() {
	ip link del va
}

sent() { # INTERFACE: frames, by the device's count
	cat "/sys/class/net/$1/statistics/tx_packets"
}

# Run direct, keep what it printed, and read it with `said`. On one CPU: a veth
# hands a frame on where it was sent, so a sender that moves reorders its frames.
direct_run() {
	taskset 1 /opt/direct "$@" >/tmp/direct 2>&1
}

# Start a program that says "ready" and wait until it does; the output is kept.
listen() { # OUTPUT PROGRAM…
	local output=$1 turn=0
	shift
	rm -f "$output"
	"$@" >"$output" 2>&1 &
	listener=$!
	until grep -q ready "$output" 2>/dev/null || [ $turn = 200 ]; do
		usleep 50000
		turn=$((turn + 1))
	done
}

said() { # KEY…: their values
	local key line=
	for key; do
		line="$line $(sed -n "s/^$key=//p" /tmp/direct)"
	done
	echo "${line# }"
}

drops() {
	cat /sys/class/net/va/statistics/tx_dropped
}

# A NIC as the far end: it takes what is on the wire, in one queue, with room for
# what the emulation delivers at once. Before it is up: each of these loses the link
# for a while.
far_nic() { # INTERFACE
	ip link set "$1" promisc on
	ethtool -L "$1" combined 1 >/dev/null 2>&1
	ethtool -G "$1" rx 4096 >/dev/null 2>&1
}

received() { # EXPRESSION: of the receiver's report
	grep -v '^ready' /tmp/receiver | jq -r "[$1] | join(\" \")"
}

# The far end's view of one run of direct.
far_end() { # FROM TO COUNT WORDS…
	local from=$1 to=$2 count=$3
	shift 3
	listen /tmp/receiver receiver "$to" --count "$count" --time 120
	direct_run "$from" "$count" "$@"
	wait $listener
	rx=$(received '.frames, .missing, .duplicates, .out_of_order, .bad_checksum,
		.bad_length, .foreign')
}

all_arrive() { # FROM TO COUNT WORDS…: everything came, once, in order, unharmed
	far_end "$@"
	is "$rx" "$3 0 0 0 0 0 0" "$*: far end"
	is "$(said error submitted completed lost)" "0 $3 $3 0" "$*: sender"
}

bytes_arrive() { # FROM TO COUNT LENGTH PATH: each byte is compared
	listen /tmp/content content "$2" "$3" "length=$4"
	direct_run "$1" "$3" plain "length=$4" "$5"
	wait $listener
	is "$(grep -v '^ready' /tmp/content | jq -r '[.frames, .differing, .foreign] | join(" ")')" \
		"$3 0 0" "$1, $5, $4 bytes"
}

line_says() { # FILE KEY: of a line KEY=VALUE …
	sed -n "s/.*\b$2=\([^ ]*\).*/\1/p" "$1" | tail -n 1
}
