#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Set-up: installs what building (and, with "test", testing) dxmit needs on
# Debian 12 or 13, and only what is missing. Says which packages those are.
#
#	tests/setup.sh build|test
#
# Without root it uses sudo where sudo asks no password, else it names the
# packages and fails. On other systems it only says what is needed.
set -u

build_packages=(
	gcc libc6-dev linux-libc-dev make cmake pkg-config
	libxdp-dev libbpf-dev libnuma-dev libhwloc-dev
	libnl-3-dev libnl-route-3-dev libnl-genl-3-dev
	libjansson-dev libcap-ng-dev libcyaml-dev libyaml-dev libpcap-dev libelf-dev
)
test_packages=(
	g++ clang clang-format libcmocka-dev binutils util-linux procps
	iproute2 ethtool jq bpftool mandoc tshark gnuplot-nox strace
)

case ${1:-} in
build) packages=("${build_packages[@]}") ;;
test) packages=("${build_packages[@]}" "${test_packages[@]}") ;;
*)
	echo "usage: $0 build|test" >&2
	exit 2
	;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "set-up: not a Debian system; needed are the equivalents of:" \
		"${packages[*]}" >&2
	exit 0
fi

# A name that another package provides (pkg-config by pkgconf on Debian 13)
# counts as installed.
is_installed() {
	dpkg-query -W -f '${db:Status-Status}\n${Provides}\n' "$1" 2>/dev/null |
		grep -qx installed && return
	dpkg-query -W -f '${db:Status-Status} ${Provides}\n' 2>/dev/null |
		grep -qE "^installed .*\\b$1( |,|\$)"
}

missing=()
for package in "${packages[@]}"; do
	is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! sudo -n true 2>/dev/null; then
		echo "set-up: missing packages, and no right to install them:" \
			"${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
		exit 1
	fi
	as_root=(sudo -n)
fi

echo "set-up: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get \
		-o DPkg::Lock::Timeout=120 install -y -q \
		--no-install-recommends "${missing[@]}" >"$log" 2>&1
}
refresh() {
	"${as_root[@]}" apt-get update -q >"$log" 2>&1
}
# Package lists may be absent (a fresh image) or stale: try, refresh, try again.
if ! install && ! { refresh && install; }; then
	tail -n 20 "$log" >&2
	echo "set-up: apt-get could not install: ${missing[*]}" >&2
	exit 1
fi
