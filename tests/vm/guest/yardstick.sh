# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The yardsticks where only guests can have them. Sockets: on an old kernel and a
# NIC. The kernel's pktgen, whose module is here: each way sends exactly as many
# frames as asked, of the right length and flow, by the device's count; nothing is
# left in /proc/net/pktgen, however it ends; what is somebody else's stays.

pktgen_pair() {
	ip link add va numtxqueues 2 numrxqueues 2 type veth peer name vb numtxqueues 2 \
		numrxqueues 2
	up va vb
}

# Run one and keep what it says in /tmp/yardstick and /tmp/yardstick.err.
yardstick_run() { # KIND OPTION…
	/opt/yardstick "$@" >/tmp/yardstick 2>/tmp/yardstick.err
	yardstick_code=$?
}

yardstick_said() { # EXPRESSION
	jq -c "$1" /tmp/yardstick
}

# All devices of the kernel's threads.
pktgen_devices() {
	ls /proc/net/pktgen | grep -v -e '^pgctrl$' -e '^kpktgend_' | xargs
}

# Some drivers refresh their counters every other second.
comes_to() { # COUNT INTERFACE COUNTER: what it comes to within 5 s
	local turn=0
	until [ "$(cat "/sys/class/net/$2/statistics/$3")" -ge "$1" ] || [ $turn = 50 ]; do
		usleep 100000
		turn=$((turn + 1))
	done
	cat "/sys/class/net/$2/statistics/$3"
}

# The run was without fault, and the device has exactly that many more.
pktgen_sends() { # KIND INTERFACE COUNT COUNTER OPTION…
	local kind=$1 name=$2 count=$3 counter=$4 before
	shift 4
	before=$(cat "/sys/class/net/$name/statistics/$counter")
	yardstick_run "$kind" -i "$name" -n "$count" "$@"
	is "$yardstick_code" 0 "$kind on $name: exit code"
	is "$(cat /tmp/yardstick.err)" "" "$kind on $name: stderr"
	is "$(yardstick_said '[.total.packets, .total.lost, .total.kicks,
		([.queues[].packets] | add), .queues[0].mode, .queues[0].path]')" \
		"[$count,0,null,$count,\"$kind\",\"kernel\"]" "$kind on $name: report"
	is "$(comes_to $((before + count)) "$name" "$counter")" $((before + count)) \
		"$kind on $name: $counter"
	is "$(pktgen_devices)" "" "$kind on $name: devices left"
}

pktgen_refused() { # KIND TEXT OPTION…
	local kind=$1 text=$2
	shift 2
	yardstick_run "$kind" "$@"
	is "$yardstick_code" 2 "$kind $*: exit code"
	is "$(wc -l </tmp/yardstick.err)" 1 "$kind $*: lines on stderr"
	is "$(grep -c "$text" /tmp/yardstick.err)" 1 "$kind $*: $(cat /tmp/yardstick.err)"
	is "$(cat /tmp/yardstick)" "" "$kind $*: no result"
	is "$(pktgen_devices)" "${pktgen_theirs:-}" "$kind $*: devices left"
}

