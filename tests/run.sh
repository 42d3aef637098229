#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The one test runner, for people and for CI.
#
#	tests/run.sh [--vm] [--soak] [--no-setup] [--list] [FILTER…]
#
# Installs what is missing (Debian), builds, and runs every test: unit tests,
# network tests in namespaces of their own, the install test, then a clang
# build and unit and network tests under sanitizers. --vm and --soak add the
# tests in guests, several at once, and the long ones. With filters only tests
# whose name (see --list) contains one of them. BUILD names the build tree
# (default: build).
#
# A test file prints TAP; exit 77 means skipped, the last line says why. In its
# first lines it may state
#	# timeout: SECONDS              (default 300)
#	# tier: gcc                     runs without --vm or --soak, too
# Shown are a line per file and all that failed; the last line is the sum.
set -u

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD:-$root/build}
vm=no soak=no setup=yes list=no
filters=()
passed=0 failed=0 skipped=0
sanitizer_slowdown=3
# Network tests that are run under the sanitizers, too: those that reach most
# of the library and of the threads' life, without many timing assertions.
sanitized=(test_bind test_down_up test_exact_count)
# shellcheck source=tests/processes.sh
. "$root/tests/processes.sh"

usage() {
	sed -n '4,/^set -u/p' "${BASH_SOURCE[0]}" | sed -n 's/^# \{0,1\}//p'
}

for argument; do
	case $argument in
	--vm) vm=yes ;;
	--soak) soak=yes ;;
	--no-setup) setup=no ;;
	--list) list=yes ;;
	-h | --help)
		usage
		exit 0
		;;
	-*)
		echo "run.sh: $argument: unknown option; see --help" >&2
		exit 2
		;;
	*) filters+=("$argument") ;;
	esac
done
mkdir -p "$build" || exit 1
build=$(cd "$build" && pwd)

scratch=$(mktemp -d) || exit 1
child=
apart=() # processes of files that run beside each other
trap 'rm -rf "$scratch"' EXIT
trap 'stop_children; exit 130' INT TERM HUP

stop_children() {
	local pid
	for pid in ${child:+"$child"} ${apart[@]+"${apart[@]}"}; do
		kill -TERM "$pid" 2>/dev/null
	done
	[ ${#apart[@]} -eq 0 ] || wait "${apart[@]}" # they stop theirs
	end_marked_processes "$mark" >/dev/null
}

wanted() { # NAME
	local filter
	[ ${#filters[@]} -eq 0 ] && return 0
	for filter in "${filters[@]}"; do
		[[ $1 == *"$filter"* ]] && return 0
	done
	return 1
}

line() { # RESULT NAME TEXT
	printf '%-7s %-38s %s\n' "$1" "$2" "$3"
}

# ---- what there is ----

# "NAME KIND FILE" a line; names are unique. Sources stand for the programs
# made of them, so that the list does not depend on a build.
inventory() {
	local variant file name
	echo "format format"
	echo "build/gcc build gcc"
	unit_inventory "" gcc
	for file in "$root"/tests/net/test_*.sh; do
		[ -x "$file" ] && echo "net/$(basename "$file" .sh) gcc $file"
	done
	for file in "$root"/tests/fuzz/test_*.sh; do
		[ -x "$file" ] && echo "fuzz/$(basename "$file" .sh) gcc $file"
	done
	[ -x "$root/tests/install/run.sh" ] &&
		echo "install gcc $root/tests/install/run.sh"
	echo "build/clang build clang"
	for variant in address thread; do
		echo "build/$variant build $variant"
		unit_inventory "$variant/" "$variant"
		for name in "${sanitized[@]}"; do
			file=$root/tests/net/$name.sh
			[ -x "$file" ] && echo "$variant/net/$name $variant $file"
		done
		[ $variant = thread ] ||
			echo "$variant/fuzz/test_corpus $variant $root/tests/fuzz/test_corpus.sh"
	done
	for variant in vm soak; do
		for file in "$root/tests/$variant"/test_*.sh; do
			[ -x "$file" ] || continue
			name=$(header "$file" tier)
			echo "$variant/$(basename "$file" .sh) ${name:-$variant} $file"
		done
	done
}

unit_inventory() { # PREFIX VARIANT
	local file
	for file in "$root"/tests/unit/test_*.c; do
		[ -e "$file" ] && echo "$1unit/$(basename "$file" .c) $2 $file"
	done
}

header() { # FILE KEY: value stated in the first lines
	sed -n "1,20s|^[#/ *]*$2: *||p" "$1"
}

# ---- building ----

tree() { # VARIANT: its build tree
	case $1 in
	gcc | vm | soak) echo "$build" ;;
	*) echo "$build-$1" ;;
	esac
}

declare -A built

# Configure and build once; later calls give the same answer.
build_variant() { # VARIANT
	local options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DDXMIT_WERROR=ON
		-DDXMIT_APP=ON -DDXMIT_TESTS=ON)
	local dir log=$scratch/build.log
	[ -z "${built[$1]:-}" ] || return "${built[$1]}"
	dir=$(tree "$1")
	case $1 in
	clang) options+=(-DCMAKE_C_COMPILER=clang) ;;
	address) options+=("-DDXMIT_SANITIZE=address,undefined") ;;
	thread) options+=(-DDXMIT_SANITIZE=thread) ;;
	esac
	cmake -S "$root" -B "$dir" "${options[@]}" >"$log" 2>&1 &&
		cmake --build "$dir" -j "$(nproc)" >>"$log" 2>&1
	built[$1]=$?
	[ "${built[$1]}" -eq 0 ] || cp "$log" "$scratch/build-$1.log"
	return "${built[$1]}"
}

