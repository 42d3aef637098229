#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 900
#
# Guards `dxmit compare`: every leg is run, listed or named as broken, the figures
# are the counters', what legs leave behind is undone, and the end is orderly,
# however it comes.
. "$(dirname "$0")/lib.sh"

LIMIT=120
quick=(--rounds 3 -d 0.1 --warm-up 0.02)
user=$((61000 + $$ % 3000))
dxmit_program=$DXMIT

progress='^(round [0-9]+ of|warming up:)'

# Wait until a comparison with -v has come to that round.
in_round() { # NUMBER
	local turn
	for turn in {1..1000}; do
		grep -q "^round $1 of" "$work/stderr" && return
		kill -0 "$dxmit_pid" 2>/dev/null || break
		sleep 0.02
	done
	bail "$dxmit_said never came to round $1 ($turn): $(cat "$work/stderr")"
}

# Nothing is wrong but, perhaps, the machine's other work.
only_noise() {
	is "$(grep -vE "never quiet|$progress" "$work/stderr")" "" "$dxmit_said: nothing on stderr"
}

# The one line besides.
error_line() { # OBJECT-REGEX TEXT-REGEX
	local lines
	lines=$(grep -vE ": warning: |$progress" "$work/stderr")
	is "$(wc -l <<<"$lines")" 1 "$dxmit_said: one error"
	like "$lines" "^dxmit: ($1): " "$dxmit_said: object"
	like "$lines" "$2" "$dxmit_said: message"
}

cell() { # LEG FILTER: of its first cell
	json "[.cells[] | select(.leg == \"$1\")][0] | $2"
}

# The leg was measured in that many rounds, and the books of each are in order.
measured() { # LEG ROUNDS
	is "$(cell "$1" '[.samples[].round] | join(" ")')" "$(seq -s' ' "$2")" "$1: rounds"
	is "$(cell "$1" '.unavailable, .failure' | xargs)" "null null" "$1: runs"
	is "$(cell "$1" '[.samples[] | select(.disturbed | not) | select(.packets <= 0 or .packets > .life_packets or
		.window_ns <= 0)] | length')" 0 "$1: packets in the window, and in all"
	is "$(cell "$1" '[.samples[] | select(.life_own != null and
		.life_own != .life_packets)] | length')" 0 "$1: its own count and the witness"
}

case_legs_of_every_kind_in_a_sandbox() {
	dxmit compare --sandbox --json "$report" "${quick[@]}" --legs \
		"copy,direct,direct-validate,zerocopy,af_packet,af_packet-bypass,af_packet-ring,udp,udp-gso,pktgen,pktgen-clone,pktgen-queue,pktgen-rx,self=exec:$DXMIT tx -i %i -q %q --cpus %c -s %s --interval 0"
	is "$status" 0 "exit code"
	only_noise
	local leg
	for leg in copy af_packet af_packet-bypass af_packet-ring udp udp-gso self; do
		measured "$leg" 3
		is "$(cell "$leg" .witness)" "far end" "$leg: witness"
	done
	is "$(cell copy '[.mode, .path] | join(" ")')" "copy kernel" "copy: obtained"
	is "$(cell af_packet '[.mode, .path] | join(" ")')" "af_packet kernel" \
		"af_packet: obtained"
	is "$(cell self .mode)" exec "exec: obtained"
	like "$(cell self .output)" "sent" "exec: what it wrote"
	like "$(cell zerocopy .unavailable)" "not supported" "zerocopy: why it does not run"
	is "$(cell zerocopy '.samples | length')" 0 "zerocopy: samples"
	# The others depend on the machine: measured or with a reason.
	is "$(json '[.cells[] | select(.unavailable == null and .failure == null and
		(.samples | length) != 3)] | length')" 0 "cells neither measured nor named"
	is "$(json '.cells | length')" 14 "cells"
	is "$(json '[.cells[].samples[] | .packets * 60 - .bytes] | unique | join(" ")')" 0 \
		"bytes without FCS"
	# Each round is one order of the legs that run.
	is "$(json '[.cells[].samples[] | {round, place}] | group_by(.round) |
		map([.[].place] | sort == [range(length)]) | unique | join(" ")')" true "places"
}

