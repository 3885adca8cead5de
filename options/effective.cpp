#include "options/effective.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::options {
namespace {

// Names a required row that is missing, or two rows that exclude each other; empty: neither.
std::string misfit(std::span<const Setting> table, std::span<const Given> given) {
  const auto find = [&](const Setting* row) {
    return std::ranges::find(given, row, &Given::setting);
  };
  for (const Setting& row : table) {
    const auto one = find(&row);
    const bool is_given = one != given.end();
    if (row.is_required && !is_given) return fmt::format("--{}: must be given", row.text.flag);
    for (const std::string& other : row.excludes) {
      if (!is_given || find(find_flag(table, other)) == given.end()) continue;
      return fmt::format("{}: cannot be combined with --{}", one->where, other);
    }
  }
  return {};
}

}  // namespace

std::expected<Effective, std::string> apply_settings(std::span<const Setting> table,
                                                     std::span<const Given> given) {
  Effective effective;
  for (const Setting& row : table) {
    effective.values.push_back(row.by_default);
    effective.places.push_back("--" + row.text.flag);
  }
  for (const Given& one : given) {
    const auto index = static_cast<std::size_t>(one.setting - table.data());
    effective.values[index] = overlay(effective.values[index], one.value);
    effective.places[index] = one.where;
    // Even if a flag overrides it: a wrong file is an error.
    if (const std::string why = one.setting->apply(one.value); !why.empty()) {
      return std::unexpected(fmt::format("{}: {}", one.where, why));
    }
  }
  if (std::string why = misfit(table, given); !why.empty()) return std::unexpected(std::move(why));
  for (std::size_t i = 0; i < table.size(); ++i) table[i].apply(effective.values[i]);
  return effective;
}

std::string describe(const Conflict& conflict, std::span<const Setting> table,
                     const Effective& effective) {
  const Setting* const row = find_flag(table, conflict.flag);
  if (row == nullptr) return conflict.why;
  const auto index = static_cast<std::size_t>(row - table.data());
  return fmt::format("{}: {}", effective.places[index], conflict.why);
}

}  // namespace dcm::options
