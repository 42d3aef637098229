#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards what the fuzz targets found or were given to start from: each target
# takes every file of its corpus, and each has one. A search of its own is
#
#	TREE/tests/fuzzing/fuzz_NAME -max_len=4096 DIRECTORY tests/fuzz/corpus/NAME
#
# in a tree made as CMakeLists.txt here says.
tests_dir=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$tests_dir/tap.sh"

DXMIT=${DXMIT:-$tests_dir/../build/app/dxmit}
targets=${DXMIT%/app/dxmit}/tests/fuzzing

case_each_target_takes_its_corpus() {
	local source name files
	for source in "$tests_dir"/fuzz/fuzz_*.c; do
		name=$(basename "$source" .c)
		mapfile -t files < <(find "$tests_dir/fuzz/corpus/${name#fuzz_}" -type f)
		within "${#files[@]}" 5 200 "$name: files in its corpus"
		check "$name" "$targets/$name" "${files[@]}"
	done
}

case_each_corpus_has_a_target() {
	local directory
	for directory in "$tests_dir"/fuzz/corpus/*; do
		check "$directory" test -e "$tests_dir/fuzz/fuzz_$(basename "$directory").c"
	done
}

run_cases "$@"
