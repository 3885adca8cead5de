# The only supported compiler, and the flags that every target shares.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR
    "dra-controller-manager needs clang 19 or newer (found ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION}). g++ 12 miscompiles coroutines: it skips code after "
    "'if (co_await f())' and destroys temporaries of a co_await expression twice. "
    "Use ./dev build, or cmake --preset release.")
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

option(DCM_WARNINGS_AS_ERRORS "Fail the build on a warning" ON)
option(DCM_LTO "Optimise the manager and the simulation across their source files when they are linked" OFF)
set(DCM_GROUP_SIZE 0 CACHE STRING "How many of a library's sources are compiled together; 0: each by itself")
set(DCM_TOOLS_GROUP_SIZE "${DCM_GROUP_SIZE}" CACHE STRING "The same for what is not part of the manager")
set(DCM_TEST_FLAGS "" CACHE STRING "Further compiler flags for the sources of unit tests")
option(DCM_PRECOMPILE "Parse the headers that most sources share once" OFF)
set(DCM_SANITIZERS "" CACHE STRING "Comma-separated sanitizers, e.g. address,undefined")
option(DCM_FUZZ "Count what was reached, for libFuzzer; test/fuzz gets its binaries" OFF)
set(DCM_FUZZ_ENGINE "-fsanitize=fuzzer" CACHE STRING "What calls the fuzz targets: a flag, or a library")

add_library(dcm_flags INTERFACE)
target_compile_options(dcm_flags INTERFACE
  # Sources that are compiled together may shadow each other's local names.
  -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow> -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -fno-omit-frame-pointer
  $<$<BOOL:${DCM_WARNINGS_AS_ERRORS}>:-Werror>)
# Users of the kit must compile its headers with the same.
set(DCM_DEFINITIONS _GLIBCXX_ASSERTIONS BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION
  BOOST_ASIO_DISABLE_CONCEPTS)
target_compile_definitions(dcm_flags INTERFACE ${DCM_DEFINITIONS})
target_include_directories(dcm_flags INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/generated")

if(DCM_SANITIZERS)
  # The sanitizers find use of a destroyed coroutine frame only if Asio does not cache it for the
  # next one.
  target_compile_definitions(dcm_flags INTERFACE BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING)
  target_compile_options(dcm_flags INTERFACE
    -fsanitize=${DCM_SANITIZERS} -fno-sanitize-recover=all)
  target_link_options(dcm_flags INTERFACE -fsanitize=${DCM_SANITIZERS})
endif()

if(DCM_FUZZ)
  target_compile_options(dcm_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(dcm_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Hardening of the shipped binaries (checked by test/manifests/hardening_test.py):
# position-independent addresses, read-only tables, stack protection, fortified C library calls, and
# control-flow protection where the processor supports it.
set(DCM_BRANCH_PROTECTION -fcf-protection=full)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(DCM_BRANCH_PROTECTION -mbranch-protection=standard)
endif()
target_compile_options(dcm_flags INTERFACE
  "$<$<CONFIG:Release>:-fstack-protector-strong;-fstack-clash-protection;${DCM_BRANCH_PROTECTION};-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
target_link_options(dcm_flags INTERFACE
  "$<$<CONFIG:Release>:LINKER:-z,relro;LINKER:-z,now;LINKER:-z,noexecstack>")

# Release builds are optimised by a profile of a working manager. `./dev profile` creates a new one.
# The compiler ignores it for functions that have changed since, and warns.
set(DCM_PROFILE "${CMAKE_SOURCE_DIR}/packaging/manager.profdata" CACHE FILEPATH "Empty: none")
option(DCM_COUNT "Build programs that count, and write a profile when they end" OFF)
# A file-local function is identified by its file's name, which is taken here without the folder.
set(DCM_PROFILE_NAMES "SHELL:-mllvm -static-func-full-module-prefix=false")
if(DCM_COUNT)
  target_compile_options(dcm_flags INTERFACE -fprofile-generate "${DCM_PROFILE_NAMES}")
  target_link_options(dcm_flags INTERFACE -fprofile-generate)
elseif(DCM_PROFILE)
  # A copy whose name is its content's hash: a new profile changes the flag, and so compiles everything again. The name is
  # relative to the build folder, where Ninja runs: ccache would treat an absolute path as a different flag.
  file(SHA256 "${DCM_PROFILE}" hash)
  string(SUBSTRING ${hash} 0 16 hash)
  configure_file("${DCM_PROFILE}" "${CMAKE_BINARY_DIR}/${hash}.profdata" COPYONLY)
  target_compile_options(dcm_flags INTERFACE
    "$<$<CONFIG:Release>:-fprofile-use=${hash}.profdata;${DCM_PROFILE_NAMES};-Wno-error=backend-plugin>")
endif()

# Objects contain machine code and bitcode: lld links what dcm_optimise_when_linked() names from the
# latter, and everything else from the former, which is faster.
# lld reuses the results of earlier links, also of other programs.
set(DCM_LTO_CACHE "${CMAKE_BINARY_DIR}/lto" CACHE PATH "lld's cache of link-time optimisation; at most 1 GB")
if(DCM_LTO)
  target_compile_options(dcm_flags INTERFACE -flto=thin -ffat-lto-objects)
endif()

function(dcm_optimise_when_linked target)
  if(NOT DCM_LTO)
    return()
  endif()
  set_target_properties(${target} PROPERTIES DCM_LINK_TIME_OPTIMISED ON)
  target_link_options(${target} PRIVATE -flto=thin -ffat-lto-objects -fuse-ld=lld
    "LINKER:--thinlto-cache-dir=${DCM_LTO_CACHE},--thinlto-cache-policy=cache_size_bytes=1g")
  # The C library's start-up code supports shadow stacks, although it is not marked so.
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    target_link_options(${target} PRIVATE LINKER:-z,shstk)
  endif()
endfunction()

find_program(DCM_MOLD mold)
if(DCM_MOLD)
  target_link_options(dcm_flags INTERFACE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:DCM_LINK_TIME_OPTIMISED>>>:-fuse-ld=mold>)
endif()
find_program(DCM_CCACHE ccache)
if(DCM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${DCM_CCACHE}")
endif()