# What the device's own counters say of a veth, and that nobody else sends.
case_counts_on_a_veth() {
	veth 2
	dxmit compare -i va --json "$report" "${quick[@]}" --legs copy,af_packet-bypass -s 128
	is "$status" 0 "exit code"
	only_noise
	measured copy 3
	measured af_packet-bypass 3
	is "$(cell copy .witness)" "device tx_packets" "witness"
	is "$(json '[.cells[].samples[] | .packets * 124 - .bytes] | unique | join(" ")')" 0 \
		"bytes without FCS"
	within "$(json '[.cells[].samples[].life_packets] | add')" 1 \
		"$(counter vb rx_packets)" "all that was counted, and the far end"
}

case_a_device_that_sends_nothing() {
	sink hole 2
	dxmit compare -i hole --json "$report" "${quick[@]}" --legs copy,af_packet
	is "$status" 0 "exit code"
	only_noise
	measured copy 3
	measured af_packet 3
	is "$(cell copy .witness)" "device rx_packets" "witness"
}

case_as_an_ordinary_user() {
	mkdir -p "$work/bin"
	cp "$dxmit_program" "$work/bin/dxmit"
	local library
	library=$(ldd "$dxmit_program" | awk '/libdxmit/ { print $3 }')
	[ -z "$library" ] || cp "$library" "$work/bin/"
	chown -R "$user" "$work"
	setpriv --reuid=$user --regid=$user --clear-groups unshare -Urn true 2>/dev/null ||
		skip "no user namespaces for ordinary users"
	cat >"$work/as_user" <<-END
		#!/bin/sh
		exec setpriv --reuid=$user --regid=$user --clear-groups \
			env LD_LIBRARY_PATH=$work/bin $work/bin/dxmit "\$@"
	END
	chmod 755 "$work" "$work/as_user"
	DXMIT=$work/as_user
	dxmit compare --sandbox --json "$report" "${quick[@]}" --legs copy,af_packet,udp
	is "$status" 0 "exit code"
	only_noise
	measured copy 3
	measured af_packet 3
	measured udp 3
	# On an interface of somebody else it may not send at all.
	veth 1
	dxmit compare -i va --json "$report" "${quick[@]}" --legs copy,af_packet
	is "$status" 1 "exit code without the right"
	error_line copy "cannot run here, nor can any other leg: .*CAP_NET_RAW"
	like "$(cell af_packet .unavailable)" "CAP_NET_RAW|ermission|ermitted" \
		"the other leg's reason"
}

# ---- options ----

case_sweeps() {
	dxmit compare --sandbox=2 --json "$report" --rounds 1 -d 0.05 --warm-up 0 \
		--legs copy --sizes 64,256 --queues 1,2 --batches 32,128 --rings 64,256
	is "$status" 0 "exit code"
	is "$(json '.cells | length')" 16 "cells"
	is "$(json '[.cells[] | [.size, .queues, .batch, .ring] | join("/")] | unique | length')" \
		16 "settings"
	is "$(json '.cells[1] | [.size, .queues, .batch, .ring] | join("/")')" 64/1/32/256 \
		"the order of settings"
	# More than the ring takes is no reason to run none.
	is "$(json '[.cells[] | select(.unavailable != null) |
		[.batch, .ring] | join("/")] | unique | join(" ")')" 128/64 "cells that cannot run"
	like "$(json '[.cells[] | select(.batch == 128 and .ring == 64)][0].unavailable')" \
		"128 is more than the 64 of --ring" "why they cannot"
	is "$(json '[.cells[] | select(.unavailable == null and (.samples | length) != 1)] |
		length')" 0 "cells without a sample"
	is "$(json '[.cells[] | select(.size == 256) | .samples[] |
		.packets * 252 - .bytes] | unique | join(" ")')" 0 "bytes of the longer frames"
}

