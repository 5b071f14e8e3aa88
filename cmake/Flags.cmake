# What every target of ours is compiled with.
add_library(holdfast_flags INTERFACE)
target_compile_options(holdfast_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wconversion -Wno-sign-conversion)
if(HOLDFAST_WERROR)
  target_compile_options(holdfast_flags INTERFACE -Werror)
endif()
if(HOLDFAST_SANITIZE)
  add_compile_options(-fsanitize=${HOLDFAST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HOLDFAST_SANITIZE})
endif()
