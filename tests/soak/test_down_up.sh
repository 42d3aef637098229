#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 3600
#
# Guards a sender whose interface is set down and up two hundred times:
# net/test_down_up.sh.
DOWN_UP_TIMES=200 exec "$(dirname "$0")/../net/test_down_up.sh" "$@"