case_settings_of_legs() {
	dxmit compare --sandbox --json "$report" "${quick[@]}" \
		--legs copy:batch=64,small=copy:ring=64:batch=16,af_packet:batch=8
	is "$status" 0 "exit code"
	only_noise
	measured copy:batch=64 3
	measured small 3
	# A kick that was not answered at once moves less.
	within "$(cell small '[.samples[] | .packets / .kicks] | max')" 1 17 \
		"packets per kick of batch 16"
	within "$(cell copy:batch=64 '[.samples[] | .packets / .kicks] | max')" 17 65 \
		"packets per kick of batch 64"
	within "$(cell af_packet:batch=8 '[.samples[] | .packets / .kicks] | max')" 1 8.5 \
		"packets per call of batch 8"
}

case_the_same_seed_is_the_same_order() {
	local order
	dxmit compare --sandbox --json "$report" --rounds 4 -d 0.05 --warm-up 0 --seed 7 \
		--legs a=copy,b=copy,c=copy
	order=$(json '[.cells[].samples[].place] | join(" ")')
	dxmit compare --sandbox --json "$report" --rounds 4 -d 0.05 --warm-up 0 --seed 7 \
		--legs a=copy,b=copy,c=copy
	is "$(json '[.cells[].samples[].place] | join(" ")')" "$order" "places"
	is "$(json .method.seed | tr -d '"')" 7 "seed"
	dxmit compare --sandbox --json "$report" --rounds 4 -d 0.05 --warm-up 0 --seed 8 \
		--legs a=copy,b=copy,c=copy
	isnt "$(json '[.cells[].samples[].place] | join(" ")')" "$order" "places by another seed"
}

case_until_it_is_precise_or_late() {
	dxmit compare --sandbox --json "$report" --rounds 2 -d 0.05 --warm-up 0 \
		--until 99% --time-limit 60 --legs a=copy,b=copy
	is "$status" 0 "exit code"
	within "$(json .rounds)" 5 40 "rounds until 99 %"
	is "$(json .out_of_time)" false "out of time"
	dxmit compare --sandbox --json "$report" --rounds 2 -d 0.05 --warm-up 0 \
		--until 0.0001% --time-limit 3 --legs a=copy,b=copy
	is "$status" 0 "exit code"
	is "$(json .out_of_time)" true "out of time"
	within "$seconds" 3 10 "seconds of a time limit of 3"
}

case_every_output() {
	dxmit compare --sandbox "${quick[@]}" --legs copy,af_packet --json "$report" \
		--csv "$work/csv" --markdown "$work/md" --html "$work/html" --cool-down 0.01
	is "$status" 0 "exit code"
	is "$(json .schema)" dxmit-comparison "JSON"
	is "$(wc -l <"$work/csv")" 7 "lines of CSV"
	like "$(cat "$work/md")" '\| copy \|' "Markdown"
	like "$stdout" 'af_packet' "text"
	dxmit compare --sandbox "${quick[@]}" --legs copy --json -
	is "$(jq -r .schema <<<"$stdout")" dxmit-comparison "JSON on standard output"
	dxmit compare --sandbox "${quick[@]}" --legs copy --json /dev/full --csv "$work/csv" \
		--markdown "$work/md"
	is "$status" 1 "exit code of a full disk"
	error_line /dev/full "No space"
	is "$(wc -l <"$work/csv")" 4 "lines of CSV beside a full disk"
	like "$(cat "$work/md")" '\| copy \|' "Markdown beside a full disk"
	ln -s csv "$work/link"
	dxmit compare --sandbox "${quick[@]}" --legs copy --csv "$work/csv" --json "$work/link"
	is "$status" 2 "exit code of a file with two names"
	one_error "$work/(csv|link)" "is the same file as $work/(csv|link);"
}

case_progress_on_request() {
	dxmit compare --sandbox "${quick[@]}" --legs copy,af_packet -v
	is "$(grep -c '^round [1-3] of 3: ' "$work/stderr")" 6 "lines of progress"
	is "$(grep -c '^warming up: ' "$work/stderr")" 2 "lines of the warm-up"
}

