#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the module saves by not validating each frame, and nothing else: both legs
# take one frame at a time, on a dummy device. `copy` is the kernel's own path.
# shellcheck source=bench/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
recipe skip_validation "$@"

need jq
[ -c /dev/dxmit ] || skip "the module dxmit is not loaded"
ip link add d0 type dummy 2>/dev/null || skip "the kernel has no dummy device"
ip link set d0 arp off up
rows device=dummy -i d0 --legs \
	direct-validate:direct-batch=1,direct:direct-batch=1,copy
