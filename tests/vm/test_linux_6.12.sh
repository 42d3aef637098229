#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 1800
#
# Guards the kernel module on Debian's newest Linux 6.12.
. "$(dirname "$0")/suite.sh"
lab_drivers+=(pktgen)
suite_programs+=(tally yardstick)
suite 6.12 load path refuse link driver race fuzz zerocopy command yardstick life