case_what_cannot_be_is_refused() {
	veth 1
	dxmit compare -i va --queues 2
	is "$status" 2 "exit code"
	one_error --queues "2 are more than the 1 active"
	dxmit compare -i nosuch0
	one_error nosuch0
	dxmit compare --sandbox --cpus 4000
	is "$status" 2 "exit code"
	one_error cpus 4000
	ip addr add 198.18.0.1/24 dev va
	ip route add default via 198.18.0.2 dev va
	dxmit compare -i va "${quick[@]}" --legs copy
	is "$status" 2 "exit code"
	one_error va "default route.*--force"
	is "$(counter va tx_packets)" 0 "frames sent"
	dxmit compare -i va "${quick[@]}" --legs copy --force --json "$report"
	is "$status" 0 "exit code with --force"
	measured copy 3
	ip link set va down
	dxmit compare -i va "${quick[@]}" --legs copy --carrier-wait 0.1 --force
	is "$status" 1 "exit code of an interface that is down"
	one_error va "is down"
}

# ---- legs that fail ----

case_commands_that_fail() {
	veth 1
	LIMIT=180
	LEFT=$$ dxmit compare -i va --json "$report" "${quick[@]}" --carrier-wait 0 --legs \
		"copy,dies=exec:echo first; echo no device >&2; exit 3,silent=exec:sleep 1000,gone=exec:/no/such/sender"
	is "$status" 1 "exit code"
	error_line dies "ended with code 3 before it sent anything: no device"
	measured copy 3
	like "$(cell dies .failure)" "code 3" "a command that ends"
	like "$(cell silent .failure)" "nothing was seen to leave" "a command that never sends"
	like "$(cell gone .failure)" "code 127.*not found" "a command that is not there"
	is "$(marked_processes LEFT=$$)" "" "commands left"
}

# By its files the children of a command are found.
case_a_command_without_proc() {
	veth 1
	unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$dxmit_program" compare \
		-i va --json "$report" "${quick[@]}" --legs \
		"copy,daemon=exec:setsid sleep 1003 & exec $DXMIT tx -i va --interval 0" \
		>"$work/stdout" 2>"$work/stderr" </dev/null
	is $? 1 "exit code"
	is "$(pgrep -fx 'sleep 1003' | xargs)" "" "commands left"
	like "$(cell daemon .failure)" "/proc: is not there" "the reason"
	measured copy 3
}

# Some parents leave it so; then the kernel reaps every child itself.
case_the_end_of_children_is_ignored() {
	veth 1
	DXMIT=$(command -v env) dxmit --ignore-signal=CHLD "$dxmit_program" compare -i va \
		--json "$report" --html "$work/html" "${quick[@]}" --legs \
		"copy,self=exec:$DXMIT tx -i va --interval 0"
	is "$status" 0 "exit code"
	only_noise
	measured copy 3
	measured self 3
	like "$(cat "$work/html")" "<svg" "plots"
}

strace_compare() { # INJECTION
	DXMIT=$(command -v strace) dxmit -o /dev/null -e trace=memfd_create -e "inject=$1" \
		"$dxmit_program" compare -i va --json "$report" "${quick[@]}" \
		--legs copy,af_packet
}

# Two calls for each process: after the two of the warm-up one that fails once, and
# one that fails three times.
case_no_process_can_be_started() {
	command -v strace >/dev/null || skip "no strace"
	veth 1
	strace_compare memfd_create:error=ENFILE:when=5
	is "$status" 0 "exit code"
	measured copy 3
	measured af_packet 3
	strace_compare memfd_create:error=ENFILE:when=5..10
	is "$status" 1 "exit code"
	error_line 'copy|af_packet' "could not be started: Too many open files"
	is "$(json '[.cells[] | select(.failure == null) | .samples | length] | join(" ")')" 3 \
		"rounds of the other leg"
}

# It ignores every request to end, and so do its children, one of which has left
# the process group.
case_a_command_that_will_not_end() {
	veth 1
	cat >"$work/stubborn" <<-END
		#!/bin/bash
		trap '' INT TERM HUP
		setsid sleep 1001 &
		$dxmit_program tx -i va --interval 0 &
		while :; do sleep 1002; done
	END
	chmod +x "$work/stubborn"
	LEFT=$$ dxmit compare -i va --json "$report" "${quick[@]}" --legs "copy,stubborn=exec:$work/stubborn"
	is "$status" 1 "exit code"
	error_line stubborn "had to be killed"
	measured copy 3
	is "$(marked_processes LEFT=$$)" "" "commands left"
	dxmit tx -i va -n 1000 --json "$report"
	sent_exactly 1000
}

