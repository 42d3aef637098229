# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Placement on a machine of two nodes, CPUs 0 and 1, 2 and 3, with igb0 on node 1:
# what the command says of it, and what the kernel does.

case_the_machine_has_two_nodes() {
	is "$(cat /sys/devices/system/node/node0/cpulist)" 0-1 "CPUs of node 0"
	is "$(cat /sys/devices/system/node/node1/cpulist)" 2-3 "CPUs of node 1"
	is "$(cat /sys/class/net/igb0/device/numa_node)" 1 "node of igb0"
	ethtool -L igb0 combined 2
	far_nic igb1
	up igb0 igb1
}

case_the_plan_is_on_the_node_of_the_nic() {
	dxmit plan -i igb0 --json /tmp/plan >/tmp/out 2>&1
	is $? 0 "$(cat /tmp/out)"
	is "$(jq -r '[.interface.node, .plan.nic_node] | join(" ")' /tmp/plan)" "1 1" "NIC"
	is "$(jq -r '[.plan.queues[] | .queue, .cpu, .node, .memory_node, .remote] |
		join(" ")' /tmp/plan)" "0 2 1 1 false 1 3 1 1 false" "queues"
}

# One line a thread that is bound to one CPU.
bound_cpus() { # PID
	cat "/proc/$1"/task/*/status 2>/dev/null |
		sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\)$/\1/p' | sort | tr '\n' ' '
}

# Node and pages of the memory for which a node was asked.
pages_of() { # PID
	awk '$2 ~ /^prefer/ {
		for (i = 3; i <= NF; i++)
			if ($i ~ /^N[0-9]+=/) {
				split(substr($i, 2), part, "=")
				pages[part[1]] += part[2]
			}
	}
	END { for (node in pages) print node, pages[node] }' "/proc/$1/numa_maps"
}

# The kernel's view, while it sends; then the far end's; then its own.
placed() { # NODE CPUS WORDS…
	local node=$1 cpus=$2 turn=0 before pid
	shift 2
	before=$(sent igb0)
	listen /tmp/receiver receiver igb1 --count 4000 --time 60
	dxmit tx -i igb0 -n 4000 --rate 1kpps --stamp --interval 0 --json /tmp/tx "$@" \
		>/tmp/out 2>/tmp/err &
	pid=$!
	until [ $(($(sent igb0) - before)) -ge 500 ] || [ $turn = 200 ]; do
		usleep 100000
		turn=$((turn + 1))
	done
	is "$(bound_cpus $pid)" "$cpus " "$*: CPUs of the threads"
	pages=$(pages_of $pid)
	wait $pid
	is $? 0 "$*: exit code; $(cat /tmp/err)"
	wait $listener
	is "$(received '.frames, .missing, .duplicates, .out_of_order')" "4000 0 0 0" "$*: far end"
	is "$pages" "$node $(jq '[.queues[].pages] | add' /tmp/tx)" "$*: node and pages"
	is "$(jq -r '[.queues[] | .queue, .cpu_seen, .cpu_other, .cpu_node_seen, .node,
		.pages_on_node == .pages, .pages_verified, .placement_verified] | join(" ")' /tmp/tx)" \
		"$(set -- $cpus; echo "0 $1 0 $node $node true true true 1 $2 0 $node $node true true true")" \
		"$*: as reported"
}

case_copy_mode_runs_on_the_node_of_the_nic() {
	placed 1 "2 3" --path kernel
}

case_the_direct_path_runs_on_the_node_of_the_nic() {
	placed 1 "2 3" --path direct
	is "$(jq -r '[.queues[].path] | join(" ")' /tmp/tx)" "direct direct" "path"
}

case_zerocopy_runs_on_the_node_of_the_nic() {
	placed 1 "2 3" -z
	is "$(jq -r '[.queues[].mode] | join(" ")' /tmp/tx)" "zero-copy zero-copy" "mode"
}

case_another_node_is_used_when_asked_for() {
	placed 0 "0 1" --numa 0
	is "$(jq -r '[.plan.queues[].remote] | join(" ")' /tmp/tx)" "true true" "remote"
}
