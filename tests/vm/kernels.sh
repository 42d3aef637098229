# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The kernels a guest can run, and the module built for each:
#
#	6.1.0, 6.12, 7    Debian's newest of that series
#	6.12-rt           the same with PREEMPT_RT
#	debug             6.12 from Debian's source with the checks of debug.config
#
# lab_kernel NAME sets $version, $image and $modules (a root with
# lib/modules/$version), and leaves dxmit.ko in $lab/kmod.
# shellcheck source=tests/vm/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

lab_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lab=     # a directory of this run
version= # of the kernel
image=   # what QEMU boots
modules= # root of its modules
lab_lock_fd=

# ---- Debian's kernels ----

lab_pattern() { # NAME: of its package
	case $1 in
	6.1.0) echo 'linux-image-6\.1\.0-[0-9]+-amd64' ;;
	6.12) echo 'linux-image-6\.12\.[0-9]+\+deb12-amd64' ;;
	6.12-rt) echo 'linux-image-6\.12\.[0-9]+\+deb12-rt-amd64' ;;
	7) echo 'linux-image-7\.[0-9]+\.[0-9]+\+deb13-amd64' ;;
	esac
}

lab_debian_kernel() { # NAME
	local package root
	version=$(lab_newest "$(lab_pattern "$1")")
	version=${version#linux-image-}
	[ -n "$version" ] || lab_skip "no package for Linux $1"
	root=$lab_cache/$version
	for package in $(lab_kernel_packages "linux-image-$version") \
		$(lab_kernel_packages "linux-headers-$version"); do
		lab_unpack "$package" "$root"
	done
	# From 7.x on the modules' packages use the merged /usr.
	[ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
	[ -e "$root/lib/modules/$version/modules.dep" ] || depmod -b "$root" "$version" 2>"$lab_cache/log"
	modules=$root
	image=$root/boot/vmlinuz-$version
	[ -e "$image" ] || image=$root/usr/lib/modules/$version/vmlinuz
	case $1 in
	7) lab_build_in_trixie "$root" ;;
	*) lab_build "$(lab_headers "$root")" ;;
	esac
}

# The headers as unpacked: their Makefile names another part of them by its path
# as installed.
lab_headers() { # ROOT
	local headers=$1/usr/src/linux-headers-$version
	sed -i -e "s|$1||g" -e "s|/usr/src/linux-headers-|$1/usr/src/linux-headers-|g" \
		"$headers/Makefile"
	echo "$headers"
}

# ---- the module ----

lab_copy_module() {
	cp -r "$lab_here/../../kmod" "$lab/kmod" || exit 1
}

# With every warning of the kernel's first level.
lab_build() { # KDIR [COMMAND …]: run before make
	local kdir=$1
	shift
	[ -e "$lab/kmod" ] || lab_copy_module
	"$@" make -C "${lab_kmod:-$lab/kmod}" KDIR="$kdir" W=1 >"$lab/build.log" 2>&1 ||
		lab_fail "the module does not build for $version" "$lab/build.log"
	# What the tree's own make says of the compiler's version is no fault of ours.
	! grep -vE "the compiler differs|pahole version differs" "$lab/build.log" | grep -A 5 'warning:' \
		>"$lab/warnings" ||
		lab_fail "the module builds with warnings for $version" "$lab/warnings"
}

# Programs in the headers of 7.x need a libc newer than Debian 12's: they run in
# a Debian 13 root.
lab_trixie() {
	local mirror
	[ ! -e "$lab_cache/trixie/.complete" ] || return 0
	[ "$(id -u)" -eq 0 ] || lab_skip "Linux 7 needs a Debian 13 root; making one needs root"
	command -v debootstrap >/dev/null || lab_install apt-get debootstrap
	mirror=$(lab_apt apt-get indextargets --format '$(REPO_URI)' 'Codename: trixie' 2>/dev/null |
		head -n 1)
	[ -n "$mirror" ] || lab_skip "no Debian 13 packages on this machine"
	rm -rf "$lab_cache/trixie"
	debootstrap --variant=minbase --include=gcc-14,make,libelf1t64,pahole trixie \
		"$lab_cache/trixie" "$mirror" >"$lab_cache/log" 2>&1 ||
		lab_fail "no Debian 13 root" "$lab_cache/log"
	touch "$lab_cache/trixie/.complete"
}

