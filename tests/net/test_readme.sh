#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 600
#
# The README is true: every command in it runs as written, on a copy of the
# tree, with a veth pair in the place of the NIC.
. "$(dirname "$0")/lib.sh"

# The lines of all ```sh blocks.
readme_commands() {
	awk '/^```/ { inside = ($0 == "```sh"); next } inside' "$root_dir/README.md"
}

copy_tree() {
	mkdir "$work/tree"
	tar -C "$root_dir" --exclude=.git --exclude='./build*' -cf - . |
		tar -C "$work/tree" -xf -
}

# As a reader would run it, but for the NIC's name, who is root already, and
# where an installation goes.
run_command() { # COMMAND
	local command=${1#sudo }
	(
		cd "$work/tree" || exit 1
		export BUILD=$work/tree/build
		export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
		export LIBRARY_PATH=$work/prefix/lib LD_LIBRARY_PATH=$work/prefix/lib
		case $command in
		"cmake -S"*) command+=" -DCMAKE_INSTALL_PREFIX=$work/prefix -DCMAKE_INSTALL_LIBDIR=lib" ;;
		esac
		timeout 300 bash -c "${command//eth1/va}"
	) >"$work/out" 2>"$work/err"
}

case_every_command_runs() {
	local command commands=0
	veth 2
	copy_tree
	while read -r command; do
		commands=$((commands + 1))
		# The runner of this very test.
		[ "$command" = tests/run.sh ] && continue
		run_command "$command"
		is "$?" 0 "exit code of: $command $(tail -n 3 "$work/err")"
	done < <(readme_commands)
	within "$commands" 10 50 "commands found in the README"
}

# What the sample shows is what the program prints: its lines, not its figures.
case_sample_has_the_shape_of_the_output() {
	local line
	dxmit tx --sandbox=2 -d 1
	while IFS= read -r line; do
		like "$stdout" "$line" "the output has a line like the sample's"
	done < <(awk '/^```/ { inside = ($0 == "```text"); next } inside' \
		"$root_dir/README.md" | sed -n 's/^  \([a-z ]*[a-z]\)  .*/  \1  /p' | sort -u)
}

case_links_lead_somewhere() {
	local target links=0
	while read -r target; do
		links=$((links + 1))
		check "$target exists" test -e "$root_dir/$target"
	done < <(grep -o '](\([^)]*\))' "$root_dir/README.md" | tr -d '])(')
	within "$links" 3 30 "links found in the README"
}

run_cases "$@"
