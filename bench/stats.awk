# SPDX-License-Identifier: BSD-2-Clause
# Medians and ratios of interleaved runs. Reads lines
#	row round=R device=D size=S peer=P … pps=X [cpu_s_per_mpkt=Y]
# and prints, for each device and size, the medians of every peer and the median
# of the ratios base/peer, paired by round, with the order-statistics (sign
# test) interval of at least 95 %: exact, no assumption about the distribution.
# Variables: base (default dxmit), and others of its kind are compared as well.

function value(name,    i) {
	for (i = 2; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return ""
}

function sort(list, n,    i, j, x) {
	for (i = 2; i <= n; i++) {
		x = list[i]
		for (j = i - 1; j >= 1 && list[j] > x; j--)
			list[j + 1] = list[j]
		list[j + 1] = x
	}
}

function median(list, n) {
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# Rank k so that [k-th smallest, k-th largest] covers the median with at least
# 95 %: 2 * P(Binomial(n, 1/2) < k) <= 0.05. 0: too few.
function rank(n,    k, term, sum) {
	term = 1
	for (k = 1; k <= n; k++)
		term /= 2
	sum = 0
	for (k = 0; k <= n / 2; k++) {
		sum += term
		if (2 * sum > 0.05)
			return k
		term = term * (n - k) / (k + 1)
	}
	return 0
}

function ratio_text(of, group, one, other, invert,    n, r, list, k) {
	n = 0
	for (r = 0; r <= last_round; r++)
		if ((of, group, one, r) in data && (of, group, other, r) in data) {
			list[++n] = data[of, group, one, r] / data[of, group, other, r]
			if (invert)
				list[n] = 1 / list[n]
		}
	if (n == 0)
		return "none"
	sort(list, n)
	k = rank(n)
	if (k == 0)
		return sprintf("%.3f [%d pairs: too few for an interval]", median(list, n), n)
	return sprintf("%.3f [%.3f, %.3f]", median(list, n), list[k], list[n + 1 - k])
}

BEGIN {
	if (base == "")
		base = "dxmit"
}

$1 == "row" && value("pps") != "" {
	group = value("device") " " value("size")
	peer = value("peer")
	r = value("round") + 0
	data["pps", group, peer, r] = value("pps")
	if (value("cpu_s_per_mpkt") != "")
		data["cpu", group, peer, r] = value("cpu_s_per_mpkt")
	if (r > last_round)
		last_round = r
	if (!(group in seen_group)) {
		seen_group[group] = 1
		groups[++group_count] = group
	}
	if (!(peer in seen_peer)) {
		seen_peer[peer] = 1
		peers[++peer_count] = peer
	}
}

END {
	for (g = 1; g <= group_count; g++) {
		group = groups[g]
		split(group, part, " ")
		for (p = 1; p <= peer_count; p++) {
			n = c = 0
			for (r = 0; r <= last_round; r++) {
				if (("pps", group, peers[p], r) in data)
					pps[++n] = data["pps", group, peers[p], r]
				if (("cpu", group, peers[p], r) in data)
					cpu[++c] = data["cpu", group, peers[p], r]
			}
			if (n == 0)
				continue
			sort(pps, n)
			sort(cpu, c)
			printf "median device=%s size=%s peer=%s rounds=%d pps=%.0f cpu_s_per_mpkt=%s\n",
				part[1], part[2], peers[p], n, median(pps, n),
				c ? sprintf("%.4f", median(cpu, c)) : "none"
		}
		for (b = 1; b <= peer_count; b++) {
			if (index(peers[b], base) != 1)
				continue
			for (p = 1; p <= peer_count; p++)
				if (p != b && (index(peers[p], base) != 1 || p < b))
					printf "ratio device=%s size=%s %s/%s: pps %s, packets per CPU second %s\n",
						part[1], part[2], peers[b], peers[p],
						ratio_text("pps", group, peers[b], peers[p], 0),
						ratio_text("cpu", group, peers[b], peers[p], 1)
		}
	}
}
