#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 7200
#
# Guards the kernel module under KASAN, lockdep, DEBUG_ATOMIC_SLEEP and kmemleak,
# and where allocations fail. The first run builds that kernel.
. "$(dirname "$0")/suite.sh"
lab_memory=2048
lab_append='kmemleak=on mitigations=off'
suite_seconds=3000 suite_many_frames=10000 suite_rate=4kpps
suite debug load path refuse link driver race fuzz command life
