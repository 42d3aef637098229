#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The recipes of recipes/, all in one boot of a guest: Debian's 6.12 kernel in QEMU
# with one CPU. By default with -icount, where guest time counts instructions and no
# load of the host shows.
#
#	bench/recipes.sh [--kernel 6.12|7] [--plain] [RECIPE …]
#
# Two rounds are enough then. --plain leaves -icount out: seven rounds, and
# nanoseconds of an emulated CPU. A recipe may as well be
# started by itself, as root, where the machine's own kernel has what it needs; it
# then makes its network namespace, and nanoseconds are the machine's.
# Prints the recipes' rows and how long each took. Environment: BUILD. Needs what
# tests/vm/lab.sh needs, clang, and jq; nft is taken along where it is installed.

# shellcheck source=bench/guest.sh
. "$(dirname "$0")/guest.sh"
here=$(cd "$(dirname "$0")" && pwd)
kernel=6.12 rounds=2 seconds=0.1 clock=instructions options=("${bench_icount[@]}")
recipes=()

usage() {
	sed -n '/^#	bench/,/^#$/s/^#//p' "$0" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--kernel) kernel=${2:-} && shift ;;
	--plain) rounds=7 seconds=0.3 clock=ns options=() ;;
	-*) usage ;;
	*) recipes+=("$1") ;;
	esac
	shift
done
[ -n "$kernel" ] || usage
# What is left needs no kernel: compiler.sh is for the machine itself.
[ ${#recipes[@]} -gt 0 ] ||
	recipes=(egress_hook ingress_drop forwarding receive_copy skip_validation)

guest_script() {
	echo "recipes='${recipes[*]}'"
	echo "export RECIPE_ROUNDS=$rounds RECIPE_SECONDS=$seconds RECIPE_CLOCK=$clock"
	echo "export RECIPE_RUNS=1"
	cat <<-'GUEST'
		export DXMIT=/opt/dxmit BUILD=/opt RECIPE_OBJECTS=/recipes
		dmesg -n 1 # the console is slow, and pktgen tells of each frame that is refused
		insmod /modules/dxmit.ko
		for name in $recipes; do
			began=$(cut -d. -f1 /proc/uptime)
			sh /recipes/$name.sh 2>&1
			echo "recipe=$name seconds=$(($(cut -d. -f1 /proc/uptime) - began))"
		done
	GUEST
}

programs() { # those the machine has
	local name
	for name in ip tc jq nft; do
		command -v "$name"
	done
}

lab_kernel "$kernel"
lab_drivers=(dummy veth ifb pktgen sch_ingress cls_bpf act_bpf cls_u32 cls_matchall act_gact
	nf_tables)
mkdir -p "$lab/root/recipes"
cp "$here"/recipes/*.sh "$BUILD/bench/udp_reader" "$lab/root/recipes/" || exit 1
for source in "$here"/recipes/*.bpf.c; do
	clang -O2 -g -target bpf -I"/usr/include/$(uname -m)-linux-gnu" -c "$source" \
		-o "$lab/root/recipes/$(basename "$source" .c).o" || exit 1
done
guest_script >"$lab/script"
mapfile -t found < <(programs)
lab_guest "$lab/script" "$BUILD/app/dxmit" "${found[@]}"
bench_machine
bench_boot 1800 "${options[@]}" | tee "$lab/rows" || exit 1
! grep -q '^failed' "$lab/rows"
