#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 1200
#
# Guards the kernel module: what guest.sh asserts in a guest, and that the
# guest's kernel had nothing to complain about.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/vm/lab.sh
. "$here/lab.sh"
BUILD=${BUILD:-$here/../../build}

lab_prepare
lab_guest "$here/guest.sh" "$BUILD"/tests/{direct,hammer,refusals,receiver,content} \
	"$(command -v ip)" "$(command -v jq)"
if ! lab_boot 900; then
	cat "$lab/results"
	lab_fail "the guest did not reach its end" "$lab/console"
fi

cat "$lab/results"
# Of the cases there are, not of those that ran: fewer is a failure.
n=$(($(grep -c '^case_' "$here/guest.sh") + 1))
if complaints=$(lab_complaints); then
	echo "not ok $n - the kernel's log is clean"
	printf '# %s\n' "${complaints//$'\n'/$'\n'# }"
else
	echo "ok $n - the kernel's log is clean ($version)"
fi
echo "1..$n"
! grep -q '^not ok' "$lab/results" && [ -z "$complaints" ] &&
	[ "$(grep -c '^ok ' "$lab/results")" -eq $((n - 1)) ]