# What a command writes is kept in memory: only the end of it.
case_a_command_that_writes_without_end() {
	local kib least=0 most=0
	veth 1
	dxmit_start compare -i va --json "$report" --rounds 2 -d 1 --legs \
		"copy,talks=exec:cat /dev/zero & $DXMIT tx -i va --interval 0"
	while kill -0 "$dxmit_pid" 2>/dev/null; do
		kib=$(awk '/^Shmem:/ { print $2 }' /proc/meminfo)
		[ "$least" != 0 ] || least=$kib
		[ "$kib" -gt "$most" ] && most=$kib
		sleep 0.05
	done
	dxmit_wait
	is "$status" 0 "exit code"
	measured talks 2
	within $((most - least)) 0 400000 "KiB of memory files at once"
}

# The queue it wants was closed by the leg before, and it does not try again.
case_a_command_that_does_not_wait_for_its_queue() {
	veth 1
	dxmit compare -i va --json "$report" --rounds 5 -d 0.1 \
		--legs "copy,hasty=exec:$DXMIT tx -i va --bind-wait 1 --interval 0"
	is "$status" 0 "exit code"
	is "$(json '[.cells[] | .failure, .unavailable] | tojson')" "[null,null,null,null]" \
		"why a leg failed"
	is "$(json '[.cells[].samples | length] | tojson')" "[5,5]" "rounds"
}

case_what_a_command_leaves_behind() {
	veth 2
	# Only after its program the frames count.
	dxmit compare -i va --json "$report" "${quick[@]}" --legs \
		"copy,left=exec:$BUILD/tests/leaves_program va"
	is "$status" 0 "exit code"
	measured copy 3
	measured left 3
	no_xdp va
	command -v ethtool >/dev/null || return
	dxmit compare -i va --json "$report" "${quick[@]}" --legs \
		"copy,fewer=exec:ethtool -L va tx 1 && exec $DXMIT tx -i va --interval 0"
	is "$status" 0 "exit code"
	measured copy 3
	is "$(ethtool -l va | awk '/^TX:/ { tx = $2 } END { print tx }')" 2 "transmit queues"
	dxmit compare -i va --json "$report" "${quick[@]}" --legs \
		"copy,both=exec:ethtool -L va tx 1 && exec $BUILD/tests/leaves_program va"
	is "$status" 0 "exit code of both"
	no_xdp va
	is "$(ethtool -l va | awk '/^TX:/ { tx = $2 } END { print tx }')" 2 \
		"transmit queues after both"
	dxmit compare -i va --json "$report" "${quick[@]}" --legs \
		"copy,down=exec:ip link set va down; exit 1"
	is "$status" 1 "exit code"
	measured copy 3
	like "$(ip link show va)" '[<,]UP[,>]' "the interface is up"
}

case_settings_that_a_command_changes() {
	local before link='.[0] | [.ifname, .flags, .mtu, .txqlen]'
	veth 2
	before=$(ip -j link show va | jq -c "$link")
	dxmit compare -i va --json "$report" "${quick[@]}" --legs \
		"copy,other=exec:ip link set va mtu 1000 txqueuelen 7 promisc on arp on; ip link set va down name vx; ip link set vx up; exec $DXMIT tx -i vx --interval 0"
	is "$status" 0 "exit code"
	is "$(ip -j link show va | jq -c "$link")" "$before" "the interface"
	measured copy 3
	measured other 3
}


# A shell that executes dxmit leaves it the processes that it started before.
case_processes_that_were_there_before() {
	veth 1
	bash -c 'sleep 300 & echo $! >"$1/stranger"; exec "${@:2}" --json >(sleep 1; cat >"$1/late")' \
		bash "$work" "$dxmit_program" compare -i va "${quick[@]}" --legs copy,af_packet \
		>"$work/stdout" 2>"$work/stderr" </dev/null
	is $? 0 "exit code"
	kill -0 "$(cat "$work/stranger")" 2>/dev/null
	is $? 0 "the other child lives"
	kill "$(cat "$work/stranger")" 2>/dev/null
	for _ in {1..100}; do
		[ -s "$work/late" ] && break
		sleep 0.05
	done
	is "$(json '.schema' "$work/late")" dxmit-comparison "what the pipe's reader got"
}

