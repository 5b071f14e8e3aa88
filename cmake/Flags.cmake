# What every target of ours is compiled with.
add_library(holdfast_flags INTERFACE)
target_compile_options(holdfast_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wconversion -Wno-sign-conversion)
# g++ 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651), and, once the header is
# precompiled, copies past its end.
target_compile_options(holdfast_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds>)
# Asio: the headers of libasio-dev, without Boost. Whether it allocates handlers by aligned_alloc() or by new depends on what was
# included before it; one file's memory then ends in the other's kind of delete. So never by aligned_alloc().
add_library(holdfast_asio INTERFACE)
target_compile_definitions(holdfast_asio INTERFACE ASIO_STANDALONE ASIO_DISABLE_STD_ALIGNED_ALLOC)
if(HOLDFAST_WERROR)
  target_compile_options(holdfast_flags INTERFACE -Werror)
endif()
if(HOLDFAST_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "HOLDFAST_FUZZ needs clang: libFuzzer is part of it")
  endif()
  # Everything says where it has been; only the fuzz targets have libFuzzer's main().
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HOLDFAST_SANITIZE)
  add_compile_options(-fsanitize=${HOLDFAST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HOLDFAST_SANITIZE})
  # Asio fences around handlers, which g++ warns about; its locks, which ThreadSanitizer understands, order them too.
  if(HOLDFAST_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-tsan)
  endif()
endif()