case_sockets_on_igb() {
	local kind size before packets
	far_nic igb1
	up igb0 igb1
	# QEMU's igb makes fragments of what it is to cut into datagrams.
	ethtool -K igb0 tx-udp-segmentation off
	ip addr add 198.18.0.1/32 dev igb0
	ip neigh replace 198.18.0.2 lladdr 02:00:00:00:00:02 dev igb0 nud permanent
	for kind in af_packet af_packet-bypass af_packet-ring udp udp-gso; do
		for size in 64 1518; do
			listen /tmp/tally tally igb1 1001
			before=$(sent igb0)
			yardstick_run $kind -i igb0 -q 0 -n 1001 -s $size
			wait "$listener"
			is "$yardstick_code $(yardstick_said '.total.packets + .total.lost')" \
				"0 1001" "$kind, $size: report"
			is "$(cat /tmp/yardstick.err)" "" "$kind, $size: stderr"
			# Past the queueing discipline nobody waits for a full NIC.
			packets=$(yardstick_said .total.packets)
			[ $kind = af_packet-bypass ] || is "$packets" 1001 "$kind, $size: packets"
			is "$(grep -v '^ready' /tmp/tally |
				jq -c '[.frames, .bad_checksum, .flows, .lengths]')" \
				"[$packets,0,1,{\"$((size - 4))\":$packets}]" "$kind, $size: far end"
			is "$(comes_to $((before + packets)) igb0 tx_packets)" \
				$((before + packets)) "$kind, $size: tx_packets"
		done
	done
	ip addr flush dev igb0
	down igb0 igb1
}

case_pktgen_on_veth() {
	local kind size before
	pktgen_pair
	for kind in pktgen pktgen-queue; do
		for size in 64 1518; do
			listen /tmp/tally tally vb 501
			before=$(sent va)
			pktgen_sends $kind va 501 tx_packets -s $size --dscp 46 --src-port 77
			wait "$listener"
			is "$(grep -v '^ready' /tmp/tally | jq -c '[.frames, .foreign, .flows, .lengths]')" \
				"[501,0,1,{\"$((size - 4))\":501}]" "$kind, $size: far end"
			is "$(yardstick_said '[.queues[].packets]')" "[251,250]" \
				"$kind, $size: queues"
		done
		pktgen_sends $kind va 1 tx_packets
		pktgen_sends $kind va 0 tx_packets -q 0
	done
	# A veth takes no packet twice, and received ones are in no counter of it.
	pktgen_refused pktgen-clone IFF_TX_SKB_SHARING -i va -n 1000
	yardstick_run pktgen-rx -i va -n 1000
	is "$yardstick_code $(yardstick_said '[.total.packets, .total.lost]')" "0 [1000,0]" \
		"pktgen-rx: report"
	no_veth
}

case_pktgen_on_dummy_and_igb() {
	local kind name
	ip link add d0 numtxqueues 2 type dummy
	up d0
	for kind in pktgen pktgen-clone pktgen-queue; do
		pktgen_sends $kind d0 5000 tx_packets
	done
	ip link del d0
	far_nic igb1
	up igb0 igb1
	for kind in pktgen pktgen-clone pktgen-queue; do
		pktgen_sends $kind igb0 1001 tx_packets -q 0
	done
	down igb0 igb1
}

case_pktgen_refuses() {
	pktgen_pair
	pktgen_refused pktgen 'one length' -i va -n 1 -s imix
	pktgen_refused pktgen 'IPv4' -i va -n 1 --frame eth/vlan/ip4/udp
	pktgen_refused pktgen 'its own' -i va -n 1 --stamp
	pktgen_refused pktgen 'its own' -i va -n 1 --payload count
	pktgen_refused pktgen 'packet to packet' -i va -n 1 --flows 5
	# Somebody else's device stays.
	echo 'add_device vb@9' >/proc/net/pktgen/kpktgend_0
	pktgen_theirs=vb@9
	pktgen_refused pktgen 'somebody else' -i va -n 1
	pktgen_theirs=
	/opt/yardstick clean pktgen -i va
	is "$(pktgen_devices)" vb@9 "somebody else's device"
	echo rem_device_all >/proc/net/pktgen/kpktgend_0
	/opt/setpriv --reuid=1000 --clear-groups --inh-caps=-all /opt/yardstick pktgen -i va -n 1 \
		>/tmp/yardstick 2>/tmp/yardstick.err
	is $? 2 "an ordinary user: exit code"
	is "$(grep -c 'run as root' /tmp/yardstick.err)" 1 "$(cat /tmp/yardstick.err)"
	no_veth
}

# A network of its own has threads of its own, too.
case_pktgen_in_the_sandbox() {
	yardstick_run pktgen --sandbox=2 -n 5001
	is "$yardstick_code $(yardstick_said '[.queues[] | .packets, .lost]')" \
		"0 [2501,0,2500,0]" "report"
	is "$(yardstick_said '.total.cpu_system_seconds > 0')" true "CPU time of the kernel's threads"
	is "$(pktgen_devices)" "" "devices left outside"
}

# Start one without end and wait until it sends.
pktgen_starts() { # OPTION…
	local turn=0 before
	before=$(sent va)
	/opt/yardstick pktgen -i va "$@" >/tmp/yardstick 2>/tmp/yardstick.err &
	yardstick_pid=$!
	until [ "$(sent va)" -gt "$before" ] || [ $turn = 200 ]; do
		usleep 50000
		turn=$((turn + 1))
	done
}

case_pktgen_ends() {
	local before
	pktgen_pair
	before=$(sent va)
	pktgen_starts
	kill -TERM $yardstick_pid
	wait $yardstick_pid
	is $? 0 "SIGTERM: exit code"
	is "$(cat /tmp/yardstick.err)" "" "SIGTERM: stderr"
	is "$(yardstick_said .total.packets)" $(($(sent va) - before)) "SIGTERM: packets"
	is "$(pktgen_devices)" "" "SIGTERM: devices left"
	before=$(sent va)
	yardstick_run pktgen -i va -d 0.5
	is "$yardstick_code" 0 "duration: exit code"
	is "$(yardstick_said '.total.seconds >= 0.45')" true "duration: seconds"
	is "$(yardstick_said .total.packets)" $(($(sent va) - before)) "duration: packets"
	# Killed, it stops all the same; what is left is for the parent.
	pktgen_starts
	kill -KILL $yardstick_pid
	wait $yardstick_pid 2>/dev/null
	is "$(pktgen_devices | wc -w)" 2 "SIGKILL: devices left"
	/opt/yardstick clean pktgen -i va
	is "$(pktgen_devices)" "" "SIGKILL and clean: devices left"
	# Without a link it stops by itself.
	pktgen_starts
	ip link set vb down
	wait $yardstick_pid
	is $? 1 "no carrier: exit code"
	is "$(grep -c carrier /tmp/yardstick.err)" 1 "no carrier: $(cat /tmp/yardstick.err)"
	is "$(pktgen_devices)" "" "no carrier: devices left"
	no_veth
}
