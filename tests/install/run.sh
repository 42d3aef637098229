#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What an embedder gets: installs libdxmit, shared and static, into a temporary
# tree, checks what is there, builds the example against it in every documented
# way, and counts at the far end of a veth pair what those programs send.
#
# Prints TAP. BUILD names a directory to work under (default: TMPDIR or /tmp).
# Runs from any directory, writes nothing into the source tree.
set -u -o pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cc=${CC:-cc}
cxx=${CXX:-c++}
count=0
failed=0

# check TEXT COMMAND…: one TAP line; the output is shown only on failure.
check() {
	local text=$1 output
	shift
	count=$((count + 1))
	if output=$("$@" 2>&1); then
		echo "ok $count - $text"
	else
		echo "not ok $count - $text"
		printf '%s\n' "$output" | tail -n 30 | sed 's/^/# /'
		failed=1
	fi
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

for tool in cmake pkg-config "$cc" "$cxx" gcc nm objdump readelf; do
	if ! command -v "$tool" >/dev/null; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done

mkdir -p "${BUILD:-${TMPDIR:-/tmp}}" || exit 1
work=$(mktemp -d "${BUILD:-${TMPDIR:-/tmp}}/dxmit-install.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
work=$(cd "$work" && pwd)

shared=$work/shared
static=$work/static
version=$(sed -n 's/^#define DXMIT_VERSION_STRING "\(.*\)"$/\1/p' \
	"$root/lib/include/dxmit/version.h")
warnings=(-Wall -Wextra -Wpedantic -Werror)

# ---- building and installing ----

build() { # KIND BUILD_SHARED_LIBS: configured for $work/KIND
	cmake -S "$root" -B "$work/build-$1" -DCMAKE_INSTALL_PREFIX="$work/$1" \
		-DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DBUILD_SHARED_LIBS="$2" -DDXMIT_WERROR=ON -DDXMIT_APP=OFF \
		-DDXMIT_TESTS=OFF -DDXMIT_BENCH=OFF &&
		cmake --build "$work/build-$1" -j"$(nproc)"
}

listing() { # DIRECTORY
	(cd "$1" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort)
}

expected() { # KIND: every file an installation of that kind has
	local header
	for header in "$root"/lib/include/dxmit/*.h; do
		echo "include/dxmit/${header##*/}"
	done
	printf 'lib/cmake/dxmit/%s\n' dxmitConfig.cmake dxmitConfigVersion.cmake \
		dxmitTargets.cmake dxmitTargets-relwithdebinfo.cmake
	echo lib/pkgconfig/dxmit.pc
	if [ "$1" = static ]; then
		echo lib/libdxmit.a
	else
		printf 'lib/%s\n' libdxmit.so libdxmit.so.0 "libdxmit.so.$version"
	fi
}

has_exactly() { # KIND DIRECTORY
	diff <(expected "$1" | LC_ALL=C sort) <(listing "$2")
}

staged() {
	DESTDIR=$work/stage cmake --install "$work/build-shared" &&
		has_exactly shared "$work/stage$shared" &&
		! grep -rlF "$work" "$work/stage$shared/lib/pkgconfig" \
			"$work/stage$shared/lib/cmake"
}

other_prefix() { # the pkg-config file must follow where the files went
	cmake --install "$work/build-shared" --prefix "$work/moved" &&
		PKG_CONFIG_PATH=$work/moved/lib/pkgconfig \
			pkg-config --cflags --libs dxmit >"$work/flags" &&
		cat "$work/flags" &&
		grep -q -- "-I$work/moved/.*include" "$work/flags" &&
		"$cc" -o "$work/moved-example" "$root/lib/examples/send_udp.c" \
			$(cat "$work/flags")
}

# ---- the library's face ----

soname() {
	readelf -d "$shared/lib/libdxmit.so" | grep -F 'soname: [libdxmit.so.0]'
}

declared() { # functions with external linkage in the public headers
	echo '#include <dxmit/dxmit.h>' |
		gcc -I"$shared/include" -fsyntax-only -aux-info "$work/declared" -x c - &&
		sed -n 's|^/\* [^ ]*/dxmit/[^ ]* \*/ extern .*\b\(dxmit_[a-z0-9_]*\) (.*|\1@@DXMIT_0|p' \
			"$work/declared" | LC_ALL=C sort -u
}

exported() {
	nm -D --defined-only "$shared/lib/libdxmit.so" |
		awk '$2 != "A" { print $3 }' | LC_ALL=C sort
}

symbols() {
	[ "$(declared | wc -l)" -ge 30 ] && diff <(declared) <(exported)
}

# Everything of ours in the headers has our prefix.
prefixed() {
	local others
	others=$(cat "$shared"/include/dxmit/*.h | sed -nE \
		-e 's/^#define ([A-Za-z0-9_]+).*/\1/p' \
		-e 's/^(struct|enum|union) ([A-Za-z0-9_]+).*/\2/p' \
		-e 's/^(static inline )?[a-z].*[ *]([a-z0-9_]+)\(.*/\2/p' |
		grep -vE '^(dxmit_|DXMIT_)')
	echo "$others"
	[ -z "$others" ]
}

# Of the objects before they are linked: afterwards there is some of the C
# runtime's. Tables of constant pointers are in .data.rel.ro.
no_state() {
	local state
	state=$(objdump -h "$static/lib/libdxmit.a" |
		awk '$2 ~ /^\.(data|bss|tdata|tbss|common)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/')
	echo "$state"
	[ "$(objdump -h "$static/lib/libdxmit.a" | grep -c ' \.text')" -ge 10 ] && [ -z "$state" ] &&
		! nm "$static/lib/libdxmit.a" | grep ' [BbCDS] '
}

# A static library shares its embedder's name space: ours must all be prefixed,
# the internal ones too.
prefixed_symbols() {
	! nm -g --defined-only "$static/lib/libdxmit.a" | awk 'NF == 3 { print $3 }' |
		grep -v '^dxmit_'
}

imported() {
	nm -D --undefined-only "$shared/lib/libdxmit.so" | awk '{ sub(/@.*/, "", $2); print $2 }'
}

# Nothing that prints, ends the process, makes threads or processes, locks,
# parses a user's text, or reads or writes the process's own settings.
harmless_imports() {
	[ "$(imported | wc -l)" -ge 50 ] && ! imported | grep -E \
		-e '^(__)?(v?f?w?printf|v?dprintf|syslog|v?warnx?|v?errx?)(_chk)?$' \
		-e '^(f?puts|f?put[cw]|putchar|fwrite|perror|psignal|stdout|stderr|write)$' \
		-e '^(_?_?exit|_Exit|quick_exit|abort|__assert_fail|atexit|on_exit|raise|kill)$' \
		-e '^(pthread_|thrd_|mtx_|cnd_|sem_|v?fork$|clone|posix_spawn|exec|system$|popen$)' \
		-e '^(getopt|argp_|s?scanf|__isoc.._sscanf|strto[fd]|strtok$|regcomp)' \
		-e '^(signal|sigaction|setlocale|(un)?setenv|putenv|secure_getenv|getenv|chdir|umask)$' \
		-e '^(setrlimit|prctl|sched_setaffinity|setpriority|libbpf_set_print|libxdp_set_print)$'
}

# The object of an embedder's loop calls the library on the rare paths only.
inline_verbs() {
	cat >"$work/loop.c" <<-'END'
		#include <dxmit/dxmit.h>
		int loop(struct dxmit_queue *q, const uint32_t *lengths);
		int loop(struct dxmit_queue *q, const uint32_t *lengths)
		{
			int got = dxmit_reclaim(q);
			uint32_t n = dxmit_reserve(q, 64);

			*(char *)dxmit_frame(q, 0) = (char)dxmit_frame_index(q, 0);
			got += (int)dxmit_frame_addr(q, n - 1);
			return lengths ? dxmit_submit_lengths(q, n, lengths)
				       : got + dxmit_submit(q, n, 60);
		}
	END
	"$cc" -O2 "${warnings[@]}" -I"$shared/include" -c "$work/loop.c" -o "$work/loop.o" &&
		diff <(nm --undefined-only "$work/loop.o" | awk '/dxmit/ { print $2 }' | sort) \
			<(printf '%s\n' dxmit_queue_check_lap dxmit_queue_reclaim_segments \
				dxmit_queue_reserve_segments dxmit_queue_submit_segments \
				dxmit_queue_unfix)
}

size_is_known() { # TYPE
	echo "#include <dxmit/dxmit.h>
		extern char size[sizeof(struct $1)];" |
		"$cc" -I"$shared/include" -fsyntax-only -x c -
}

opaque() {
	size_is_known dxmit_queue && ! size_is_known dxmit_queue_private &&
		! size_is_known dxmit_nic_watch
}

headers_alone() { # COMPILER OPTIONS…: each public header, by itself
	local header
	for header in "$shared"/include/dxmit/*.h; do
		echo "#include <dxmit/${header##*/}>" |
			"$@" "${warnings[@]}" -I"$shared/include" -fsyntax-only - || return 1
	done
}

# ---- the example, built in every documented way ----

pc() { # KIND ARGUMENTS…
	local kind=$1
	shift
	PKG_CONFIG_PATH=$work/$kind/lib/pkgconfig pkg-config "$@" dxmit
}

same_version() { # header, pkg-config file and a running program agree
	printf '%s\n' '#include <stdio.h>' '#include <dxmit/version.h>' \
		'int main(void) { return puts(dxmit_version()) < 0; }' |
		"$cc" -x c - -x none -o "$work/version" $(pc shared --cflags --libs) \
			-Wl,-rpath,"$shared/lib" &&
		[ "$(pc shared --modversion)" = "$version" ] &&
		[ "$("$work/version")" = "$version" ]
}

example() { # KIND OUTPUT PKG-CONFIG-OPTION COMPILER…
	local kind=$1 output=$2 option=$3 flags libs
	shift 3
	flags=$(pc "$kind" --cflags) && libs=$(pc "$kind" $option --libs) &&
		"$@" "${warnings[@]}" -O2 $flags "$root/lib/examples/send_udp.c" \
			-x none -o "$work/$output" $libs -Wl,-rpath,"$shared/lib"
}

consumer() { # KIND: a project that knows nothing but find_package
	mkdir -p "$work/consumer" &&
		cat >"$work/consumer/CMakeLists.txt" <<-'END' &&
			cmake_minimum_required(VERSION 3.18)
			project(consumer C)
			find_package(dxmit 9 QUIET)
			if(dxmit_FOUND)
			  message(FATAL_ERROR "version 9 was found")
			endif()
			find_package(dxmit 0.1 REQUIRED)
			add_executable(send_udp ${EXAMPLE})
			target_link_libraries(send_udp PRIVATE dxmit::dxmit)
		END
		cmake -S "$work/consumer" -B "$work/consumer-$1" \
			-DCMAKE_PREFIX_PATH="$work/$1" \
			-DEXAMPLE="$root/lib/examples/send_udp.c" &&
		cmake --build "$work/consumer-$1" &&
		cp "$work/consumer-$1/send_udp" "$work/cmake-$1"
}

uses() { # PROGRAM yes|no: does it load the shared library?
	local found=no
	readelf -d "$work/$1" | grep -qF '[libdxmit.so.0]' && found=yes
	[ "$found" = "$2" ]
}

# ---- running it ----

# In a network namespace of its own; the far end's counters are the witness.
# veth's own neighbour discovery and ARP are off, so that every frame is ours.
far_end='
set -e
ip link set lo up
ip link add dxa type veth peer name dxb
for end in dxa dxb; do
	if [ -d /proc/sys/net/ipv6 ]; then
		echo 1 >/proc/sys/net/ipv6/conf/$end/disable_ipv6
	fi
	ip link set $end arp off up
done
said=$(timeout 30 "$1" dxa "$2") || { echo "exit $?: $said"; exit 1; }
echo "$said"
[ "$said" = "submitted $2 completed $2 lost 0: Success" ]
seen=$(ip -s link show dev dxb | awk "/RX:/ { getline; print \$2, \$1; exit }")
echo "far end: packets and bytes $seen"
[ "$seen" = "$2 $(($2 * 60))" ]
'

isolated() { # COMMAND…
	if [ "$(id -u)" -eq 0 ]; then
		unshare -n "$@"
	else
		unshare -rn "$@"
	fi
}

sends() { # PROGRAM COUNT
	isolated sh -c "$far_end" sh "$work/$1" "$2"
}

fails_clearly() { # no such interface: exit 1 and one line on stderr
	local said status=0
	said=$(isolated "$work/c" nosuchif 1 2>&1 >/dev/null) || status=$?
	echo "$said"
	[ $status -eq 1 ] && [ "$(printf '%s\n' "$said" | wc -l)" -eq 1 ] &&
		[ -n "$said" ]
}

check "the library alone builds, shared" build shared ON
check "the library alone builds, static" build static OFF
check "shared library installs" cmake --install "$work/build-shared"
check "static library installs" cmake --install "$work/build-static"
check "shared installation has exactly the files it should" has_exactly shared "$shared"
check "static installation has exactly the files it should" has_exactly static "$static"
check "DESTDIR stages the same files, without the stage's path in them" staged
check "another prefix at install time works" other_prefix
check "soname is libdxmit.so.0" soname
check "exported symbols are the declared functions, at DXMIT_0" symbols
check "headers define dxmit_ and DXMIT_ names only" prefixed
check "every symbol of the static library has the prefix" prefixed_symbols
check "library keeps no writable data" no_state
check "library imports nothing that prints, exits, locks or makes threads" harmless_imports
check "calls per frame are inline" inline_verbs
check "all but the hot ring struct is opaque" opaque
check "each public header compiles alone as C11" headers_alone "$cc" -std=c11 -x c
check "each public header compiles alone as C++17" headers_alone "$cxx" -std=c++17 -x c++
check "header, library and pkg-config file name one version" same_version
check "example builds through pkg-config, C" example shared c "" "$cc" -std=c11
check "example builds through pkg-config, C++" \
	example shared cxx "" "$cxx" -std=c++17 -x c++
check "example builds through pkg-config --static" \
	example static static-c --static "$cc" -std=c11
check "example builds through find_package, shared" consumer shared
check "example builds through find_package, static" consumer static
check "shared builds load the library" uses c yes
check "static builds do not" uses static-c no

if ! isolated ip link show >/dev/null 2>&1; then
	skip "example sends" "needs root or user namespaces, and ip"
else
	for frames in 1 179 100000; do
		check "example (C) sends exactly $frames frames" sends c $frames
	done
	for program in cxx static-c cmake-shared cmake-static; do
		check "example ($program) sends exactly 1000 frames" sends $program 1000
	done
	check "example names what is wrong with its interface" fails_clearly
fi

echo "1..$count"
exit $failed
