# The kit: runtime, client, workqueue, informers, options and manager as one library for other
# controllers, and what their tests need: an in-memory API server, on virtual time.
#
#   cmake --build build/release --target kit && cmake --install build/release --component kit --prefix DIR
#
# Headers are below include/dcm, so that they never meet a user's folders: #include "dcm/manager/program.hpp".

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(DCM_KIT_PARTS dcm_runtime dcm_http dcm_http2 dcm_grpc dcm_api dcm_client dcm_client_config dcm_leader_election
    dcm_client_manager dcm_options dcm_workqueue dcm_informers)
set(DCM_KIT_TESTING_PARTS dcm_apiserver dcm_apiserver_http)
# For device drivers: needs the kit and, for quantities, CEL.
set(DCM_KIT_DRIVER_PARTS dcm_node dcm_driver_kit dcm_dra_api dcm_controllers_common)
set(DCM_KIT_DEFINITIONS ${DCM_DEFINITIONS} SIMDJSON_EXCEPTIONS=0)
set(DCM_KIT_HEADERS "${CMAKE_INSTALL_INCLUDEDIR}/dcm")
set(DCM_KIT_CMAKE "${CMAKE_INSTALL_LIBDIR}/cmake/dcm-kit")

# One archive of the objects of `PARTS`, which this project itself links separately.
function(dcm_add_kit_library name file parts)
  set(objects)
  foreach(part IN LISTS parts)
    list(APPEND objects $<TARGET_OBJECTS:${part}>)
  endforeach()
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${objects})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${file} LINKER_LANGUAGE CXX)
  # Headers must be compiled like the library.
  target_compile_definitions(${name} INTERFACE ${DCM_KIT_DEFINITIONS})
  target_compile_features(${name} INTERFACE cxx_std_23)
  target_include_directories(${name} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  install(TARGETS ${name} EXPORT dcm-kit ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT kit
    EXCLUDE_FROM_ALL)
endfunction()

dcm_add_kit_library(dcm_kit dcm-kit "${DCM_KIT_PARTS}")
set_target_properties(dcm_kit PROPERTIES EXPORT_NAME kit)
target_link_libraries(dcm_kit INTERFACE Boost::headers Boost::json Boost::url OpenSSL::SSL OpenSSL::Crypto
  prometheus-cpp::core spdlog::spdlog fmt::fmt simdjson::simdjson yaml-cpp nghttp2 ZLIB::ZLIB Threads::Threads)

dcm_add_kit_library(dcm_kit_testing dcm-kit-testing "${DCM_KIT_TESTING_PARTS}")
set_target_properties(dcm_kit_testing PROPERTIES EXPORT_NAME testing)

# CEL is independent: it needs RE2, and none of the above.
dcm_add_kit_library(dcm_kit_cel dcm-cel dcm_cel)
set_target_properties(dcm_kit_cel PROPERTIES EXPORT_NAME cel)
target_link_libraries(dcm_kit_cel INTERFACE re2)
# The in-memory API server evaluates admission policies and selectors.
target_link_libraries(dcm_kit_testing INTERFACE dcm_kit dcm_kit_cel)

dcm_add_kit_library(dcm_kit_driver dcm-kit-driver "${DCM_KIT_DRIVER_PARTS}")
set_target_properties(dcm_kit_driver PROPERTIES EXPORT_NAME driver)
target_link_libraries(dcm_kit_driver INTERFACE dcm_kit dcm_kit_cel)

add_custom_target(kit DEPENDS dcm_kit dcm_kit_testing dcm_kit_cel dcm_kit_driver dcm-test-apiserver)
install(TARGETS dcm-test-apiserver RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT kit EXCLUDE_FROM_ALL)

install(CODE "set(DCM_SOURCE \"${CMAKE_SOURCE_DIR}\")
  set(DCM_GENERATED \"${CMAKE_BINARY_DIR}/generated\")
  set(DCM_TO \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${DCM_KIT_HEADERS}\")
  include(\"${CMAKE_SOURCE_DIR}/cmake/install_headers.cmake\")" COMPONENT kit EXCLUDE_FROM_ALL)

# find_package(dcm-kit CONFIG)
install(EXPORT dcm-kit NAMESPACE dcm-kit:: DESTINATION "${DCM_KIT_CMAKE}" COMPONENT kit EXCLUDE_FROM_ALL)
configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/dcm-kit-config.cmake.in"
  "${CMAKE_BINARY_DIR}/dcm-kit-config.cmake" INSTALL_DESTINATION "${DCM_KIT_CMAKE}")
# Before 1.0, each minor version may break compatibility.
write_basic_package_version_file("${CMAKE_BINARY_DIR}/dcm-kit-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/dcm-kit-config.cmake" "${CMAKE_BINARY_DIR}/dcm-kit-config-version.cmake"
  DESTINATION "${DCM_KIT_CMAKE}" COMPONENT kit EXCLUDE_FROM_ALL)

# pkg-config dcm-kit and dcm-cel, relocatable
list(TRANSFORM DCM_KIT_DEFINITIONS PREPEND -D OUTPUT_VARIABLE DCM_KIT_CFLAGS)
list(JOIN DCM_KIT_CFLAGS " " DCM_KIT_CFLAGS)
file(RELATIVE_PATH DCM_KIT_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(name dcm-kit dcm-cel)
  configure_file("${CMAKE_SOURCE_DIR}/cmake/${name}.pc.in" "${CMAKE_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT kit
    EXCLUDE_FROM_ALL)
endforeach()
