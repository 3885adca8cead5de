# One target per folder. Sources are listed by name; third-party libraries are PRIVATE wherever
# our own headers do not need theirs.
#
#   dcm_add_library(NAME SOURCES a.cpp… [ALONE b.cpp…] [PUBLIC lib…] [PRIVATE lib…])
#   dcm_add_test(NAME SOURCES a_test.cpp… [LIBS lib…])   a GoogleTest binary, known to ctest
#
# Unit tests are not part of `all`: `--target unit_tests` builds them, in the presets they run in.

# With DCM_GROUP_SIZE, a library's sources are compiled in groups of that size: most of the time
# goes into headers that they share. A source under ALONE is compiled separately: it has a local
# name that another source of the library has too.

include(GoogleTest)
add_custom_target(unit_tests)

# dcm_precompile(NAME [flag…]): parses precompiled.hpp once, into NAME.pch.
function(dcm_precompile name)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(build_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
  set(header "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/precompiled.hpp")
  add_custom_command(OUTPUT "${CMAKE_BINARY_DIR}/${name}.pch"
    COMMAND "${CMAKE_CXX_COMPILER}" ${build_flags} ${ARGN} -std=c++2b $<TARGET_PROPERTY:dcm_flags,INTERFACE_COMPILE_OPTIONS>
      "-D$<JOIN:$<TARGET_PROPERTY:dcm_flags,INTERFACE_COMPILE_DEFINITIONS>,;-D>" -DGTEST_HAS_PTHREAD=1
      -fpch-instantiate-templates -x c++-header "${header}" -MD -MF ${name}.d -MT ${name}.pch -o ${name}.pch
    # The result contains this folder's name. ccache uses the checksum of the text instead
    # (CCACHE_PCH_EXTSUM), so that other checkouts share the cache.
    COMMAND "${CMAKE_CXX_COMPILER}" -std=c++2b -E -P "${header}" -o ${name}.ii
    COMMAND sha256sum ${name}.ii > ${name}.pch.sum
    DEPENDS "${header}" DEPFILE "${CMAKE_BINARY_DIR}/${name}.d"
    WORKING_DIRECTORY "${CMAKE_BINARY_DIR}" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(dcm_${name} DEPENDS "${CMAKE_BINARY_DIR}/${name}.pch")
endfunction()

# With DCM_PRECOMPILE, the standard headers, Asio's coroutines, fmt and GoogleTest are parsed once
# for all sources, which saves half of the time at -O0. Releases are built without it, to detect
# missing #includes.
if(DCM_PRECOMPILE)
  dcm_precompile(precompiled)
  dcm_precompile(precompiled_for_tests ${DCM_TEST_FLAGS})
endif()

# dcm_use_precompiled(TARGET NAME): NAME as given to dcm_precompile().
function(dcm_use_precompiled target name)
  if(DCM_PRECOMPILE)
    add_dependencies(${target} dcm_${name})
    # Relative to the build folder, where Ninja runs: ccache would treat an absolute path as a
    # different flag.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -include-pch -Xclang ${name}.pch")
  endif()
endfunction()

function(dcm_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_ALONE})
  if(DCM_GROUP_SIZE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${DCM_GROUP_SIZE})
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  target_link_libraries(${name} PUBLIC dcm_flags ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  dcm_use_precompiled(${name} precompiled)
endfunction()

function(dcm_add_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  add_dependencies(unit_tests ${name})
  target_link_libraries(${name} PRIVATE dcm_flags ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${DCM_TEST_FLAGS})
  dcm_use_precompiled(${name} precompiled_for_tests)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
