#!/bin/sh
# The unit starts the command that was installed with it.
#
#   systemd_unit.sh UNIT COMMAND
set -eu
started=$(sed -n 's/^ExecStart=\([^ ]*\) server .*/\1/p' "$1")
if [ "$started" != "$2" ]; then
  echo "$1 starts \"$started\", and the command is $2" >&2
  exit 1
fi
"$started" server --help >/dev/null
