# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the commands in contrib/ share; they source it.

# The top of the source tree.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# What a command says of itself comes after its name: contrib/NAME, if that starts it.
command_name=contrib/${0##*/}
[[ -f $root/$command_name && -x $root/$command_name ]] || command_name=$(realpath --relative-to="$root" "$0")

# What sysexits.h calls wrong usage, a missing program or package, and a missing right.
# shellcheck disable=SC2034  # not every command uses all of them
readonly EX_USAGE=64 EX_UNAVAILABLE=69 EX_NOPERM=77

# Root leaves no __pycache__ directories in a user's checkout.
export PYTHONDONTWRITEBYTECODE=1

if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' plain=$'\e[0m'
else
    bold='' plain=''
fi

# Progress, one line.
say() {
    printf '%s%s%s\n' "$bold" "$*" "$plain"
}

# die STATUS MESSAGE...
die() {
    local status=$1
    shift
    printf '%s: %s\n' "$command_name" "$*" >&2
    exit "$status"
}

usage_error() {
    die "$EX_USAGE" "$*; '$command_name --help' shows how"
}

# require_root WHY
require_root() {
    ((EUID == 0)) || die "$EX_NOPERM" "$1, so this needs root: sudo $0"
}

# Under sudo the build directories were made by root: they go back to the owner of the checkout, so
# that the next build needs no root. Not the trees of contrib/dev/release-test, which are whole systems.
return_builds_to_owner() {
    [[ -n ${SUDO_UID:-} ]] || return 0
    find "$root"/build "$root"/build-* -path "$root/build/release" -prune -o \
        -exec chown --no-dereference --reference="$root" {} + 2>/dev/null || true
}
