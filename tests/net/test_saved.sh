#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards `dxmit report`: saved comparisons are shown again in each form, two are held
# against each other, and what is no comparison, or cannot be written, is one line.
. "$(dirname "$0")/lib.sh"

saved=$tests_dir/fuzz/corpus/comparison
small=$saved/small

case_text_by_default() {
	dxmit report "$small"
	is "$status" 0 "exit code"
	no_error
	like "$stdout" "direct +copy +direct +1\.25[0-9]M" "a row of a leg"
	like "$stdout" "not run +zerocopy: the driver has no zero-copy mode" "its reason"
	like "$stdout" "direct +copy +1\.2[0-9]+ +\[1\.[0-9]+, 1\.[0-9]+\]" "a pair"
}

case_each_form_into_its_file() {
	dxmit report "$small" --json "$work/a.json" --csv "$work/a.csv" \
		--markdown "$work/a.md" --html "$work/a.html"
	is "$status" 0 "exit code"
	no_error
	like "$stdout" "^dxmit compare" "text as well"
	is "$(json '.cells | map(.samples | length) | tojson' "$work/a.json")" "[6,6,0]" \
		"samples"
	is "$(json '.pairs[0].pps.verdict' "$work/a.json")" faster "verdict"
	is "$(wc -l <"$work/a.csv")" 14 "lines of CSV"
	is "$(grep -c '^| direct |' "$work/a.md")" 3 "rows of direct in Markdown"
	like "$(head -c 200 "$work/a.html")" "<!DOCTYPE html>" "HTML"
	like "$(tail -n 1 "$work/a.html")" "</html>" "the end of the page"
}

case_json_says_the_same_again() {
	dxmit report "$small" --json "$work/a.json"
	dxmit report "$work/a.json" --json "$work/b.json"
	check "the document of the document" cmp "$work/a.json" "$work/b.json"
	is "$(json '[.cells[].samples] | tojson' "$work/a.json" | md5sum)" \
		"$(json '[.cells[] | .samples // [] | map(.note = null)] | tojson' "$small" |
			md5sum)" "samples as saved"
}

case_stdout_holds_one_form() {
	dxmit report "$small" --json -
	is "$(jq -s length <<<"$stdout")" 1 "documents on stdout"
	dxmit report "$small" --markdown -
	like "$stdout" "^# dxmit compare" "Markdown alone"
}

case_standard_input() {
	dxmit_said="dxmit report -"
	stdout=$("$DXMIT" report - <"$small" 2>"$work/stderr")
	is $? 0 "exit code"
	like "$stdout" "64-byte frames, 1 queue" "text"
}

case_without_gnuplot() {
	mkdir "$work/empty"
	PATH=$work/empty "$DXMIT" report "$small" --html "$work/a.html" >/dev/null
	is $? 0 "exit code"
	is "$(grep -c '<svg' "$work/a.html")" 0 "plots"
	is "$(grep -c 'there is no gnuplot' "$work/a.html")" 1 "says so"
	is "$(grep -c '1\.25[0-9]M' "$work/a.html")" 1 "tables"
}

case_two_runs() {
	dxmit report "$small" "$saved/later"
	is "$status" 0 "exit code"
	no_error
	like "$stdout" "kernel +7\.0\.2 \(was 6\.12\.1\)" "conditions that differ"
	unlike "$stdout" "interface" "conditions that do not"
	like "$stdout" "copy +[0-9.]+[kM] +1\.[0-9]+M +1\.[01][0-9]+ +\[.*faster" "faster"
	like "$stdout" "direct +1\.2[0-9]+M +1\.2[0-9]+M .*no difference seen" "the same"
	like "$stdout" "alone +.*/later: udp" "a leg that one of them has"
	dxmit report "$small" "$saved/later" "$small" --markdown -
	is "$(grep -c '^# .*against' <<<"$stdout")" 2 "each against the first"
	dxmit report "$small" "$saved/later" --html "$work/a.html"
	is "$(grep -c '<h2>.*against' "$work/a.html")" 1 "HTML of two"
}

refused() { # OBJECT REASON ARGUMENTS…
	local object=$1 reason=$2
	shift 2
	dxmit report "$@"
	is "$status" 2 "$dxmit_said: exit code"
	one_error "$object" "$reason"
	is "$stdout" "" "$dxmit_said: nothing on stdout"
}

case_refusals() {
	refused report "no file is named"
	refused "$work/none" "No such file" "$work/none"
	refused "$saved/cut" "line [0-9]+: is no JSON" "$saved/cut"
	refused "$saved/newer" "version is 2" "$saved/newer"
	refused "$saved/newer" "version is 2" "$small" "$saved/newer"
	refused --csv "on several files" "$small" "$small" --csv "$work/x"
	refused --json "on several files" "$small" "$small" --json -
	refused - "only once" - -
	refused --html "same output as --markdown" "$small" --html - --markdown -
	refused -i "is no option of" "$small" -i lo
	dxmit tx --sandbox -n 1 "$small"
	is "$status" 2 "files belong to report alone"
	dxmit tx --sandbox -n 100 --json "$work/tx.json"
	refused "$work/tx.json" 'schema is "dxmit-report"' "$work/tx.json"
}

case_outputs_that_fail() {
	local option
	[ -c /dev/full ] || skip "there is no /dev/full"
	for option in --json --csv --markdown --html; do
		dxmit report "$small" "$option" /dev/full
		is "$status" 1 "$dxmit_said: exit code"
		one_error /dev/full "No space left"
	done
	dxmit report "$small" --html "$work/none/x"
	is "$status" 1 "$dxmit_said: exit code"
	one_error "$work/none/x" "cannot open for writing"
}

run_cases "$@"
