# Third-party packages, all from Debian 12 (./dev has the list of installed ones).

find_package(Threads REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers json url)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(simdjson REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(prometheus-cpp REQUIRED CONFIG)
find_package(GTest REQUIRED)
find_path(DCM_PROTOZERO_INCLUDE protozero/pbf_writer.hpp REQUIRED)

# nghttp2 has no CMake package, and pkg-config would need to know the other machine's root.
find_path(DCM_NGHTTP2_INCLUDE nghttp2/nghttp2.h REQUIRED)
find_library(DCM_NGHTTP2_LIBRARY nghttp2 REQUIRED)
add_library(dcm::nghttp2 INTERFACE IMPORTED)
target_include_directories(dcm::nghttp2 INTERFACE "${DCM_NGHTTP2_INCLUDE}")
target_link_libraries(dcm::nghttp2 INTERFACE "${DCM_NGHTTP2_LIBRARY}")

# Neither has RE2 in Debian 12.
find_path(DCM_RE2_INCLUDE re2/re2.h REQUIRED)
find_library(DCM_RE2_LIBRARY re2 REQUIRED)
add_library(dcm::re2 INTERFACE IMPORTED)
target_include_directories(dcm::re2 INTERFACE "${DCM_RE2_INCLUDE}")
target_link_libraries(dcm::re2 INTERFACE "${DCM_RE2_LIBRARY}")
