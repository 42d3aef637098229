#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 900
# tier: gcc
#
# Guards the kernel module, also where there is no time for guests of every kind:
# that it loads in Debian's newest Linux 6.12, does its work and goes again.
. "$(dirname "$0")/suite.sh"
suite_cycles=5
suite 6.12 load path refuse life
