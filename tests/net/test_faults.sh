#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 900
# sanitizers: address
#
# Guards a run in which one system call of set-up, sending or stop fails, each
# call in turn: it either does all it was asked, as the far end sees it, or ends
# in time with the documented code and one line that names what failed. Nothing
# is left behind.
#
# FAULTS=all, as soak/test_faults.sh sets it, takes every call of the long lists
# and calls that go on failing.
. "$(dirname "$0")/lib.sh"

FAULT=$BUILD/tests/fault
FAULTS=${FAULTS:-core}
subject=$DXMIT
packets=1000
options=()

# Libraries of a sanitizer make memory calls of their own and do not survive.
sanitized() {
	ldd "$subject" | grep -qE 'lib[atu]b?san'
}

# What a message may say to an errno. EAGAIN: netlink waits two seconds.
words_for() { # ERRNO
	case $1 in
	EMFILE) echo 'descriptor|Too many open files|ulimit -n' ;;
	ENOMEM | ENOBUFS) echo 'memory|[Bb]uffer|temporarily unavailable|timed out|stalled' ;;
	EPERM) echo 'not permitted|CAP_|cannot be given up' ;;
	ENODEV) echo 'No such device|no such interface|has gone' ;;
	EINVAL) echo 'Invalid argument|may not run there' ;;
	ENOSPC | EIO) echo 'write|written|limit of' ;;
	ENXIO) echo 'deleted or moved' ;;
	EAGAIN) echo 'temporarily unavailable|timed out|[Tt]ry again|stalled' ;;
	ENETDOWN | EBUSY) echo 'stalled|link' ;;
	*) echo '.' ;;
	esac
}

# A run that says it succeeded: all were queued, the books are closed, and an
# EBUSY that the kernel did not mean is believed, once.
books_are_right() { # ERRNO
	local dropped=0 arrived
	no_error
	[ "$1" = EBUSY ] && dropped=1
	is "$(json '.ledger | [.closed, .queued, .sent, .dropped] | join(" ")')" \
		"true $packets $((packets - dropped)) $dropped" \
		"$dxmit_said: closed, queued, sent, dropped"
	[ "$target" = sandbox ] && return
	arrived=$(($(counter vb rx_packets) - before))
	is "$arrived" "$packets" "$dxmit_said: frames at the far end"
}

# One run; true if the call was reached and failed.
run_with_fault() { # CALL ERRNO K[+]
	local where=(--sandbox=2)
	if [ "$target" = interface ]; then
		where=(-i va)
		before=$(counter vb rx_packets)
	fi
	DXMIT=$FAULT dxmit "$work/log" "$1" "$2" "$3" "$subject" tx "${where[@]}" \
		-n "$packets" "${options[@]}" --json "$report"
	grep -q failed "$work/log"
}

ends_well() { # CALL ERRNO [STATUS]
	[ -z "${3:-}" ] || is "$status" "$3" "$dxmit_said: exit code"
	if [ "$status" -eq 0 ]; then
		books_are_right "$2"
		return
	fi
	within "$status" 1 4 "$dxmit_said: exit code"
	isnt "$status" 3 "$dxmit_said: exit code, where no frame is missing"
	# stderr was among what cannot be written any more.
	[ "$1" = write ] && [[ $dxmit_said == *+* ]] && return
	one_error '[^:]+' "$(words_for "$2")"
}

# Fail every STEP-th call of a kind, until there is none; each run ends so.
each() { # CALL ERRNO [STEP [STATUS]]
	local k step=${3:-1} reached=0
	[ "$FAULTS" = all ] && step=1
	for target in sandbox interface; do
		[ "$1" = unshare ] && [ "$target" = interface ] && continue
		for ((k = 1; k < 400; k += step)); do
			run_with_fault "$1" "$2" "$k" || break
			reached=$((reached + 1))
			ends_well "$1" "$2" "${4:-}"
		done
	done
	isnt "$reached" 0 "calls of $1 that failed"
}

# From the K-th on all fail; every STEP-th K.
ever_after() { # CALL ERRNO STEP
	local k
	for target in sandbox interface; do
		for ((k = 1; k < 400; k += $3)); do
			run_with_fault "$1" "$2" "$k+" || break
			ends_well "$1" "$2"
		done
	done
}

set_up() {
	veth 2
	# What IPv6 and ARP would add is switched off: vb counts ours alone.
	run_with_fault_none
}

# The same without a fault: the conditions of all the others.
run_with_fault_none() {
	for target in sandbox interface; do
		run_with_fault write EIO 0
		is "$status" 0 "$dxmit_said: exit code"
		books_are_right none
	done
}

case_sockets() {
	set_up
	each socket EMFILE
	each bind ENOMEM
	each setsockopt ENOMEM
	each getsockopt EINVAL
}

