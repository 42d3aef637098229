#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# uml.sh: the module's direct path against the stock path of the same kernel and
# pktgen at native speed, in User-Mode Linux 7.x, on a dummy device, interleaved.
#
#	bench/uml.sh [--rounds N] [--blocks N] [--peers LIST]
#
# Each round runs every peer once, for N blocks of 262,144 frames. Peers: stock
# (budget raised to the ring of 8192), pktgen (clone_skb 0, burst 1) with or without
# a flag of its own, and direct with words of `cost`: direct:batch=1:validate.
# Environment: BUILD (build directory), KERNEL_SOURCE (a kernel tree that nothing
# was built in; default: Debian's newest linux-source-7.x, fetched), KMOD (the
# module's sources), DXMIT_VM_CACHE (where kernels are kept; default
# ~/.cache/dxmit-vm), BENCH_CPU (CPU to pin to; default: the last).
# The kernel is built once, from uml.config: 10 minutes on 2 CPUs, 2 GB with its
# source. A run of 15 rounds takes 90 s. The guest's root are the host's files,
# read-only.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
BUILD=$(readlink -m "${BUILD:-$here/../build}")
KMOD=${KMOD:-$here/../kmod}
cache=${DXMIT_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/dxmit-vm}
cpu=${BENCH_CPU:-$(($(nproc) - 1))}
rounds=15 blocks=7
peers=stock,direct:batch=1:validate,direct:batch=1,direct,pktgen,pktgen:NO_TIMESTAMP

fail() { # TEXT [LOG]
	echo "uml.sh: $1" >&2
	[ $# -lt 2 ] || tail -n 20 "$2" >&2
	exit 1
}

usage() {
	sed -n '/^#	bench/s/^#//p' "$0" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--rounds) rounds=${2-} ;;
	--blocks) blocks=${2-} ;;
	--peers) peers=${2-} ;;
	*) usage ;;
	esac
	[ $# -ge 2 ] || usage
	shift 2
done
[[ $rounds =~ ^[1-9][0-9]*$ && $blocks =~ ^[1-9][0-9]*$ ]] || usage
[[ ,$peers =~ ^(,(stock|pktgen(:[A-Z_]+)?|direct(:batch=[0-9]+)?(:validate)?))+$ ]] || usage

[ "$(uname -m)" = x86_64 ] || fail "User-Mode Linux is for x86_64"
[ "$(id -u)" = 0 ] || fail "the guest mounts and loads: run as root"
[ -x "$BUILD/bench/cost" ] || fail "$BUILD/bench/cost is not built"
for tool in busybox insmod ip make flex bison bc taskset; do
	[ -n "$(command -v $tool)" ] || fail "$tool is not installed"
done

# ---- the kernel ----

apt_quietly() { # COMMAND ARGUMENTS…
	local tool=$1
	shift
	"$tool" -q -o Dir::Etc::sourcelist=/dev/null \
		-o Dir::Etc::sourceparts="$cache/uml-apt" -o Dir::State::lists="$cache/uml-lists" \
		-o Dir::Cache="$cache/apt-cache" -o APT::Sandbox::User=root "$@"
}

# From the machine's own Debian source, with its suite changed.
fetch_source() {
	local file package
	mkdir -p "$cache/uml-apt" "$cache/uml-lists/partial" "$cache/apt-cache" "$cache/packages"
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$file" ] || awk -v RS= '/Suites: *[a-z]+( |\n)/ && !/security/' "$file" |
			sed 's/^Suites:.*/Suites: trixie-backports/'
	done >"$cache/uml-apt/uml.sources"
	sed -nE 's/^(deb .*) [a-z]+ main.*/\1 trixie-backports main/p' /etc/apt/sources.list \
		2>/dev/null | grep -v security >"$cache/uml-apt/uml.list"
	apt_quietly apt-get update >"$cache/uml-log" 2>&1
	package=$(apt_quietly apt-cache pkgnames linux-source-7. | sort -V | tail -n 1)
	[ -n "$package" ] ||
		fail "no package linux-source-7.x; set KERNEL_SOURCE" "$cache/uml-log"
	KERNEL_SOURCE=$cache/uml-source/$package
	[ ! -e "$KERNEL_SOURCE/Makefile" ] || return
	rm -f "$cache/packages/$package"_*.deb
	(cd "$cache/packages" && apt_quietly apt-get download "$package") \
		>"$cache/uml-log" 2>&1 ||
		fail "$package: not fetched" "$cache/uml-log"
	mkdir -p "$cache/uml-source" || exit 1
	dpkg-deb --fsys-tarfile "$cache/packages/$package"_*.deb |
		tar -xO --wildcards '*.tar.xz' | tar -xJ -C "$cache/uml-source" ||
		fail "$package: not unpacked"
	rm -f "$cache/packages/$package"_*.deb
}

# Built again only when the version or uml.config is another.
build_kernel() {
	local version
	version=$(make -s -C "$KERNEL_SOURCE" ARCH=um kernelversion) ||
		fail "$KERNEL_SOURCE: not a kernel tree"
	tree=$cache/uml-$version
	mkdir -p "$tree" || exit 1
	if [ -x "$tree/linux" ] && cmp -s "$here/uml.config" "$tree/uml.config"; then
		return
	fi
	echo "uml.sh: building User-Mode Linux $version in $tree" >&2
	rm -f "$tree/uml.config"
	if ! make -s -C "$KERNEL_SOURCE" ARCH=um O="$tree" KCONFIG_ALLCONFIG="$here/uml.config" \
		allnoconfig >"$tree/build.log" 2>&1 ||
		! make -s -C "$tree" ARCH=um -j"$(nproc)" linux modules >>"$tree/build.log" 2>&1; then
		fail "User-Mode Linux does not build" "$tree/build.log"
	fi
	cp "$here/uml.config" "$tree/"
}

build_module() {
	cp -r "$KMOD" "$work/kmod" || exit 1
	make -s -C "$work/kmod" KDIR="$tree" ARCH=um >"$work/log" 2>&1 ||
		fail "the module does not build" "$work/log"
}

# ---- the run ----

boot() {
	timeout $((60 + rounds * 30)) taskset -c "$cpu" "$tree/linux" mem=512M \
		rootfstype=hostfs hostfs=/ ro init="$here/uml_guest.sh" quiet \
		con0=fd:0,fd:1 BENCH_COST="$BUILD/bench/cost" \
		BENCH_MODULE="$work/kmod/dxmit.ko" BENCH_PEERS="$peers" BENCH_ROUNDS="$rounds" \
		BENCH_BLOCKS="$blocks" </dev/null 2>&1 | tr -d "\r" |
		tee "$work/console" |
		grep --line-buffered -E '^(row round=[1-9]|failed)'
	! grep -q '^failed' "$work/console" || exit 1
	grep -q '^== end' "$work/console" ||
		fail "the guest did not reach its end" "$work/console"
	! grep -E 'BUG|WARNING|Oops|Call Trace' "$work/console" ||
		fail "the guest's log is not clean"
}

machine() {
	echo "machine kernel=$(uname -r) guest=$(basename "$tree") cpus=$(nproc)" \
		"load=$(cut -d' ' -f1-3 /proc/loadavg | tr ' ' ,)" \
		"cpu=\"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)\"" \
		"pinned=$cpu blocks=$blocks rounds=$rounds"
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ -n "${KERNEL_SOURCE-}" ] || fetch_source
build_kernel
build_module
{
	machine
	boot
	machine
} | tee "$work/rows" || exit 1
awk -v base=direct -f "$here/stats.awk" "$work/rows"
