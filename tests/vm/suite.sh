# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guest cases as one test file: `suite KERNEL PART…` boots a guest and runs the
# cases of guest/PART.sh in it, in that order. The first part must be `load`, and
# `life`, which unloads the module, the last. With DXMIT_KEEP=FILE the comparison of
# guest/wire.sh comes back in FILE: `dxmit report FILE --html PAGE` draws it.
# shellcheck source=tests/vm/lab.sh
. "$(dirname "${BASH_SOURCE[0]}")/lab.sh"
BUILD=${BUILD:-$lab_here/../../build}
suite_seconds=1500 # for the boot and all cases
suite_nics=lab_nics # which NICs the guest has
# How often: loading and attaching; attaching under load on a NIC; wrong requests;
# frames where there are to be many. The rate of a sender that others look at: at most
# a third of its frames may be sent before they do.
suite_cycles=20 suite_race_cycles=200 suite_fuzz_calls=1000000 suite_many_frames=100000
suite_rate=10kpps
suite_programs=(direct hammer refusals receiver content marked pollout attachers fuzz
	fail_alloc never_reads rawsend)

suite_script() { # PART…
	local part
	cat "$lab_here/guest/lib.sh"
	for part; do
		cat "$lab_here/guest/$part.sh"
	done
	cat <<-'RUN'
		. /settings
		for name in $(sed -n 's/^case_\([a-zA-Z0-9_]*\)() {/\1/p' /script); do
			run "$name"
		done
	RUN
}

# The results, with a last one for the whole log.
suite_verdict() { # LAST-NUMBER
	local text
	cat "$lab/results"
	if text=$(lab_complaints); then
		echo "not ok $1 - the kernel's log is clean"
		printf '# %s\n' "${text//$'\n'/$'\n'# }"
	else
		echo "ok $1 - the kernel's log is clean ($version)"
	fi
	# Of the cases there are, not of those that ran: fewer is a failure.
	echo "1..$1"
	! grep -q '^not ok' "$lab/results" && [ -z "$text" ] &&
		[ "$(grep -c '^ok ' "$lab/results")" -eq $(($1 - 1)) ]
}

suite() { # KERNEL PART…
	local kernel=$1 cases
	shift
	lab_kernel "$kernel"
	$suite_nics
	suite_script "$@" >"$lab/script"
	lab_settings="cycles=$suite_cycles race_cycles=$suite_race_cycles"
	lab_settings+=" fuzz_calls=$suite_fuzz_calls many_frames=$suite_many_frames rate=$suite_rate"
	cases=$(grep -c '^case_' "$lab/script")
	lab_guest "$lab/script" "${suite_programs[@]/#/$BUILD/tests/}" \
		"$BUILD/app/dxmit" "$(command -v ip)" "$(command -v jq)" "$(command -v ethtool)" \
		"$(command -v setpriv)"
	if ! lab_boot "$suite_seconds"; then
		cat "$lab/results"
		lab_fail "the guest did not reach its end" "$lab/console"
	fi
	[ -z "${DXMIT_KEEP-}" ] || cp "$lab/kept" "$DXMIT_KEEP"
	suite_verdict $((cases + 1))
}
