#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 900
#
# Guards the placement where it can be wrong: two NUMA nodes, the NIC on the
# second.
. "$(dirname "$0")/suite.sh"
suite_seconds=800
suite_nics=lab_nics_on_two_nodes
suite 7 load numa