# A program that was there before is there afterwards, the same one.
case_a_program_that_was_there() {
	local before
	allow_xdp=1
	veth 1
	timeout 0.2 "$BUILD/tests/leaves_program" va
	before=$(ip -j -d link show va | jq -c '.[0].xdp')
	like "$before" prog "a program"
	dxmit compare -i va --json "$report" "${quick[@]}" --legs copy,af_packet
	is "$status" 0 "exit code"
	is "$(ip -j -d link show va | jq -c '.[0].xdp')" "$before" "the program"
}

# ---- the link ----

case_the_link_is_lost_and_comes_back() {
	veth 1
	dxmit_start compare -i va --json "$report" --rounds 4 -d 0.3 --legs copy -v
	in_round 2
	sleep 0.2
	ip link set vb down
	sleep 0.5
	ip link set vb up
	dxmit_wait
	is "$status" 0 "exit code"
	only_noise
	measured copy 4
	within "$(cell copy .repeated)" 1 8 "repeated"
}

case_the_link_is_lost_for_good() {
	veth 1
	dxmit_start compare -i va --json "$report" --rounds 100 -d 0.1 --legs copy,af_packet \
		--carrier-wait 0.5 -v
	in_round 2
	ip link set vb down
	dxmit_wait
	is "$status" 1 "exit code"
	error_line va "lost its link"
	within "$(cell copy '.samples | length')" 1 99 "samples kept"
}

case_the_interface_is_deleted() {
	veth 1
	dxmit_start compare -i va --json "$report" --rounds 100 -d 0.1 --legs copy -v
	in_round 2
	ip link del va
	dxmit_wait
	is "$status" 1 "exit code"
	error_line 'va|copy' "deleted"
	within "$(cell copy '.samples | length')" 1 99 "samples kept"
}

# ---- the end by signal ----

case_interrupted() {
	local signal late=0
	veth 1
	for signal in INT TERM HUP; do
		dxmit_start compare -i va --json "$report" --rounds 1000 -d 0.3 -v \
			--legs copy,af_packet
		in_round 3
		sleep 0.3
		kill -$signal "$dxmit_pid"
		dxmit_began_ms=$(now_ms)
		dxmit_wait
		is "$status" 0 "SIG$signal: exit code"
		only_noise
		awk -v s="$seconds" 'BEGIN { exit !(s > 0.4) }' && late=$((late + 1))
		within "$seconds" 0 2 "SIG$signal: seconds to the end"
		is "$(json .interrupted)" true "SIG$signal: the results say so"
		within "$(json '[.cells[].samples | length] | add')" 1 1000 "SIG$signal: samples"
	done
	within $late 0 1 "ends later than 400 ms, of 3"
}

# While a command takes its time to end: that it had to be killed is the user's doing.
case_interrupted_while_a_command_ends() {
	veth 1
	dxmit_start compare -i va --json "$report" "${quick[@]}" --legs \
		"slow=exec:trap 'sleep 3; exit' INT; $DXMIT tx -i va --interval 0 & while :; do sleep 0.1; done"
	dxmit_is_sending
	sleep 1
	kill -INT "$dxmit_pid"
	dxmit_wait
	is "$status" 0 "exit code"
	only_noise
	is "$(json .interrupted)" true "interrupted"
	is "$(cell slow .failure)" null "the command's failure"
}

case_interrupted_twice() {
	veth 1
	dxmit_start compare -i va --rounds 1000 -d 0.3 --legs \
		"stubborn=exec:trap '' INT TERM; $DXMIT tx -i va --interval 0 & wait; wait"
	dxmit_is_sending
	kill -INT "$dxmit_pid"
	sleep 0.05
	kill -INT "$dxmit_pid"
	dxmit_began_ms=$(now_ms)
	dxmit_wait
	within "$seconds" 0 0.5 "seconds to the end"
}

run_cases "$@"
