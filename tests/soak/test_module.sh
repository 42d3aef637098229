#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 3600
#
# Guards the kernel module's life at length: it is loaded, attached and unloaded a
# thousand times, and attached a thousand times under load.
. "$(dirname "$0")/../vm/suite.sh"
suite_cycles=1000 suite_race_cycles=1000
suite_seconds=3400
suite 6.12 load race life
