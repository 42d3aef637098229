# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Loading the module, before anything else.

skbs() { # alive in the kernel; exact with slub_debug
	sed -n 's/^skbuff_head_cache *\([0-9]*\) .*/\1/p' /proc/slabinfo
}

case_loads() {
	skbs_before=$(skbs)
	insmod /modules/dxmit.ko
	is $? 0 "insmod"
	is "$(stat -c %a /dev/dxmit)" 600 "mode of /dev/dxmit"
}
