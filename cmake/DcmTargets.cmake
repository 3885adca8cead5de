# One target per folder. Sources are listed by name; third-party libraries are PRIVATE wherever
# our own headers do not need theirs.
#
#   dcm_add_library(NAME SOURCES a.cpp… [PUBLIC lib…] [PRIVATE lib…])
#   dcm_add_test(NAME SOURCES a_test.cpp… [LIBS lib…])   a GoogleTest binary, known to ctest
#
# Unit tests are not part of `all`: `--target unit_tests` builds them, in the presets they run in.

include(GoogleTest)
add_custom_target(unit_tests)

function(dcm_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC dcm_flags ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

function(dcm_add_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  add_dependencies(unit_tests ${name})
  target_link_libraries(${name} PRIVATE dcm_flags ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
