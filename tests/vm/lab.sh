# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# A guest to load the module in: Debian's newest 6.12 kernel in QEMU, with an
# initramfs of busybox, the programs of the test and the modules they need.
#
#	lab_prepare                    fetch, build; exit 77 where that cannot be
#	lab_guest SCRIPT PROGRAM…      the initramfs, SCRIPT is what it runs
#	lab_boot SECONDS               boot it once; $lab/results, $lab/console
#
# Packages are kept outside the tree: DXMIT_VM_CACHE, by default dxmit-vm in
# XDG_CACHE_HOME or ~/.cache. They are unpacked there, not installed, from a
# source made of the machine's own Debian source by changing its suites. Only
# QEMU is installed, if there is none.

lab_series=6.12
lab=     # a directory of this run
kernel=  # where the kernel's packages are unpacked
version= # of the kernel
lab_cache=${DXMIT_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/dxmit-vm}
# In the order they are loaded; one that is built in is left out.
lab_modules=(veth dummy tun failover net_failover virtio virtio_ring
	virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_net)

lab_skip() { # REASON
	echo "1..0 # SKIP $*"
	exit 77
}

lab_fail() { # TEXT [LOG]
	echo "Bail out! $1"
	[ $# -lt 2 ] || tail -n 60 "$2" >&2
	exit 1
}

# ---- packages ----

lab_apt() { # COMMAND ARGUMENTS…
	local tool=$1
	shift
	"$tool" -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$lab_cache/apt" \
		-o Dir::State::lists="$lab_cache/lists" -o Dir::Cache="$lab_cache/apt-cache" \
		-o APT::Sandbox::User=root "$@"
}

# The first entry of the distribution proper, with backports. Both formats.
lab_source() {
	local codename file
	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	for file in /etc/apt/sources.list.d/*.sources; do
		[ -e "$file" ] || continue
		awk -v RS= -v name="$codename" '$0 ~ "Suites: *" name "( |\n)"' "$file" |
			sed "s/^Suites:.*/Suites: $codename $codename-backports/"
	done >"$lab_cache/apt/lab.sources"
	[ -s "$lab_cache/apt/lab.sources" ] && return
	rm -f "$lab_cache/apt/lab.sources"
	sed -nE "s/^(deb .*) $codename main.*/\1 $codename main\n\1 $codename-backports main/p" \
		/etc/apt/sources.list 2>/dev/null >"$lab_cache/apt/lab.list"
	[ -s "$lab_cache/apt/lab.list" ]
}

# Fetch a package once and unpack it into a directory of its own kernel.
lab_unpack() { # PACKAGE DIRECTORY
	local done=$2/.unpacked-$1
	[ ! -e "$done" ] || return 0
	mkdir -p "$2" "$lab_cache/packages"
	rm -f "$lab_cache/packages/$1"_*.deb
	(cd "$lab_cache/packages" && lab_apt apt-get download "$1") >"$lab_cache/log" 2>&1 &&
		dpkg -x "$lab_cache/packages/$1"_*.deb "$2" &&
		touch "$done"
}

# Sets $version: the newest, or with no way out to the archive what is here.
lab_version() {
	local names
	lab_apt apt-get update >"$lab_cache/log" 2>&1
	names=$(lab_apt apt-cache pkgnames "linux-image-$lab_series." 2>/dev/null)
	version=$(grep -E "^linux-image-$lab_series\.[0-9]+(\+deb[0-9]+)?-amd64$" <<<"$names" |
		sort -V | tail -n 1)
	version=${version#linux-image-}
}

lab_prepare() {
	local package
	[ "$(uname -m)" = x86_64 ] || lab_skip "the guest is for x86_64"
	command -v apt-get >/dev/null || lab_skip "the guest's kernel is a Debian package"
	mkdir -p "$lab_cache/apt" "$lab_cache/lists/partial" "$lab_cache/apt-cache" ||
		lab_skip "no room for packages in $lab_cache"
	lab_source || lab_skip "no Debian source on this machine"
	lab_version
	[ -n "$version" ] || lab_skip "no package linux-image-$lab_series.N-amd64"
	kernel=$lab_cache/$version
	for package in linux-image-"$version" linux-headers-"$version" \
		linux-headers-"${version%-amd64}"-common linux-kbuild-"${version%-amd64}"; do
		lab_unpack "$package" "$kernel" || lab_fail "$package: not fetched" "$lab_cache/log"
	done
	lab_unpack busybox-static "$lab_cache/busybox" ||
		lab_fail "busybox-static: not fetched" "$lab_cache/log"
	if ! command -v qemu-system-x86_64 >/dev/null; then
		DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends \
			qemu-system-x86 >"$lab_cache/log" 2>&1 ||
			lab_fail "qemu-system-x86: not installed" "$lab_cache/log"
	fi
	lab=$(mktemp -d) || exit 1
	trap 'rm -rf "$lab"' EXIT
	lab_module
}

# ---- the guest ----

# Built out of the tree, against the unpacked headers, with every warning.
lab_module() {
	local headers=$kernel/usr/src/linux-headers-$version
	cp -r "$(dirname "${BASH_SOURCE[0]}")/../../kmod" "$lab/kmod" || exit 1
	sed -i "s|/usr/src/linux-headers-|$kernel/usr/src/linux-headers-|" "$headers/Makefile"
	sed -i "s|$kernel$kernel|$kernel|" "$headers/Makefile"
	make -C "$lab/kmod" KDIR="$headers" W=1 >"$lab/build.log" 2>&1 ||
		lab_fail "the module does not build for $version" "$lab/build.log"
	! grep -A 5 'warning:' "$lab/build.log" >"$lab/warnings" ||
		lab_fail "the module builds with warnings for $version" "$lab/warnings"
}

lab_add_program() { # FILE: with its libraries
	local library
	cp -L "$1" "$lab/root/opt/" || lab_fail "$1: no such program"
	ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$lab/root$(dirname "$library")"
		cp -L "$library" "$lab/root$library"
	done
}

lab_add_module() { # NAME
	local file
	file=$(find "$kernel/lib/modules" "$kernel/usr/lib/modules" -name "$1.ko*" 2>/dev/null |
		head -n 1)
	case $file in
	*.xz) xz -dc "$file" >"$lab/root/modules/$1.ko" ;;
	*.ko) cp "$file" "$lab/root/modules/" ;;
	esac
	echo "$1" >>"$lab/root/modules/order"
}

