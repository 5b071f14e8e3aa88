#!/bin/sh
# Builds and runs the consumer the way a Makefile would: pkg_config.sh PREFIX OUTPUT COMPILER [FLAGS...]
set -eu
prefix=$1
output=$2
shift 2

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name holdfast.pc)")
export PKG_CONFIG_PATH
# Unquoted: these are words for the compiler.
# shellcheck disable=SC2046
"$@" -std=c++20 "$(dirname "$0")/consumer/main.cc" $(pkg-config --static --cflags --libs holdfast) -o "$output"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir holdfast) "$output"
