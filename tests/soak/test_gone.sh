#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 3600
#
# Guards a sender whose interface disappears, two hundred times in each way:
# net/test_gone.sh.
GONE_TIMES=200 exec "$(dirname "$0")/../net/test_gone.sh" "$@"
