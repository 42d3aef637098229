#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Doorbells for each frame: how often the driver writes the tail of the transmit
# ring to the NIC (igb, TDT), on the stock path and on the module's. QEMU, which
# is the NIC, says each write to a register (trace event e1000e_core_write, which
# igb shares): an exact count.
#
#	bench/doorbell.sh [FRAMES]          16,384 by default; one boot, a minute
#
# Prints "row path=NAME pace=PACE frames=N device=N doorbells=N per_frame=X"; device
# is the interface's own count. Paced: kicks of at most 128 frames, and a pause in
# which the NIC's ring of 256 empties. Full: kicks of up to 512, so that the driver's
# ring fills and cuts batches short.
# Exit: 0, 1 when the stock path did not ring once for each frame, or the module's
# default rang more than once for 16 frames and once for 128, its partial batches.
# Needs what tests/vm/lab.sh needs; BUILD says where the programs are.

# shellcheck source=bench/guest.sh
. "$(dirname "$0")/guest.sh"
frames=${1:-16384}
[[ $frames =~ ^[1-9][0-9]*$ ]] || {
	sed -n '/^#	bench/s/^#//p' "$0" >&2
	exit 2
}

# Register TDT of queues 0 and 1. A frame on queue 1 marks the end of a row.
tail_0=0xe018 tail_1=0xe058

guest_script() {
	cat "$lab_here/guest/lib.sh"
	echo "frames=$frames"
	cat <<-'GUEST'
		insmod /modules/dxmit.ko
		up igb0
		row() { # NAME PACE WORD…
			local before name=$1 pace=$2
			shift 2
			before=$(sent igb0)
			direct_run igb0 "$frames" plain "$@"
			usleep 300000
			echo "path=$name pace=$pace frames=$(($(said submitted) - $(said lost)))" \
				"device=$(($(sent igb0) - before))"
			direct_run igb0 1 plain stock queue=1
		}
		both() { # PACE WORD…
			row stock "$@" stock
			row direct-1 "$@" batch=1
			row direct "$@"
			row direct-64 "$@" batch=64
		}
		direct_run igb0 1 plain stock queue=1
		both paced ring=128 gap_us=2000
		both full
	GUEST
}

# The tail's writes between marks, a line for each row. Opening the interface writes
# a tail of 0, which is no mark.
doorbells() {
	sed -n 's/.*e1000e_core_write Write to register \(0x[0-9a-f]*\),.*value: /\1 /p' "$lab/trace" |
		awk -v mine="$tail_0" -v mark="$tail_1" '
			$1 == mark && $2 != "0x0" { if (marks++) print count; count = 0 }
			marks && $1 == mine { count++ }'
}

verdict() {
	awk '{
		sub(/.*path=/, "path=")
		split($1, path, "="); split($3, frames, "="); split($4, device, "=")
		split($5, doorbells, "=")
		rows++
		wrong += frames[2] != device[2]
		if (path[2] == "stock") wrong += doorbells[2] != frames[2]
		if (path[2] == "direct") wrong += doorbells[2] > frames[2] / 16 + frames[2] / 128 + 1
	}
	END { exit rows != 8 || wrong }'
}

lab_kernel 6.12
lab_drivers=(igb)
lab_cpus=2
lab_nic igb 1 4
lab_devices+=(-trace enable=e1000e_core_write -D "$lab/trace")
guest_script >"$lab/script"
lab_guest "$lab/script" "$BUILD/tests/direct" "$(command -v ip)"
lab_boot 300 || lab_fail "the guest did not reach its end" "$lab/console"
bench_machine
doorbells | paste -d ' ' "$lab/results" - |
	awk '{ n = $NF; split($3, frames, "="); $NF = "doorbells=" n
		printf "row %s per_frame=%.4f\n", $0, n / frames[2] }' >"$lab/rows"
cat "$lab/rows"
verdict <"$lab/rows" || lab_fail "not the doorbells that were to be expected"
