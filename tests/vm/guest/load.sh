# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Loading the module, before anything else.

case_loads() {
	insmod /modules/dxmit.ko
	is $? 0 "insmod"
	is "$(stat -c %a /dev/dxmit)" 600 "mode of /dev/dxmit"
}