# Versions of clang-format differ in what they make of the same rules.
formatter_version=14

run_format() { # NAME
	local files badly
	if ! clang-format --version 2>/dev/null | grep -q " version $formatter_version\."; then
		leave_out "$1" "needs clang-format $formatter_version"
		return
	fi
	mapfile -t files < <(find "$root"/app "$root"/lib "$root"/bench "$root"/tests -name '*.[ch]')
	badly=$(clang-format --dry-run "${files[@]}" 2>&1 | grep -oE '^[^:]+:[0-9]+' | head -n 20)
	if [ -z "$badly" ]; then
		passed=$((passed + 1))
		line ok "$1" "${#files[@]} files"
	else
		failed=$((failed + 1))
		line FAILED "$1" "run clang-format -i on these"
		sed "s|^$root/|    |" <<<"$badly"
	fi
}

run_build() { # NAME VARIANT
	local began=$SECONDS
	if build_variant "$2"; then
		passed=$((passed + 1))
		line ok "$1" "$((SECONDS - began)) s"
	else
		failed=$((failed + 1))
		line FAILED "$1" "$((SECONDS - began)) s"
		grep -E -A 5 'error: |CMake Error|undefined reference' "$scratch/build-$2.log" | head -n 40 | sed 's/^/    /'
	fi
}

# ---- running one file ----

# Time stamp of the newest line of the kernel log, in seconds since boot.
kernel_log_end() {
	dmesg --color=never 2>/dev/null | sed -n 's/^\[ *\([0-9.]*\)\].*/\1/p' | tail -n 1
}

# What a test must not make the kernel say; empty also where the log is closed
# to us.
kernel_complaints() { # SINCE
	dmesg --color=never 2>/dev/null | awk -v since="${1:-0}" '
		match($0, /^\[ *[0-9.]+\]/) {
			t = substr($0, 2, RLENGTH - 2) + 0
			if (t > since + 0)
				print
		}' | grep -E 'BUG:|WARNING:|Oops|general protection|stall|lockdep|unregister_netdevice: waiting|hung task|blocked for more than'
}

# Every process of a test file carries this in its environment.
mark=DXMIT_RUN=$$

