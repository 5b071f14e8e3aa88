#!/bin/sh
# Builds and runs the consumer the way a Makefile would: pkg_config.sh PREFIX DIRECTORY COMPILER [FLAGS...]
set -eu
prefix=$1
directory=$2
shift 2

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name holdfast.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(pkg-config --variable=libdir holdfast)
export LD_LIBRARY_PATH
mkdir -p "$directory"
sources=$(dirname "$0")/consumer

if pkg-config --cflags holdfast | grep -- -D; then
  echo "pkg-config --cflags holdfast defines macros in the code of others" >&2
  exit 1
fi
# Unquoted: these are words for the compiler.
# shellcheck disable=SC2046
"$@" -std=c++20 "$sources/main.cc" $(pkg-config --cflags --libs holdfast) -o "$directory/consumer"
"$directory/consumer"

# The same as a part of a shared object, loaded by a program that knows nothing of it.
# shellcheck disable=SC2046
"$@" -std=c++20 -Dmain=run_consumer -fPIC -shared "$sources/main.cc" \
  $(pkg-config --cflags --libs holdfast) -o "$directory/plugin.so"
"$@" -std=c++20 "$sources/loader.cc" -o "$directory/loader" -ldl
"$directory/loader" "$directory/plugin.so"
