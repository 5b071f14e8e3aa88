#!/bin/sh
# A program that is linked to an installed library starts the command of the same installation for local:, whatever $PATH says.
#   local_command.sh PREFIX PROGRAM
set -eu
command=$(realpath "$(find "$1" -name holdfast -type f -path '*/bin/*')")
program=$2

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
unset HOLDFAST_COMMAND HOLDFAST_URL
export HOLDFAST_STATE_DIR="$directory/state"
status=0
PATH=/nonexistent "$program" local: || status=$?
"$command" local stop || status=$?
exit "$status"
