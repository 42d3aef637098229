#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 1800
#
# Guards the kernel module on Debian's PREEMPT_RT image of Linux 6.12.
. "$(dirname "$0")/suite.sh"
suite 6.12-rt load path refuse link driver race fuzz command life
