#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 3600
#
# Guards the end by signal at a hundred random moments: net/test_signals.sh.
MOMENTS=100 exec "$(dirname "$0")/../net/test_signals.sh" "$@"
