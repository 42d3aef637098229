# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the recipes share. Each begins with
#
#	. "$(dirname "$0")/lib.sh"
#	recipe NAME "$@"
#
# and is from then on in a network and mount namespace of its own, with an empty
# /run, a fresh /sys and a directory $work; all of it goes when the recipe ends.
# They are run by bash, dash or busybox.
#
#	need PROGRAM…            the whole recipe is skipped where one is missing
#	object NAME              path of NAME.bpf.c, compiled
#	clsact saw|dropped IF    frames, at the hook of tc
#	snmp NAMESPACE PROTOCOL COUNTER
#	rows CASE OPTION…        runs `dxmit compare OPTION…`; prints a row for each leg,
#	                         and what each is over the first
#	leg_command WORD…        how a leg calls this script again: `sh FILE leg WORD…`
#
# Environment: DXMIT (the command; by default of ../../build), BUILD, RECIPE_ROUNDS,
# RECIPE_SECONDS (of each window), RECIPE_OBJECTS (where BPF programs are that were
# compiled before; without it clang does it), RECIPE_CLOCK (what a nanosecond is:
# "ns", or "instructions" under QEMU's -icount).
recipe_here=$(cd "$(dirname "$0")" && pwd)
export BUILD="${BUILD:-$recipe_here/../../build}"
export DXMIT="${DXMIT:-$BUILD/app/dxmit}"
rounds=${RECIPE_ROUNDS:-7}
seconds=${RECIPE_SECONDS:-0.3}
clock=${RECIPE_CLOCK:-ns}

# Busybox has lesser ones of its own and prefers them.
if [ -x /opt/ip ]; then
	ip() { /opt/ip "$@"; }
	tc() { /opt/tc "$@"; }
fi

skip() { # REASON
	echo "skip recipe=$recipe: $*"
	exit 77
}

need() { # PROGRAM…
	local program
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

far() { # COMMAND…: in the namespace of that name
	ip netns exec far "$@"
}

# Two lines a protocol there: names, and values.
snmp() { # NAMESPACE PROTOCOL COUNTER
	ip netns exec "$1" cat /proc/net/snmp | awk -v protocol="$2:" -v name="$3" '
		$1 != protocol { next }
		at { print $at; exit }
		{ for (at = 2; at < NF && $at != name; at++); }'
}

# What tc says of its hook: "Sent 60 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)".
clsact() { # saw|dropped INTERFACE [tc's option for a namespace]
	local field=4 interface=$2
	[ "$1" = saw ] || field=7
	shift 2
	tc "$@" -s qdisc show dev "$interface" clsact 2>/dev/null |
		awk -v field=$field '$1 == "Sent" { count = $field } END { print count + 0 }'
}

# In the namespaces, once: a leg that calls the script again finds them as they are.
recipe() { # NAME [WORD…]
	recipe=$1
	shift
	[ "${1-}" != leg ] || return 0
	if [ "${RECIPE_INSIDE-}" != "$recipe" ]; then
		[ -x "$DXMIT" ] || skip "$DXMIT is not built"
		unshare -n -m true 2>/dev/null || skip "no right to make a network namespace"
		work=$(mktemp -d) || exit 1
		export work
		trap 'rm -rf "$work"' EXIT
		RECIPE_INSIDE=$recipe unshare -n -m sh "$recipe_here/$recipe.sh" "$@"
		exit
	fi
	mount -t tmpfs tmpfs /run && mount -t sysfs sysfs /sys || exit 1
	echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
	echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	ip link set lo up
}

object() { # NAME
	local made="${RECIPE_OBJECTS:-$work}/$1.bpf.o"
	[ -e "$made" ] || clang -O2 -g -target bpf -I"/usr/include/$(uname -m)-linux-gnu" \
		-c "$recipe_here/$1.bpf.c" -o "$made" || return 1
	echo "$made"
}

# From va here to vb in the namespace `far`, which has the address that frames of
# dxmit go to. No ARP: nothing foreign flows.
veth_to_far() {
	ip netns add far || exit 1
	ip link add va type veth peer name vb netns far || skip "the kernel has no veth"
	ip -n far link set vb address 02:00:00:00:00:02 arp off up
	ip -n far addr add 198.18.0.2/24 dev vb
	ip link set va arp off up
}

rows() { # CASE OPTION…
	local case="$1" status
	shift
	"$DXMIT" compare --rounds "$rounds" -d "$seconds" --warm-up 0.05 --json "$work/json" "$@" \
		>"$work/text" 2>"$work/err"
	status=$?
	[ $status = 0 ] || echo "failed recipe=$recipe $case: exit $status: $(tail -n 1 "$work/err")"
	[ ! -s "$work/json" ] || jq -r --arg head "recipe=$recipe $case" --arg clock "$clock" '
		def digits: . * 10 | round / 10;
		. as $all | (.cells[] |
			if .unavailable then "skip \($head) leg=\(.leg): \(.unavailable)"
			elif .failure then "failed \($head) leg=\(.leg): \(.failure): \(.output)"
			else "row \($head) leg=\(.leg) size=\(.size)" +
				(if .path then " path=\(.mode)/\(.path)" else "" end) +
				" \($clock)=\(.summary.ns_per_packet.median | digits)" +
				" packets=\([.samples[].packets] | add)"
			end),
		(.pairs[] | select(.leg_a == $all.cells[0].leg) |
			.ns_per_packet as $ns | select($ns.difference != null) |
			"pair \($head) size=\($all.cells[.a].size) \(.leg_b) over \(.leg_a):" +
			" \($clock)=\($ns.difference | digits)" + (if $ns.difference_low then
				" [\($ns.difference_low | digits), \($ns.difference_high | digits)]" +
				" \(.pps.verdict)" else "" end))' "$work/json"
	rm -f "$work/json"
}

leg_command() { # WORD…
	echo "exec:sh $recipe_here/$recipe.sh leg $*"
}