lab_init() {
	cat <<-'INIT'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/opt:/bin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		exec >/dev/ttyS1 2>&1
		stty -opost 2>/dev/null
		for module in $(cat /modules/order); do
			[ ! -e "/modules/$module.ko" ] || insmod "/modules/$module.ko"
		done
		echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
		echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
		/opt/ip link set lo up
		echo "== begin"
		sh /script
		echo "== log"
		dmesg
		echo "== end"
		sync
		poweroff -f
	INIT
}

lab_guest() { # SCRIPT PROGRAM…
	local name script=$1
	shift
	mkdir -p "$lab"/root/{bin,dev,proc,sys,opt,modules,tmp,run}
	cp "$(find "$lab_cache/busybox" -path '*/bin/busybox' -type f)" "$lab/root/bin/" ||
		lab_fail "no busybox"
	for name; do
		lab_add_program "$name"
	done
	for name in "${lab_modules[@]}"; do
		lab_add_module "$name"
	done
	cp "$lab/kmod/dxmit.ko" "$lab/root/modules/"
	cp "$script" "$lab/root/script"
	lab_init >"$lab/root/init"
	chmod +x "$lab/root/init"
	(cd "$lab/root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$lab/initrd"
}

# Overruns and uses after free show in the log: slub_debug. The hubs of eth0 and eth1
# have no other port, so that these keep their frames for ever; eth2 sends.
lab_boot() { # SECONDS
	timeout -k 5 "$1" qemu-system-x86_64 -machine q35,accel=tcg -cpu max -smp 2 -m 1024 \
		-display none -no-reboot -monitor none -serial "file:$lab/console" \
		-serial "file:$lab/serial" -netdev hubport,id=n0,hubid=0 \
		-device virtio-net-pci,netdev=n0 -netdev hubport,id=n1,hubid=1 \
		-device virtio-net-pci,netdev=n1 -netdev user,id=n2,restrict=on \
		-device virtio-net-pci,netdev=n2 -kernel "$kernel/boot/vmlinuz-$version" \
		-initrd "$lab/initrd" -append "console=ttyS0 panic=-1 slub_debug=FZU" \
		</dev/null >"$lab/qemu" 2>&1
	tr -d '\r' <"$lab/serial" >"$lab/text"
	sed -i 's/\r//g' "$lab/console"
	sed -n '/^== begin$/,/^== log$/p' "$lab/text" | sed '/^== /d' >"$lab/results"
	sed -n '/^== log$/,/^== end$/p' "$lab/text" | sed '/^== /d' >"$lab/log"
	if ! grep -qx '== end' "$lab/text"; then
		cat "$lab/qemu" >>"$lab/console"
		tail -n 5 "$lab/text" >>"$lab/console"
		return 1
	fi
}

# What a test must not make the kernel say.
lab_complaints() {
	grep -hE -e 'BUG|WARNING:|Oops|general protection|rcu.*stall|lockdep|hung task' \
		-e 'blocked for more than|unregister_netdevice: waiting' "$lab/log" "$lab/console" |
		sort -u | grep .
}
