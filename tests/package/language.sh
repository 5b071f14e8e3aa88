#!/bin/sh
# A compiler that was not told to compile C++20 is stopped by one clear line, whichever header comes first; with C++20 each header stands
# on its own.
#
#   language.sh INCLUDE_DIRECTORY COMPILER
set -u
include=$1
compiler=$2
line='Holdfast needs C++20: compile with -std=c++20 or newer'
failed=0
for header in $(cd "$include" && find holdfast -name '*.h' | sort); do
  said=$(printf '#include <%s>\nint main() {}\n' "$header" | "$compiler" -std=c++17 -fsyntax-only -I "$include" -x c++ - 2>&1) && {
    echo "$header is taken as C++17"
    failed=1
  }
  case $said in
    *"$line"*) ;;
    *) echo "$header does not say that it needs C++20: $said"; failed=1 ;;
  esac
  # That line and the end of the compilation.
  errors=$(printf '%s\n' "$said" | grep -c 'error:')
  [ "$errors" -le 2 ] || { echo "$header gives $errors errors"; failed=1; }
  printf '#include <%s>\nint main() {}\n' "$header" |
    "$compiler" -std=c++20 -fsyntax-only -I "$include" -x c++ - || { echo "$header does not stand on its own"; failed=1; }
done
exit $failed
