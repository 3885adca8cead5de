#include "test/simulation/memory.hpp"

#include <map>
#include <regex>

#include <fmt/format.h>

namespace dcm::simulation {
namespace {

// All objects of a world are small, except templates that are too large to cache, and slices, which
// are few.
constexpr double kBytesOfObject = 2'048;
constexpr double kBytesOfTables = 32'768;

// By kind.
std::map<std::string, double> gauges(const std::string& metrics, const std::string& name) {
  const std::regex line(name + R"re(\{resource="([a-z]+)"\} ([0-9.e+]+))re");
  std::map<std::string, double> values;
  for (std::sregex_iterator found(metrics.begin(), metrics.end(), line), end; found != end;
       ++found) {
    values[(*found)[1]] = std::stod((*found)[2]);
  }
  return values;
}

}  // namespace

std::optional<Breach> memory_breach(const std::string& metrics) {
  const auto objects = gauges(metrics, "controller_informer_objects");
  const auto memory = gauges(metrics, "controller_informer_bytes");
  if (memory.empty()) return Breach{"caches say what memory they take", {}};
  for (const auto& [kind, bytes] : memory) {
    const double most = objects.at(kind) * kBytesOfObject + kBytesOfTables;
    if (bytes <= most) continue;
    return Breach{"caches take little memory",
                  fmt::format("{}: {} bytes for {} objects", kind, bytes, objects.at(kind))};
  }
  return std::nullopt;
}

}  // namespace dcm::simulation
