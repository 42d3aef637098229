#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 1800
#
# Guards the kernel module on Debian's newest Linux 7.
. "$(dirname "$0")/suite.sh"
lab_drivers+=(pktgen)
suite_programs+=(tally yardstick)
suite 7 load path refuse link driver race fuzz zerocopy command yardstick compare wire life
