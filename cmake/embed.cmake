# Writes a C++ source that holds files as they are: cmake -DOUT=… -DFUNCTION=… -P embed.cmake FILE…
#
# Not #embed: ccache would not notice that an embedded file has changed.
set(rows "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(number RANGE 0 ${last})
  if(CMAKE_ARGV${number} STREQUAL "${CMAKE_CURRENT_LIST_FILE}")
    math(EXPR first "${number} + 1")
  endif()
endforeach()
foreach(number RANGE ${first} ${last})
  set(path "${CMAKE_ARGV${number}}")
  get_filename_component(name "${path}" NAME)
  file(READ "${path}" bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${bytes}")
  string(APPEND rows "    {\"${name}\", std::string_view(\"${escaped}\", ${size})},\n")
endforeach()
file(WRITE "${OUT}" "// Made by cmake/embed.cmake.
#include \"playground/ui/ui_files.hpp\"
namespace dcm::playground {
namespace {
constexpr UiFile kFiles[] = {
${rows}};
}  // namespace
std::span<const UiFile> ${FUNCTION}() {
  return kFiles;
}
}  // namespace dcm::playground
")
