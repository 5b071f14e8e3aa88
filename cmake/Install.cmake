# What `cmake --install` puts where, and how others find it: find_package(holdfast), or pkg-config holdfast.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Before 1.0 a minor version may break the ABI.
set_target_properties(holdfast PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(BUILD_SHARED_LIBS AND HOLDFAST_CLI)
  # The command finds the library beside it, wherever both were installed to.
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(holdfast_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
endif()

set(HOLDFAST_COMMAND_SIZE 4096)
install(TARGETS holdfast holdfast_testing EXPORT holdfastTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(HOLDFAST_CLI)
  install(TARGETS holdfast_cli)
endif()
# The library is told where the command was really installed: `--prefix` is not known before. The text fills the section, so that
# nothing else in the file moves.
install(CODE "set(command_size ${HOLDFAST_COMMAND_SIZE})
set(bindir \"${CMAKE_INSTALL_BINDIR}\")
set(objcopy \"${CMAKE_OBJCOPY}\")
set(ar \"${CMAKE_AR}\")
set(library \"${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:holdfast>\")
set(scratch \"${PROJECT_BINARY_DIR}/tell_command\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/TellCommand.cmake)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/holdfast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")

# The conformance kit is installed as sources, which are compiled with the GoogleTest of the project that uses them: docs/adr/0023.
include(Conformance)
set(kit_dir ${CMAKE_INSTALL_DATADIR}/holdfast/conformance-kit)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/conformance DESTINATION ${kit_dir}
  FILES_MATCHING PATTERN "*.cc" PATTERN "*.h" PATTERN worlds EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/tests/support/eventually.h ${PROJECT_SOURCE_DIR}/tests/support/forked_child.h
  DESTINATION ${kit_dir}/support)
list(JOIN HOLDFAST_CONFORMANCE_SOURCES " " HOLDFAST_CONFORMANCE_SOURCES)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/holdfastConformance.cmake.in ${PROJECT_BINARY_DIR}/holdfastConformance.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS kit_dir)
install(FILES ${PROJECT_BINARY_DIR}/holdfastConformance.cmake DESTINATION ${package_dir})

install(EXPORT holdfastTargets NAMESPACE holdfast:: DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/holdfastConfig.cmake.in ${PROJECT_BINARY_DIR}/holdfastConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/holdfastConfig.cmake
  ${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake
  DESTINATION ${package_dir})

# Relative to where the .pc file is, so that a staged or moved installation works too.
# What the archive uses stands in Libs, so that `pkg-config --libs` is enough; not in Requires, whose Cflags (spdlog's macros) would
# come into the compilation of those who only use ours.
set(pkgconfig_uses "-lspdlog -lfmt -lyaml-cpp -lssl -lcrypto -lsasl2 -pthread")
if(BUILD_SHARED_LIBS)
  set(pkgconfig_uses "")
endif()
file(RELATIVE_PATH pkgconfig_to_prefix ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/holdfast.pc.in ${PROJECT_BINARY_DIR}/holdfast.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/holdfast.pc DESTINATION ${pkgconfig_dir})
