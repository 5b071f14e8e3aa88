# libedit: line editing for `holdfast shell`. Debian ships a .pc file for it, but no CMake config.
find_path(Edit_INCLUDE_DIR histedit.h)
find_library(Edit_LIBRARY edit)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Edit REQUIRED_VARS Edit_LIBRARY Edit_INCLUDE_DIR)
if(Edit_FOUND AND NOT TARGET Edit::edit)
  add_library(Edit::edit UNKNOWN IMPORTED)
  set_target_properties(Edit::edit PROPERTIES
    IMPORTED_LOCATION "${Edit_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Edit_INCLUDE_DIR}")
endif()
