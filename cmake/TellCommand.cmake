# Run by `cmake --install`: writes the path of the installed command into the installed library (src/local/spawn.cc).
cmake_path(ABSOLUTE_PATH bindir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
cmake_path(ABSOLUTE_PATH library BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
set(text "${bindir}/holdfast\n")
string(LENGTH "${text}" length)
if(length GREATER command_size OR NOT objcopy)
  message(WARNING "local: will look for the command where it was configured, not in ${bindir}")
  return()
endif()
math(EXPR rest "${command_size} - ${length}")
string(REPEAT "\n" ${rest} filling)
file(WRITE "${scratch}" "${text}${filling}")
execute_process(COMMAND "${objcopy}" --update-section ".holdfast_command=${scratch}" "$ENV{DESTDIR}${library}"
  COMMAND_ERROR_IS_FATAL ANY)
