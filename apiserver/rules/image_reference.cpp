#include "apiserver/rules/image_reference.hpp"

#include <algorithm>

#include "runtime/ascii.hpp"

namespace dcm::apiserver {

namespace {

using runtime::is_alphanumeric;
using runtime::is_lower_alphanumeric;

constexpr std::size_t kPathMax = 255;

// "my-app", "a__b", "a.b": one or two underscores, a dot or dashes between letters.
bool is_component(std::string_view part) {
  if (part.empty() || !is_lower_alphanumeric(part.front()) || !is_lower_alphanumeric(part.back()))
    return false;
  for (std::size_t i = 0; i < part.size();) {
    if (is_lower_alphanumeric(part[i])) {
      ++i;
      continue;
    }
    const auto end = std::min(part.find_first_not_of(part[i], i), part.size());
    const std::size_t most = part[i] == '-' ? part.size() : part[i] == '_' ? 2 : 1;
    const bool is_separator = part[i] == '-' || part[i] == '_' || part[i] == '.';
    if (!is_separator || end - i > most || !is_lower_alphanumeric(part[end])) return false;
    i = end;
  }
  return true;
}

bool is_host_part(std::string_view part) {
  return !part.empty() && part.front() != '-' && part.back() != '-' &&
         std::ranges::all_of(part, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

// "registry.example.com:5000"
bool is_domain(std::string_view text) {
  const auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || port.find_first_not_of("0123456789") != std::string_view::npos) {
      return false;
    }
  }
  std::string_view host = text.substr(0, colon);
  while (true) {
    const auto dot = host.find('.');
    if (!is_host_part(host.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    host.remove_prefix(dot + 1);
  }
}

bool looks_like_domain(std::string_view part) {
  return part == "localhost" || part.find_first_of(".:") != std::string_view::npos ||
         std::ranges::any_of(part, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_path(std::string_view path) {
  while (true) {
    const auto slash = path.find('/');
    if (!is_component(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool is_name(std::string_view name) {
  constexpr std::size_t kLibrary =
      std::string_view("library/").size();  // the registry of a bare name
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return name.size() + kLibrary <= kPathMax && is_path(name);
  if (!looks_like_domain(name.substr(0, slash))) return name.size() <= kPathMax && is_path(name);
  const std::string_view path = name.substr(slash + 1);
  return path.size() <= kPathMax && is_domain(name.substr(0, slash)) && is_path(path);
}

}  // namespace

bool names_latest(std::string_view image) {
  if (image.contains('@')) return false;
  const auto colon = image.rfind(':');
  const auto slash = image.rfind('/');
  const bool is_tagged =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  if (is_tagged && image.substr(colon) != ":latest") return false;
  return is_name(is_tagged ? image.substr(0, colon) : image);
}

}  // namespace dcm::apiserver
