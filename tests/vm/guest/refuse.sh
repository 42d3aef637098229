# shellcheck shell=dash disable=SC2154 # set in lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What the module must refuse.

case_refusals() {
	veth
	ip link add na numtxqueues 1 numrxqueues 2 type veth peer name nb numtxqueues 2 \
		numrxqueues 1
	ip link set na arp off up
	ip link set nb arp off up
	ip tuntap add dev point mode tun
	ip link set point up
	refusals va na point >/tmp/refusals 2>&1
	is $? 0 "refusals"
	while read -r name err refusal since; do
		[ -z "$since" ] || kernel_is_at_least ${since%.*} ${since#*.} || {
			is "$(grep "^$name " /tmp/refusals)" "$name not had" "before $since"
			continue
		}
		is "$(grep "^$name " /tmp/refusals)" "$name $err $refusal" "errno and reason"
	done <<-'WANTED'
		bad_descriptor 9 0
		no_socket 88 1
		udp 91 1
		unbound 6 2
		rx_ring 95 4
		multi_buffer 95 6 6.6
		metadata 95 7 6.8
		shared 16 8
		device 95 10
		queue 34 11
		busy_poll 95 12
		unknown_flag 22 0
		batch_65 22 0
		budget 22 0
		reserved 22 0
		detach_flags 22 0
		detach_none 2 0
		stats_reserved 22 0
		list_reserved 22 0
		unknown_request 25 0
		first 0 0
		second 114 13
		list 0 1
		share_queue 22 0
		share_queue_own_rings 16 0
		still_attached 1 0
		share_65535 0 0
		sent_back 0 1
		user_namespace 1 14
		privileged 0 0
		detach_other 1 0
		stats_other 1 0
		list_other 0 0
		stats_own 0 0
		detach_own 0 0
		unprivileged 1 14
	WANTED
	[ "$failed" = 0 ] || note "$(cat /tmp/refusals)"
	ip link del na
	ip link del point
	no_veth
}
