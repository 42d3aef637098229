#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 7200
#
# Guards an interface against killed comparisons, a hundred times in each way:
# net/test_compare_kill.sh.
KILLS=100 exec "$(dirname "$0")/../net/test_compare_kill.sh" "$@"
