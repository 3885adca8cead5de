# One target per folder. Sources are listed by name; third-party libraries are PRIVATE wherever
# our own headers do not need theirs.
#
#   dcm_add_library(NAME SOURCES a.cpp… [ALONE b.cpp…] [PUBLIC lib…] [PRIVATE lib…])
#   dcm_add_test(NAME SOURCES a_test.cpp… [LIBS lib…])   a GoogleTest binary, known to ctest
#
# Unit tests are not part of `all`: `--target unit_tests` builds them, in the presets they run in.

# With DCM_GROUP_SIZE, a library's sources are compiled that many at a time: most of the time goes into headers that
# they share. A source under ALONE is not: it has a local name that another source of the library has too.

include(GoogleTest)
add_custom_target(unit_tests)

function(dcm_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_ALONE})
  if(DCM_GROUP_SIZE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${DCM_GROUP_SIZE})
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  target_link_libraries(${name} PUBLIC dcm_flags ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

function(dcm_add_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  add_dependencies(unit_tests ${name})
  target_link_libraries(${name} PRIVATE dcm_flags ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
