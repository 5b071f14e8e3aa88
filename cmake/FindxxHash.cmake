# Debian ships no CMake config for libxxhash. Only its header is used, inlined: nothing to link, and nothing that those who use a
# static libholdfast would need.
find_path(xxHash_INCLUDE_DIR xxhash.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xxHash REQUIRED_VARS xxHash_INCLUDE_DIR)
if(xxHash_FOUND AND NOT TARGET xxHash::headers)
  add_library(xxHash::headers INTERFACE IMPORTED)
  set_target_properties(xxHash::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${xxHash_INCLUDE_DIR}")
endif()
