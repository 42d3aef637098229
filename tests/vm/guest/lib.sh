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
	dmesg | sed "1,${log_lines}d" | grep -E -e 'BUG|WARNING:|Oops|general protection' \
		-e 'rcu.*stall|lockdep|hung task|blocked for more than|possible.*deadlock' \
		-e 'unregister_netdevice: waiting'
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

# Run direct, keep what it printed, and read it with `said`.
direct_run() {
	/opt/direct "$@" >/tmp/direct 2>&1
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

# The far end's view of one run of direct.
far_end() { # FROM TO COUNT WORDS…
	local from=$1 to=$2 count=$3 turn=0
	shift 3
	receiver "$to" --count "$count" --time "${far_end_seconds:-60}" >/tmp/receiver 2>&1 &
	receiver_pid=$!
	until grep -q ready /tmp/receiver || [ $turn = 100 ]; do
		usleep 50000
		turn=$((turn + 1))
	done
	direct_run "$from" "$count" "$@"
	wait $receiver_pid
	rx=$(grep -v '^ready' /tmp/receiver | jq -r '[.frames, .missing, .duplicates,
		.out_of_order, .bad_checksum, .bad_length, .foreign] | join(" ")')
}

all_arrive() { # FROM TO COUNT WORDS…: everything came, once, in order, unharmed
	far_end "$@"
	is "$rx" "$3 0 0 0 0 0 0" "$*: far end"
	is "$(said error submitted completed lost)" "0 $3 $3 0" "$*: sender"
}

bytes_arrive() { # FROM TO COUNT LENGTH PATH: each byte is compared
	content "$2" "$3" "length=$4" >/tmp/content 2>&1 &
	content_pid=$!
	until grep -q ready /tmp/content; do usleep 20000; done
	direct_run "$1" "$3" plain "length=$4" "$5"
	wait $content_pid
	is "$(grep -v '^ready' /tmp/content | jq -r '[.frames, .differing, .foreign] | join(" ")')" \
		"$3 0 0" "$1, $5, $4 bytes"
}