case_netlink_and_ioctls() {
	set_up
	each sendmsg ENOBUFS
	each recvmsg ENOBUFS
	each recvmsg EINTR 3 0
	each getsockname ENOBUFS
	each ioctl ENODEV
}

case_memory() {
	sanitized && skip "a sanitizer does not survive failing memory calls"
	set_up
	each mmap ENOMEM
	each mprotect ENOMEM
	each munmap EINVAL 2 0
	each madvise ENOMEM 1 0
	each mbind EPERM 1 0
	each move_pages EPERM 1 0
}

# Touching such a page would end the process. Changes the machine's reservation
# and puts it back.
case_huge_pages_promised_and_not_there() {
	[ -w /proc/sys/vm/nr_hugepages ] || skip "huge pages cannot be reserved"
	reserved=$(cat /proc/sys/vm/nr_hugepages)
	trap 'echo $reserved >/proc/sys/vm/nr_hugepages' EXIT
	echo $((reserved + 16)) >/proc/sys/vm/nr_hugepages
	target=sandbox
	options=(--huge on)
	run_with_fault madvise EFAULT 0
	[ "$status" -eq 0 ] || skip "the machine has no huge pages to give"
	books_are_right none
	run_with_fault madvise EFAULT 1+
	is "$status" 1 "$dxmit_said: exit code"
	one_error "huge pages" "pages of 2 MiB are needed"
	options=(--huge auto)
	run_with_fault madvise EFAULT 1+
	is "$status" 0 "$dxmit_said: exit code"
	books_are_right none
	is "$(json '[.queues[].page_size] | unique | tojson')" "[4096]" \
		"$dxmit_said: bytes a page"
}

case_threads_and_events() {
	set_up
	each clone3 EAGAIN 1 1
	each sched_setaffinity EINVAL 1 2
	each sched_setaffinity EPERM 1 1
	each eventfd2 EMFILE 1 1
	each rt_sigaction EINVAL
	each ppoll EINTR 1 0
}

case_privileges_and_namespaces() {
	set_up
	# No run with privileges that it could not give up.
	each capset EPERM 1 1
	each unshare ENOSPC 1 1
	each unshare EPERM 1 0
	sanitized || each prctl EPERM 20
}

case_sending() {
	set_up
	each sendto ENOBUFS 1 0
	each sendto EAGAIN 1 0
	each sendto EINTR 1 0
	each sendto EBUSY 1 0
	each sendto ENETDOWN 1 0
	each sendto EINVAL 1 1
	each sendto ENXIO 1 1
}

case_files() {
	set_up
	each write EIO
	each write ENOSPC 3
	each fcntl EBADF 4
	sanitized && return
	each openat EMFILE 10
	each close EIO 10
	each read EIO 10
}

case_goes_on_failing() {
	local wide=4
	sanitized && skip "once is enough"
	[ "$FAULTS" = all ] && wide=1
	set_up
	ever_after socket EMFILE "$wide"
	ever_after sendmsg ENOBUFS "$wide"
	ever_after getsockopt ENOBUFS "$wide"
	ever_after sendto EAGAIN 2
	ever_after write EIO 6
	[ "$FAULTS" = all ] || return
	ever_after recvmsg EAGAIN 1
	ever_after mmap ENOMEM 1
	ever_after mprotect ENOMEM 1
	ever_after setsockopt EPERM 1
	ever_after ioctl ENODEV 1
	ever_after bind ENOMEM 1
	ever_after ppoll EINTR 1
	ever_after openat EMFILE 5
	ever_after read EIO 5
	ever_after munmap EINVAL 1
	ever_after sendto ENOBUFS 1
	ever_after sendto ENETDOWN 1
}

# Memory and descriptors at the end of runs that fail early, late and not.
case_nothing_leaks() {
	local k
	sanitized && skip "the sanitizer looks for leaks itself"
	command -v valgrind >/dev/null || skip "valgrind is not installed"
	for k in 0 1 6 14; do
		"$FAULT" "$work/log" socket EMFILE "$k" \
			valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
			--track-fds=yes --error-exitcode=99 --log-file="$work/valgrind" \
			"$subject" tx --sandbox=2 -n "$packets" >/dev/null 2>"$work/stderr"
		within $? 0 1 "valgrind: exit code with socket call $k failing"
		is "$(grep -cE 'lost in|uninitialised|Invalid (read|write)' "$work/valgrind")" 0 \
			"valgrind: complaints with socket call $k failing"
		# The one of signals.c lives as long as the process.
		is "$(grep -E -A 1 'Open (file descriptor|AF_)' "$work/valgrind" |
			grep -vE 'eventfd|^--' | grep -cE ' at 0x')" 0 \
			"valgrind: descriptors open with socket call $k failing"
	done
}

run_cases "$@"