# In mounts of its own, which go with it.
lab_build_in_trixie() { # ROOT: where the headers are unpacked
	local trixie=$lab_cache/trixie
	lab_trixie
	lab_copy_module
	mkdir -p "$trixie/kmod"
	if [ ! -e "$trixie/.headers-$version" ]; then
		cp -rT "$1/usr/src" "$trixie/usr/src" &&
			cp -rT "$1/usr/lib/linux-kbuild-${version%-amd64}" \
				"$trixie/usr/lib/linux-kbuild-${version%-amd64}" &&
			touch "$trixie/.headers-$version"
	fi
	lab_kmod=/kmod lab_build "/usr/src/linux-headers-$version" \
		unshare -m sh -c "mount -t proc proc $trixie/proc &&
			mount --bind $lab/kmod $trixie/kmod && exec chroot $trixie \"\$@\"" sh
}

# ---- the kernel with checks ----

# About a quarter of an hour on two CPUs, once. The tree stays, for its headers.
lab_debug_kernel() {
	local source build
	version=$(lab_apt apt-cache policy linux-source-6.12 2>/dev/null |
		sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
	[ -n "$version" ] || lab_skip "no package linux-source-6.12"
	source=$lab_cache/linux-source-6.12
	build=$lab_cache/debug-$version
	if [ ! -e "$build/.complete" ]; then
		lab_fetch_debug_kernel "$source"
		lab_lock debug
		[ -e "$build/.complete" ] || lab_build_debug_kernel "$source" "$build"
	fi
	version=$(cat "$build/include/config/kernel.release")
	modules=$build/root
	image=$build/arch/x86/boot/bzImage
	lab_build "$build"
}

lab_fetch_debug_kernel() { # SOURCE
	local package missing=()
	for package in flex bison bc libelf-dev libssl-dev; do
		dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
	done
	[ ${#missing[@]} -eq 0 ] || lab_install apt-get "${missing[@]}"
	lab_unpack linux-source-6.12 "$1"
}

lab_build_debug_kernel() { # SOURCE BUILD
	echo "# building $2, once"
	mkdir -p "$2"
	tar -C "$1" -xf "$1/usr/src/linux-source-6.12.tar.xz" || lab_fail "no kernel source"
	if ! lab_make_debug_kernel "$1/linux-source-6.12" "$2" >"$lab_cache/log" 2>&1; then
		lab_fail "the debug kernel does not build" "$lab_cache/log"
	fi
	touch "$2/.complete"
}

lab_make_debug_kernel() { # SOURCE BUILD
	cd "$1" && make -s O="$2" tinyconfig &&
		scripts/kconfig/merge_config.sh -m -O "$2" "$2/.config" "$lab_here/debug.config" &&
		make -s O="$2" olddefconfig &&
		make -s O="$2" -j "$(nproc)" bzImage modules &&
		make -s O="$2" INSTALL_MOD_PATH="$2/root" modules_install
}

# ---- any of them ----

# Guests are prepared beside each other, but one at a time fills the cache. Taking
# a lock gives up the one before.
lab_lock() { # NAME
	[ -z "$lab_lock_fd" ] || exec {lab_lock_fd}>&-
	exec {lab_lock_fd}>"$lab_cache/lock-$1"
	flock "$lab_lock_fd"
}

lab_kernel() { # NAME
	[ "$(uname -m)" = x86_64 ] || lab_skip "the guests are for x86_64"
	command -v apt-get >/dev/null || lab_skip "the guests' kernels are Debian packages"
	lab=$(mktemp -d) || exit 1
	trap 'rm -rf "$lab"' EXIT
	mkdir -p "$lab_cache" || lab_skip "no room for packages in $lab_cache"
	lab_lock packages
	lab_refresh
	lab_tools
	lab_unpack busybox-static "$lab_cache/busybox"
	case $1 in
	debug) lab_debug_kernel ;;
	*) lab_debian_kernel "$1" ;;
	esac
	exec {lab_lock_fd}>&-
}
