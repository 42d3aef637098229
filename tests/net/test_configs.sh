#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the recipes in configs/: each one runs, sends what it says and is told
# to, is the same after --dump-config, and explains itself. A file there without
# a case here is a failure.
. "$(dirname "$0")/lib.sh"

configs=$root_dir/configs

# What is in effect, without the defaults.
settings() { # OPTIONS…
	dxmit tx "$@" --dump-config
	grep -v '^#' "$work/stdout"
}

recipe() { # NAME COUNT OVERRIDES…
	local file=$configs/$1.yaml name=$1 count=$2 key first
	shift 2
	dxmit plan --config "$file" --sandbox=2
	is "$status" 0 "$dxmit_said: exit code"
	no_error
	# Once more from what was in effect; each key of the file is in it.
	first=$(settings --config "$file")
	for key in $(sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' "$file"); do
		like "$first" "(^|"$'\n'")$key:" "$name: $key is in effect"
	done
	echo "$first" >"$work/again.yaml"
	is "$(settings --config "$work/again.yaml")" "$first" "$name: what was dumped says the same"
	dxmit tx --config "$file" --sandbox=2 -n "$count" --interval 0 \
		--json "$report" "$@"
	sent_exactly "$count"
	no_error
}

case_one_queue_runs() {
	recipe one_queue 1000
	is "$(json '[.queues[] | select(.packets > 0).queue] | tojson')" '[0]' "queues that sent"
}

case_all_queues_numa_runs() {
	recipe all_queues_numa 1000
	is "$(json '[.queues[].packets] | tojson')" '[500,500]' "packets of each queue"
}

# 7 frames of 60 bytes, 4 of 590 and 1 of 1514 without FCS, a hundred times.
case_imix_runs() {
	recipe imix 1200
	is "$(json .device.tx_bytes)" $((100 * (7 * 60 + 4 * 590 + 1514))) "bytes of the mix"
}

case_loss_check_runs() {
	recipe loss_check 1000
	within "$(json .total.seconds)" 0.09 20 "seconds at 10 kpps"
}

case_flows_1m_runs() { recipe flows_1m 100000 --rate max; }

# 206 bytes of each frame are what the tunnel carries.
case_vxlan_runs() {
	recipe vxlan 1000
	is "$(json .device.tx_bytes)" 252000 "bytes of the tunnel's frames"
}

case_replay_runs() {
	"$BUILD/tests/replayed" make "$work/capture.pcap" 250 10 10 || bail "no capture"
	recipe replay 1000 --replay "$work/capture.pcap"
	is "$(json '[.replay | .records, .bad, .loops] | tojson')" "[250,0,4]" "records, bad, loops"
}

# The first second of the ramp has 5158 frames.
case_ramp_runs() {
	recipe ramp 5000
	within "$(json .total.seconds)" 0.9 20 "seconds of the ramp"
}

case_bursts_runs() {
	recipe bursts 640
	within "$(json .total.seconds)" 0.085 20 "seconds of ten bursts"
}

case_streams_runs() {
	recipe streams 1000
	is "$(json '[.streams[] | [.name, .packets]] | tojson')" \
		'[["voice",600],["video",250],["bulk",150]]' "packets of each stream"
}

case_every_file_is_a_recipe() {
	local file
	within "$(find "$configs" -type f | wc -l)" 8 40 "recipes"
	is "$(find "$configs" -mindepth 1 ! -name '[a-z]*.yaml')" "" "files that are no recipe"
	for file in "$configs"/*.yaml; do
		name=$(basename "$file")
		like "$(head -n 1 "$file")" '^# .{20,}[.?]$' "$name says what it is for"
		like "$(cat "$file")" $'\n#\tdxmit tx --config configs/'"$name" "$name says how to run it"
		check "$name is in the README" grep -qF "configs/$name" "$root_dir/README.md"
		check "$name has a case here" declare -F "case_${name%.yaml}_runs"
		done
}

run_cases "$@"
