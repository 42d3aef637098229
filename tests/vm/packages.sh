# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Debian packages for the guests, outside the tree: in DXMIT_VM_CACHE, by default
# dxmit-vm in XDG_CACHE_HOME or ~/.cache. They are unpacked there, not installed,
# from sources made of the machine's own Debian source by changing its suites.

lab_cache=${DXMIT_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/dxmit-vm}
lab_suites="bookworm bookworm-updates bookworm-backports trixie trixie-backports"

lab_skip() { # REASON
	echo "1..0 # SKIP $*"
	exit 77
}

lab_fail() { # TEXT [LOG]
	echo "Bail out! $1"
	[ $# -lt 2 ] || tail -n 60 "$2" >&2
	exit 1
}

lab_codename() {
	# shellcheck source=/dev/null
	(. /etc/os-release && echo "$VERSION_CODENAME")
}

# apt with sources and lists of our own.
lab_apt() { # COMMAND ARGUMENTS…
	local tool=$1
	shift
	"$tool" -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$lab_cache/apt" \
		-o Dir::State::lists="$lab_cache/lists" -o Dir::Cache="$lab_cache/apt-cache" \
		-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin \
		-o APT::Sandbox::User=root "$@"
}

# The machine's own entries (its security updates are elsewhere), and the one of
# the distribution proper with other suites. Both formats.
lab_sources() { # SUITES
	local file entry suite codename
	codename=$(lab_codename)
	rm -f "$lab_cache/apt"/*
	for file in /etc/apt/sources.list.d/*.sources; do
		[ -e "$file" ] && awk -v RS= -v ORS='\n\n' -v name="$codename" -v suites="$1" '
			$0 !~ "Suites:[^\n]* ?" name { next }
			{ print }
			$0 ~ "Suites: *" name "( |\n|$)" {
				sub(/Suites:[^\n]*/, "Suites: " suites)
				print
			}' "$file"
	done >"$lab_cache/apt/lab.sources"
	grep -E "^deb .* ${codename}[a-z-]* main" /etc/apt/sources.list >"$lab_cache/apt/lab.list" \
		2>/dev/null
	entry=$(sed -nE "s/^(deb .*) $codename main.*/\1/p" "$lab_cache/apt/lab.list" | head -n 1)
	for suite in ${entry:+$1}; do
		echo "$entry $suite main" >>"$lab_cache/apt/lab.list"
	done
	[ -s "$lab_cache/apt/lab.sources" ] || [ -s "$lab_cache/apt/lab.list" ]
}

# Refreshed once an hour; with no way out to the archive what is here serves on.
lab_refresh() {
	mkdir -p "$lab_cache/apt" "$lab_cache/lists/partial" "$lab_cache/apt-cache" \
		"$lab_cache/packages" || lab_skip "no room for packages in $lab_cache"
	[ -z "$(find "$lab_cache/refreshed" -mmin -60 2>/dev/null)" ] || return 0
	lab_sources "$lab_suites" || lab_skip "no Debian source on this machine"
	lab_apt apt-get update >"$lab_cache/log" 2>&1 && touch "$lab_cache/refreshed"
}

# The newest package whose name matches.
lab_newest() { # EXTENDED-REGEX
	lab_apt apt-cache pkgnames linux- 2>/dev/null | grep -xE "$1" | sort -V | tail -n 1
}

# The kernel packages a package needs, itself first.
lab_kernel_packages() { # PACKAGE
	echo "$1"
	lab_apt apt-cache depends "$1" 2>/dev/null |
		sed -nE 's/^ *Depends: (linux-(headers|kbuild|binary|modules)-.*)/\1/p'
}

# Fetch a package once and unpack it into a directory.
lab_unpack() { # PACKAGE DIRECTORY
	local mark=$2/.unpacked-$1 fetched
	[ ! -e "$mark" ] || return 0
	fetched=$(mktemp -d "$lab_cache/packages/XXXXXX")
	mkdir -p "$2"
	if (cd "$fetched" && lab_apt apt-get download "$1") >"$lab_cache/log" 2>&1 &&
		dpkg -x "$fetched"/*.deb "$2"; then
		touch "$mark"
	fi
	rm -rf "$fetched"
	[ -e "$mark" ] || lab_fail "$1: not fetched" "$lab_cache/log"
}

lab_install() { # APT-COMMAND PACKAGES…
	local command=$1
	shift
	echo "# installing $*"
	DEBIAN_FRONTEND=noninteractive $command -qy --no-install-recommends install "$@" \
		>"$lab_cache/log" 2>&1 || lab_fail "$*: not installed" "$lab_cache/log"
}

# Of the machine's own release and its backports, and of no other: with all the
# suites apt finds no set of libraries that fit.
lab_install_qemu() {
	local release
	release=$(lab_codename)
	rm -f "$lab_cache/refreshed"
	lab_sources "$release $release-updates $release-backports" &&
		lab_apt apt-get update >"$lab_cache/log" 2>&1
	[ "$release" != bookworm ] || release=bookworm-backports
	lab_install "lab_apt apt-get -t $release" qemu-system-x86
	lab_refresh
}

# Programs the lab itself needs. QEMU has igb from version 8 on: in Debian 12 that
# is in the backports, whose packages only come when they are asked for.
lab_tools() {
	local missing=() pair
	for pair in cpio:cpio xz:xz-utils depmod:kmod make:make gcc:gcc pahole:pahole; do
		command -v "${pair%:*}" >/dev/null || missing+=("${pair#*:}")
	done
	[ ${#missing[@]} -eq 0 ] || lab_install apt-get "${missing[@]}"
	command -v qemu-system-x86_64 >/dev/null || lab_install_qemu
	qemu-system-x86_64 -device help 2>/dev/null | grep -q '"igb"' ||
		lab_fail "this QEMU has no igb; install version 8 or newer (backports)"
}
