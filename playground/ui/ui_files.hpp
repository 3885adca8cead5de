// The files of static/, which the build puts into the binary (cmake/embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace dcm::playground {

struct UiFile {
  std::string_view name;  // "index.html"
  std::string_view content;
};

std::span<const UiFile> ui_files();

}  // namespace dcm::playground
