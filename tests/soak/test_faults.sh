#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 7200
#
# Guards a run in which any one system call fails, or all of a kind from any
# one on: net/test_faults.sh.
FAULTS=all exec "$(dirname "$0")/../net/test_faults.sh" "$@"
