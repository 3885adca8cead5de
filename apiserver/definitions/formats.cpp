#include "apiserver/definitions/formats.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>

#include <arpa/inet.h>

#include "apiserver/rules/names.hpp"
#include "cel/kubernetes/libraries.hpp"
#include "cel/regex.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

bool is_ipv4(std::string_view text) {
  return is_address(AF_INET, text);
}

bool is_ipv6(std::string_view text) {
  return is_address(AF_INET6, text);
}

bool is_cidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view bits = text.substr(slash + 1);
  unsigned count = 0;
  const auto [end, failed] = std::from_chars(bits.data(), bits.data() + bits.size(), count);
  if (failed != std::errc() || end != bits.data() + bits.size()) return false;
  const std::string_view address = text.substr(0, slash);
  return (is_ipv4(address) && count <= 32) || (is_ipv6(address) && count <= 128);
}

// "YYYY-MM-DD"
bool is_date(std::string_view text) {
  return text.size() == 10 &&
         runtime::parse_timestamp(std::string(text) + "T00:00:00Z").has_value();
}

bool is_date_time(std::string_view text) {
  return text.size() > 10 && (text[10] == 'T' || text[10] == 't') &&
         runtime::parse_timestamp(text).has_value();
}

bool is_anything(std::string_view) {
  return true;
}

bool is_short_name(std::string_view text) {
  return problems_with_name(NameRule::dns_label, text).empty();
}

bool is_long_name(std::string_view text) {
  return problems_with_name(NameRule::dns_subdomain, text).empty();
}

struct Format {
  std::string_view name;
  bool (*fits)(std::string_view) = nullptr;
  std::string_view pattern = {};
};

constexpr Format kFormats[] = {
    {"bsonobjectid", nullptr, "^[0-9a-fA-F]{24}$"},
    {"uri", cel::is_request_uri},
    {"email", nullptr, "^[^@\\s<>]+@[^@\\s<>]+$"},
    {"hostname", nullptr,
     "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-"
     "zA-"
     "Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$"},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"cidr", is_cidr},
    {"mac", nullptr,
     "^(?:(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{2}[:-]){7}[0-9a-fA-F]{2}|(?:[0-9a-"
     "fA-F]{4}\\.){2}[0-9a-fA-F]{4})$"},
    {"uuid", nullptr, "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid3", nullptr, "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid4", nullptr,
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
    {"uuid5", nullptr,
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
    {"isbn", nullptr, "^(?:[0-9]{9}X|[0-9]{10}|(?:978-?|979-?)?[0-9-]{10,17})$"},
    {"isbn10", nullptr, "^(?:[0-9-]{9,12}X|[0-9-]{10,13})$"},
    {"isbn13", nullptr, "^(?:[0-9]-?){13}$"},
    {"creditcard", nullptr, "^[0-9 -]{13,23}$"},
    {"ssn", nullptr, "^\\d{3}[- ]?\\d{2}[- ]?\\d{4}$"},
    {"hexcolor", nullptr, "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"},
    {"rgbcolor", nullptr, "^rgb\\(\\s*\\d{1,3}\\s*,\\s*\\d{1,3}\\s*,\\s*\\d{1,3}\\s*\\)$"},
    {"byte", nullptr,
     "^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})$"},
    {"password", is_anything},
    {"date", is_date},
    {"duration", nullptr,
     "^(?:[-+]?(?:0|(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))+)|\\d+\\s*(?:ns|nanos?|"
     "nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|sec|secs|seconds?|m|min|"
     "mins|minutes?|h|hr|hours?|d|days?|w|wk|weeks?))$"},
    {"datetime", is_date_time},
    {"k8sshortname", is_short_name},
    {"k8slongname", is_long_name},
};

std::string normalized(std::string_view format) {
  std::string plain(format);
  std::erase(plain, '-');
  return plain;
}

const Format* find_format(std::string_view format) {
  const auto* const found = std::ranges::find(kFormats, normalized(format), &Format::name);
  return found == std::end(kFormats) ? nullptr : found;
}

const cel::Regex& regex_of(const Format& format) {
  static std::map<std::string_view, cel::Regex> regexes;
  const auto found = regexes.find(format.name);
  if (found != regexes.end()) return found->second;
  return regexes.emplace(format.name, std::move(*cel::Regex::compile(format.pattern)))
      .first->second;
}

}  // namespace

bool is_known_format(std::string_view type, std::string_view format) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  return (type.empty() || type == "string") && find_format(format) != nullptr;
}

bool fits_format(std::string_view format, std::string_view text) {
  const Format* const found = find_format(format);
  if (found == nullptr) return true;
  return found->fits != nullptr ? found->fits(text) : regex_of(*found).matches(text);
}

}  // namespace dcm::apiserver
