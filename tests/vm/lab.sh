# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# A guest: an initramfs of busybox, the programs and scripts of a test and the
# modules they need, booted once in QEMU.
#
#	lab_kernel NAME                which kernel; exit 77 where that cannot be
#	lab_guest SCRIPT PROGRAM…      the initramfs, SCRIPT is what it runs
#	lab_boot SECONDS               boot it; $lab/results, $lab/console, and what the
#	                               script wrote to /dev/ttyS2 in $lab/kept
#	lab_complaints                 what the kernel's log had to say
#
# The guest's interfaces, named by lab_init:
#
#	virt0 - virt1, igb0 - igb1, e1000e0 - e1000e1     each pair on one wire
#	stall0, stall1, stall2                            virtio with no far end:
#	                                                  they keep their frames
# shellcheck source=tests/vm/kernels.sh
. "$(dirname "${BASH_SOURCE[0]}")/kernels.sh"

# With what they depend on; one that is built in is left out.
lab_drivers=(veth dummy tun macvlan virtio_pci virtio_net igb e1000e)
lab_memory=1024
lab_cpus=2
# To the kernel's command line. Overruns and uses after free show in the log;
# mitigations guard a guest from nobody and cost an eighth of its time (FZU, which
# keeps the stacks of each allocation, a third).
lab_append='slub_debug=FZ mitigations=off'
lab_settings=   # lines KEY=VALUE for the script
# What a test must not make the kernel say; the guest looks for it, too.
lab_unwanted='BUG|WARNING:|Oops|general protection|rcu.*stall|INFO: lockdep|hung task'
lab_unwanted+='|blocked for more than|unregister_netdevice: waiting|suspected memory leak'
lab_devices=()  # of QEMU; filled by lab_nics or lab_nics_on_two_nodes

lab_nic() { # MODEL HUB NUMBER [PROPERTIES]: its MAC address says which it is
	lab_devices+=(-netdev "hubport,hubid=$2,id=n$3"
		-device "$1,netdev=n$3,mac=52:54:00:00:00:0$3${4:+,$4}")
}

lab_nics() {
	lab_nic virtio-net-pci 1 0
	lab_nic virtio-net-pci 2 1
	# With fewer buffers than the sender is ever ahead QEMU reorders frames.
	lab_nic virtio-net-pci 3 2 rx_queue_size=1024
	lab_nic virtio-net-pci 3 3 rx_queue_size=1024
	# The virtual functions of an igb want addresses of their own: a port each.
	lab_devices+=(-device "pcie-root-port,id=p4,chassis=4" -device "pcie-root-port,id=p5,chassis=5")
	lab_nic igb 4 4 bus=p4
	lab_nic igb 4 5 bus=p5
	lab_nic e1000e 5 6
	lab_nic e1000e 5 7
	lab_nic virtio-net-pci 6 8
}

# Two nodes with two CPUs each, a socket of its own each. The first igb is on node 1.
lab_nics_on_two_nodes() {
	local node half=$((lab_memory / 2))
	lab_cpus=4,sockets=2
	for node in 0 1; do
		lab_devices+=(-object "memory-backend-ram,id=m$node,size=${half}M"
			-numa "node,nodeid=$node,cpus=$((2 * node))-$((2 * node + 1)),memdev=m$node")
	done
	lab_devices+=(-device "pxb-pcie,id=x1,bus_nr=64,numa_node=1,bus=pcie.0"
		-device "pcie-root-port,id=p4,bus=x1,chassis=4"
		-device "pcie-root-port,id=p5,bus=pcie.0,chassis=5")
	lab_nic igb 4 4 bus=p4
	lab_nic igb 4 5 bus=p5
}

lab_add_program() { # FILE: with its libraries
	local library
	cp -L "$1" "$lab/root/opt/" || lab_fail "$1: no such program"
	ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$lab/root$(dirname "$library")"
		cp -L "$library" "$lab/root$library"
	done
}

# A driver and what it depends on, in the order they are loaded.
lab_add_driver() { # NAME
	local verb file name
	while read -r verb file; do
		[ "$verb" = insmod ] || continue
		name=$(basename "$file")
		name=${name%%.ko*}
		[ ! -e "$lab/root/modules/$name.ko" ] || continue
		case $file in
		*.xz) xz -dc "$file" >"$lab/root/modules/$name.ko" ;;
		*) cp "$file" "$lab/root/modules/" ;;
		esac
		echo "$name" >>"$lab/root/modules/order"
	done < <(modprobe -C /dev/null -d "$modules" -S "$version" --show-depends "$1" 2>/dev/null)
}

lab_init() {
	cat <<-'INIT'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/opt:/bin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		mount -t debugfs debug /sys/kernel/debug
		mkdir -p /dev/shm
		mount -t tmpfs shm /dev/shm
		exec >/dev/ttyS1 2>&1
		stty -opost 2>/dev/null
		for module in $(cat /modules/order); do
			insmod "/modules/$module.ko"
		done
		echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
		echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
		name() { # LAST-DIGIT NAME
			for link in /sys/class/net/*; do
				[ "$(cat "$link/address")" != "52:54:00:00:00:0$1" ] ||
					/opt/ip link set "${link##*/}" name "$2"
			done
		}
		name 0 stall0
		name 1 stall1
		name 2 virt0
		name 3 virt1
		name 4 igb0
		name 5 igb1
		name 6 e1000e0
		name 7 e1000e1
		name 8 stall2
		/opt/ip link set lo up
		# A veth loses what its far end's CPU has no time for beyond this.
		echo 100000 >/proc/sys/net/core/netdev_max_backlog
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
	mkdir -p "$lab"/root/{bin,dev,proc,sys,opt,modules,tmp,run,etc}
	cp "$(find "$lab_cache/busybox" -path '*/bin/busybox' -type f)" "$lab/root/bin/" ||
		lab_fail "no busybox"
	for name; do
		lab_add_program "$name"
	done
	for name in "${lab_drivers[@]}"; do
		lab_add_driver "$name"
	done
	cp "$lab/kmod/dxmit.ko" "$lab/root/modules/"
	cp "$script" "$lab/root/script"
	printf '%s\n' "$lab_settings" "unwanted='$lab_unwanted'" >"$lab/root/settings"
	lab_init >"$lab/root/init"
	chmod +x "$lab/root/init"
	(cd "$lab/root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$lab/initrd"
}

lab_qemu() { # SECONDS
	timeout -k 5 "$1" qemu-system-x86_64 -machine q35,accel=tcg -cpu max -smp "$lab_cpus" \
		-m "$lab_memory" -display none -no-reboot -monitor none -nic none \
		-serial "file:$lab/console" -serial "file:$lab/serial" -serial "file:$lab/kept" \
		"${lab_devices[@]}" \
		-kernel "$image" -initrd "$lab/initrd" -append \
		"console=ttyS0 panic=-1 log_buf_len=4M $lab_append" \
		</dev/null >"$lab/qemu" 2>&1
}

# QEMU 10.0 can fail an assertion of its own (iotlb_to_section) while the guest sets
# up its devices: that says nothing of the guest, which is then started anew.
lab_boot() { # SECONDS
	local turn
	for turn in 1 2 3; do
		lab_qemu "$1"
		grep -q 'iotlb_to_section: Assertion' "$lab/qemu" &&
			! grep -q '^== begin' "$lab/serial" || break
		echo "# QEMU failed an assertion of its own, turn $turn"
	done
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

lab_complaints() {
	grep -hE "$lab_unwanted" "$lab/log" "$lab/console" | sort -u | grep .
}
