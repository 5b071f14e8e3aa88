#!/bin/sh
# The library without the command and what that needs: library_alone.sh SOURCES DIRECTORY CMAKE COMPILER SHARED
set -eu
sources=$1
directory=$2
cmake=$3
compiler=$4
shared=$5

rm -rf "$directory"
mkdir -p "$directory/project"
# Configures with what the command uses out of reach, and says in plan.txt what building everything would do.
plan() {
  "$cmake" -G Ninja -S "$1" -B "$2" -DCMAKE_CXX_COMPILER="$compiler" -DBUILD_SHARED_LIBS="$shared" \
    -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_Edit=ON "$3" >"$2.log" 2>&1 ||
    { cat "$2.log" >&2; exit 1; }
  "$cmake" --build "$2" -- -n -v >"$2/plan.txt"
  if grep -n 'src/cli/' "$2/plan.txt"; then
    echo "the library alone builds parts of the command" >&2
    exit 1
  fi
  grep -q 'src/lock/client.cc' "$2/plan.txt"
}

plan "$sources" "$directory/alone" -DHOLDFAST_CLI=OFF

cat >"$directory/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
add_subdirectory($sources holdfast)
add_executable(consumer $sources/tests/package/consumer/main.cc)
target_link_libraries(consumer PRIVATE holdfast::holdfast)
EOF
plan "$directory/project" "$directory/part" -DCMAKE_BUILD_TYPE=Debug