# The command of a file in a variant, in the array `command`.
set_command() { # VARIANT FILE
	local dir
	dir=$(tree "$1")
	command=(env "$mark" "BUILD=$build" "DXMIT=$dir/app/dxmit"
		CMOCKA_MESSAGE_OUTPUT=TAP)
	case $1 in
	address)
		command+=("ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:fast_unwind_on_malloc=0"
			"LSAN_OPTIONS=suppressions=$root/tests/leaks.supp:print_suppressions=0"
			"UBSAN_OPTIONS=print_stacktrace=1")
		;;
	thread)
		command+=("TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:atexit_sleep_ms=0")
		# With much address randomization this sanitizer finds its
		# shadow memory taken.
		setarch "$(uname -m)" -R true 2>/dev/null &&
			command+=(setarch "$(uname -m)" -R)
		;;
	esac
	case $2 in
	*.c) command+=("$dir/tests/$(basename "$2" .c)") ;;
	*) command+=("$2") ;;
	esac
}

# Sets passes, failures, skips, reasons from a TAP stream. A plan may come
# first or last; a program with several groups has several plans.
read_tap() { # FILE STATUS
	local counts
	counts=$(awk '
		/^1\.\.0/ && /# *[Ss][Kk][Ii][Pp]/ { all = 1; plans++; next }
		/^1\.\.[0-9]+/ { plans++; planned += substr($0, 4) + 0; next }
		/^(not )?ok/ && /# *[Ss][Kk][Ii][Pp]/ { skips++; seen++; next } # cmocka: not ok
		/^ok/ { passes++; seen++; next }
		/^not ok/ { failures++; seen++; next }
		/^Bail out!/ { bailed = 1 }
		END {
			print passes + 0, failures + 0, skips + 0, planned + 0, seen + 0,
				plans + 0, bailed + 0, all + 0
		}' "$1")
	local planned seen plans bailed all
	read -r passes failures skips planned seen plans bailed all <<<"$counts"
	reasons=()
	if [ "$2" -eq 77 ] || { [ "$all" -eq 1 ] && [ "$2" -eq 0 ]; }; then
		skips=$((skips + 1))
		reasons+=("skipped: $(grep -v '^$' "$1" | tail -n 1 | sed 's/^1\.\.0 *# *SKIP *//')")
		return
	fi
	if [ "$2" -eq 124 ] || [ "$2" -eq 137 ]; then
		reasons+=("stopped after the time limit")
	elif [ "$2" -gt 128 ]; then
		reasons+=("ended by signal $(($2 - 128))")
	elif [ "$2" -ne 0 ] && [ "$failures" -eq 0 ]; then
		reasons+=("exit $2 although no test failed")
	fi
	[ "$bailed" -eq 0 ] || reasons+=("gave up")
	[ "$plans" -gt 0 ] || reasons+=("no plan")
	[ "$plans" -eq 0 ] || [ "$planned" -eq "$seen" ] ||
		reasons+=("planned $planned tests, ran $seen")
	[ ${#reasons[@]} -eq 0 ] || failures=$((failures + 1))
}

# What a person needs of a failed file: each failed test with the diagnostics
# after it (cmocka prints them before), then the rest of what it said.
show_failure() {
	local file=$1 errors=$2 reason
	for reason in "${reasons[@]}"; do
		echo "    $reason"
	done
	awk '/^not ok/ && !/# SKIP/ { print; on = 1; next } /^(ok|1\.\.)/ { on = 0 } on' "$file" |
		head -n 60 | sed 's/^/    /'
	tail -n 40 "$errors" | sed 's/^/    stderr: /'
}

run_file() { # NAME VARIANT FILE
	local out=$scratch/out err=$scratch/err command=() limit status began=$SECONDS
	local log_end text passes failures skips reasons leftovers complaints
	limit=$(header "$3" timeout)
	limit=${limit:-300}
	case $2 in address | thread) limit=$((limit * sanitizer_slowdown)) ;; esac
	set_command "$2" "$3"
	log_end=$(kernel_log_end)
	timeout -k 5 "$limit" "${command[@]}" >"$out" 2>"$err" </dev/null &
	child=$!
	wait "$child" 2>/dev/null
	status=$?
	child=
	leftovers=$(end_marked_processes "$mark")
	complaints=$(kernel_complaints "$log_end")
	read_tap "$out" "$status"
	if [ -n "$leftovers$complaints" ]; then
		failures=$((failures + 1))
		while read -r text; do
			[ -z "$text" ] || reasons+=("$text")
		done <<<"$leftovers"$'\n'"$complaints"
	fi
	passed=$((passed + passes))
	failed=$((failed + failures))
	skipped=$((skipped + skips))
	text="$passes passed, $failures failed, $skips skipped, $((SECONDS - began)) s"
	if [ "$failures" -gt 0 ]; then
		line FAILED "$1" "$text"
		show_failure "$out" "$err"
		return
	fi
	line ok "$1" "$text"
	for text in "${reasons[@]}"; do
		echo "    $text"
	done
	sed -n -e 's/^ok [0-9]* *-* *\(.*[^ ]\) *# *SKIP/    skipped: \1:/p' \
		-e 's/^not ok [0-9]* *# *SKIP/    skipped:/p' "$out"
}

# ---- several files at once ----

# A guest waits for its links half of the time.
apart_at_once=$(($(nproc) + 1))
apart_files=0 # started so far

# Begin with a file, in a process and a scratch directory of its own; collect_apart
# tells what became of it.
start_apart() { # NAME VARIANT FILE
	while [ "$(jobs -rp | wc -l)" -ge "$apart_at_once" ]; do
		wait -n
	done
	apart_files=$((apart_files + 1))
	run_apart "$scratch/$apart_files" "$@" &
	apart+=($!)
}

run_apart() { # SCRATCH NAME VARIANT FILE
	scratch=$1 mark=DXMIT_RUN=$$-$BASHPID apart=()
	passed=0 failed=0 skipped=0
	trap 'stop_children; exit 130' TERM
	shift
	mkdir -p "$scratch"
	run_file "$@" >"$scratch/shown"
	echo "$passed $failed $skipped" >"$scratch/sums"
}

collect_apart() {
	local i sums
	[ $apart_files -eq 0 ] || wait "${apart[@]}"
	for ((i = 1; i <= apart_files; i++)); do
		cat "$scratch/$i/shown"
		# Without sums its process was ended from outside.
		read -r -a sums 2>/dev/null <"$scratch/$i/sums" || sums=(0 1 0)
		passed=$((passed + sums[0]))
		failed=$((failed + sums[1]))
		skipped=$((skipped + sums[2]))
	done
	apart=()
}

leave_out() { # NAME REASON
	skipped=$((skipped + 1))
	line skipped "$1" "$2"
}

# ---- all of it ----

run_one() { # NAME VARIANT FILE
	case $2 in
	format)
		run_format "$1"
		return
		;;
	build)
		run_build "$1" "$3"
		return
		;;
	vm) [ $vm = yes ] || { leave_out "$1" "needs --vm" && return; } ;;
	soak) [ $soak = yes ] || { leave_out "$1" "needs --soak" && return; } ;;
	esac
	# Network tests of a variant use the helpers of the first build.
	if ! build_variant gcc || ! build_variant "$2"; then
		failed=$((failed + 1))
		line FAILED "$1" "does not build"
		return
	fi
	if [ "$2" = vm ]; then
		start_apart "$1" "$2" "$3"
	else
		run_file "$1" "$2" "$3"
	fi
}

main() {
	local name variant file
	if [ $list = yes ]; then
		inventory | while read -r name variant file; do
			wanted "$name" && echo "$name"
		done
		return 0
	fi
	if [ $setup = yes ] && ! "$root/tests/setup.sh" test; then
		failed=$((failed + 1))
	fi
	if [ $failed -eq 0 ]; then
		while read -r -u 3 name variant file; do
			wanted "$name" && run_one "$name" "$variant" "$file"
		done 3< <(inventory)
		collect_apart
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ] && [ $passed -gt 0 ]
}

main
