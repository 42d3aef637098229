# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# TAP for bash: a test file defines functions case_NAME and ends with
# `run_cases "$@"`. Each case is one TAP line and runs in a shell of its own;
# its assertions print a diagnostic and mark it failed, and it goes on, so that
# one run shows everything that is wrong.
#
#	case_C14_far_end_agrees() {
#		is "$(count)" 179 "frames at the far end"
#	}
#
# The name is the text: "C14 far end agrees". With arguments only the cases
# whose name contains one of them run. A case that never asserts fails.

tap_self=$(readlink -f "$0")
tap_failed=0
tap_asserted=0

# Diagnostics of the running case.
note() {
	printf '%s\n' "$*" | sed '/^$/d; s/^/# /'
}

# End the case as skipped.
skip() { # REASON
	printf '#SKIP %s\n' "$*"
	exit 77
}

# End the case as failed: what follows would make no sense.
bail() { # TEXT
	note "cannot go on: $*"
	exit 1
}

tap_result() { # STATUS TEXT DETAIL…
	tap_asserted=$((tap_asserted + 1))
	[ "$1" -eq 0 ] && return 0
	tap_failed=1
	shift
	note "wrong: $1"
	shift
	[ $# -eq 0 ] || note "$@"
	return 1
}

is() { # GOT WANTED TEXT
	[ "$1" = "$2" ]
	tap_result $? "$3" "  got $1, wanted $2"
}

isnt() { # GOT UNWANTED TEXT
	[ "$1" != "$2" ]
	tap_result $? "$3" "  got $1"
}

like() { # GOT EXTENDED-REGEX TEXT
	[[ $1 =~ $2 ]]
	tap_result $? "$3" "  got ${1:-nothing}"$'\n'"  wanted /$2/"
}

unlike() { # GOT EXTENDED-REGEX TEXT
	[[ ! $1 =~ $2 ]]
	tap_result $? "$3" "  got $1"$'\n'"  not wanted /$2/"
}

# Numbers, fractions too: within 99.5 100.5 holds for 100.
within() { # GOT LOW HIGH TEXT
	[[ $1 =~ ^-?[0-9.]+(e[-+]?[0-9]+)?$ ]] &&
		awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x + 0 >= a + 0 && x + 0 <= b + 0) }'
	tap_result $? "$4" "  got $1, wanted $2 to $3"
}

check() { # TEXT COMMAND…: the command succeeds
	local text=$1 output status
	shift
	output=$("$@" 2>&1)
	status=$?
	tap_result $status "$text" "  exit $status: $*"$'\n'"$output"
}

refuse() { # TEXT COMMAND…: the command fails
	local text=$1 output
	shift
	! output=$("$@" 2>&1)
	tap_result $? "$text" "  succeeded: $*"$'\n'"$output"
}

# Hooks, redefined by lib.sh: how a case's shell is started, what is done
# around it in that shell, and what is checked from outside afterwards.
tap_enter() {
	"$@"
}
tap_before() { :; }
tap_after() { :; }
tap_outside() { :; }

tap_inside() { # CASE: in the case's own shell
	tap_before
	"$1"
	tap_after
	if [ "$tap_asserted" -eq 0 ]; then
		note "the case asserts nothing"
		exit 1
	fi
	exit "$tap_failed"
}

tap_wanted() { # CASE FILTER…
	local name=$1 filter
	shift
	[ $# -eq 0 ] && return 0
	for filter; do
		[[ $name == *"$filter"* ]] && return 0
	done
	return 1
}

run_cases() { # FILTER…
	local name names=() text output status leaks log n=0 bad=0
	if [ "${1:-}" = --inside ]; then
		tap_inside "$2"
	fi
	# A file that forgets to hand its arguments on would start itself for ever.
	if [ -n "${TAP_INSIDE:-}" ]; then
		echo 'Bail out! run_cases needs "$@"'
		exit 1
	fi
	log=$(mktemp) || exit 1
	# In the order they are written.
	while read -r name; do
		tap_wanted "$name" "$@" && names+=("$name")
	done < <(grep -oE '^case_[A-Za-z0-9_]+' "$tap_self")
	echo "1..${#names[@]}"
	for name in "${names[@]}"; do
		n=$((n + 1))
		text=${name#case_}
		text=${text//_/ }
		# Through a file: a process left behind must not hold us up.
		TAP_INSIDE=$name tap_enter bash "$tap_self" --inside "$name" >"$log" 2>&1
		status=$?
		output=$(<"$log")
		leaks=$(tap_outside 2>&1)
		if [ "$status" -eq 77 ] && [ -z "$leaks" ]; then
			text+=" # SKIP $(sed -n 's/^#SKIP //p' <<<"$output")"
			status=0
		elif [ -n "$leaks" ]; then
			status=1
			output+=$'\n'$leaks
		fi
		if [ "$status" -eq 0 ]; then
			echo "ok $n - $text"
		else
			bad=1
			echo "not ok $n - $text"
			sed '/^$/d; s/^/# /; s/^# #/#/' <<<"$output"
			note "exit $status"
		fi
	done
	rm -f "$log"
	exit $bad
}
