#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards sizes of frames, rings and batches: what is legal works down to the
# smallest, what is not is refused by name before anything else happens.
. "$(dirname "$0")/lib.sh"

# A usage error that names the option and what is legal. The interface does
# not exist and that is not what it complains about: nothing was looked at.
refused() { # OPTION VALUE LEGAL-REGEX
	dxmit tx -i nosuch -n 10 "$1" "$2"
	is "$status" 2 "$dxmit_said: exit code"
	one_error "$1" "; use .*$3"
	is "$stdout" "" "$dxmit_said: stdout"
}

# Runs, arrives, and the report says the sizes.
sends() { # COUNT FILTER=VALUE… -- OPTIONS…
	local count=$1 expected=()
	shift
	while [ "$1" != -- ]; do
		expected+=("$1")
		shift
	done
	shift
	all_arrive "$count" -q 0 "$@"
	for pair in "${expected[@]}"; do
		is "$(json ".queues[0].${pair%%=*}")" "${pair#*=}" "$dxmit_said: ${pair%%=*}"
	done
}

case_C6_frame_sizes_that_are_refused() {
	local value
	for value in 0 1 14 512 1024 2047 2049 3000 4095 4097 8192 65536 4294967296 \
		4294969344 18446744073709553664 -1 -2048 2.5k 2kk abc '' ' 2048' 0x800 2e3; do
		refused --frame-size "$value" '2048 \(2k\) or 4096 \(4k\)'
	done
}

# bytes: the frames alone, no headroom on top.
case_C6_frame_sizes_that_work() {
	veth 1
	sends 5000 frame_size=2048 bytes=32768 -- --frame-size 2048
	sends 5000 frame_size=2048 bytes=32768 -- --frame-size 2k
	sends 5000 frame_size=4096 bytes=32768 -- --frame-size 4096
	sends 5000 frame_size=4096 bytes=32768 -- --frame-size 4K
}

case_C6_the_longest_frame_fills_the_chunk() {
	veth 1 4082
	sends 5000 frame_size=4096 -- --frame-size 4096 -s 4100
	is "$(rx .min_length)" 4096 "bytes at the far end"
	sends 5000 frame_size=2048 -- -s 2052
	is "$(rx .min_length)" 2048 "bytes at the far end"
	sends 5000 frame_size=4096 segments=1 -- -s 2053
	is "$(rx .min_length)" 2049 "bytes at the far end"
	sends 5000 frame_size=2048 segments=2 -- -s 2053 --frame-size 2048
	is "$(rx .min_length)" 2049 "bytes at the far end"
}

case_C7_rings_that_are_refused() {
	local value
	for value in 0 3 5 31 33 1000 2097152 4194304 2147483648 4294967295 4294967296 \
		4294967297 18446744073709551616 -1 -2 1.5 abc '' 0x40; do
		refused --ring "$value" "a power of two from 1 to 1048576"
	done
}

case_C7_batches_that_are_refused() {
	local value
	veth 1
	for value in 0 -1 4294967296 18446744073709551617 abc ''; do
		refused -b "$value" "from 1 to 1048576"
	done
	for value in 513 100000; do
		refused -b "$value" "at most 512"
	done
	dxmit tx -i va -n 10 --ring 64 -b 65
	is "$status" 2 "$dxmit_said: exit code"
	one_error -b "more than the 64 of --ring; use at most 64"
	dxmit tx -i va -n 10 --ring 64 --frames 16 -b 32
	is "$status" 2 "$dxmit_said: exit code"
	one_error -b "more than the 16 of --frames; use at most 16"
	is "$(counter va tx_packets)" 0 "frames sent"
}

case_C7_frames_and_completion_rings_that_are_refused() {
	local value
	for value in 0 -1 4294967296 abc; do
		refused --frames "$value" "from 1 to"
		refused --completion-ring "$value" "from 1 to"
	done
	# Half of what there are frames: completions could be lost.
	dxmit tx -i nosuch -n 10 --ring 256 --completion-ring 128
	is "$status" 2 "$dxmit_said: exit code"
	one_error --completion-ring "128 cannot take .* 256 frames; .*--frames 128"
	dxmit tx -i nosuch -n 10 --frames 4096 --completion-ring 2048
	is "$status" 2 "$dxmit_said: exit code"
	one_error --completion-ring "2048 cannot take .* 4096 frames"
	dxmit tx -i nosuch -n 10 --completion-ring 3000
	is "$status" 2 "$dxmit_said: exit code"
	one_error --completion-ring "not a power of two"
}

# Smaller than a kernel budget, than the default batch, than anything.
case_C7_small_rings() {
	local ring kick
	veth 1
	for ring in 1 2 4 16 32; do
		for kick in sendto poll; do
			sends 3001 ring="$ring" frames="$ring" completion_ring="$ring" -- \
				--ring "$ring" --kick "$kick"
		done
	done
}

case_C7_fewer_frames_than_the_ring() {
	local frames
	veth 1
	for frames in 1 3 31 100; do
		sends 3001 ring=128 frames="$frames" -- --ring 128 --frames "$frames"
	done
	sends 3001 ring=512 frames=1 completion_ring=1 -- --frames 1 -b 1
	sends 3001 ring=256 frames=128 completion_ring=128 -- --ring 256 --frames 128 \
		--completion-ring 128
}

case_C7_more_frames_than_the_ring() {
	veth 1
	sends 30001 ring=16 frames=1000 completion_ring=1024 -- --ring 16 --frames 1000
	sends 30001 ring=1 frames=3 completion_ring=4 -- --ring 1 --frames 3
	sends 30001 ring=64 frames=65 completion_ring=4096 -- --ring 64 --frames 65 \
		--completion-ring 4096
}

case_C7_the_largest_ring() {
	veth 1
	sends 5000 ring=1048576 frames=64 -- --ring 1048576 --frames 64
}

case_C7_batches() {
	local batch
	veth 1
	for batch in 1 3 512; do
		sends 5001 ring=512 -- -b "$batch"
	done
	sends 5001 ring=64 -- --ring 64 -b 64
}

run_cases "$@"
