# One target per folder. Sources are listed by name; third-party libraries are PRIVATE wherever
# our own headers do not need theirs.
#
#   dcm_add_library(NAME SOURCES a.cpp… [PUBLIC lib…] [PRIVATE lib…])
#   dcm_add_test(NAME SOURCES a_test.cpp… [LIBS lib…])   a GoogleTest binary, known to ctest

include(GoogleTest)

function(dcm_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC dcm_flags ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

function(dcm_add_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE dcm_flags ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
