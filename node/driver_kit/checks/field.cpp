#include "node/driver_kit/checks/field.hpp"

#include <cstdint>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace dcm::driver_kit {

namespace json = boost::json;

void Field::refuse(std::string_view why) const {
  if (!*fault_) *fault_ = path_.empty() ? std::string(why) : fmt::format("{}: {}", path_, why);
}

std::string_view Field::text() const {
  if (!is_set()) return {};
  if (value_->is_string()) return value_->get_string();
  refuse("must be a string");
  return {};
}

bool Field::flag() const {
  if (!is_set()) return false;
  if (!value_->is_bool()) refuse("must be a boolean");
  return value_->is_bool() && value_->get_bool();
}

void Field::must_be_integer() const {
  const bool is_integer =
      !is_set() || value_->is_int64() ||
      (value_->is_uint64() && static_cast<std::int64_t>(value_->get_uint64()) >= 0);
  if (!is_integer) refuse("must be an integer of 64 bits");
}

// Accepts plain numbers as well, like the API server's decoder.
std::optional<cel::Quantity> Field::quantity() const {
  if (!is_set()) return std::nullopt;
  const bool is_readable = value_->is_string() || value_->is_number();
  const auto parsed = value_->is_string() ? cel::Quantity::parse(text())
                                          : cel::Quantity::parse(json::serialize(*value_));
  if (is_readable && parsed) return *parsed;
  refuse("must be a quantity, such as 4Gi or 1500m");
  return std::nullopt;
}

const json::object* Field::object() const {
  if (!is_set()) return nullptr;
  if (!value_->is_object()) refuse("must be an object");
  return value_->if_object();
}

Field Field::at(std::string_view key) const {
  const json::object* const all = object();
  std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  return {all != nullptr ? all->if_contains(key) : nullptr, std::move(path), *fault_};
}

Field Field::entry(std::string_view key) const {
  const json::object* const all = object();
  return {all != nullptr ? all->if_contains(key) : nullptr, fmt::format("{}[{}]", path_, key),
          *fault_};
}

std::vector<Field> Field::items() const {
  std::vector<Field> found;
  if (!is_set()) return found;
  if (!value_->is_array()) {
    refuse("must be a list");
    return found;
  }
  for (const json::value& each : value_->get_array()) {
    found.emplace_back(&each, fmt::format("{}[{}]", path_, found.size()), *fault_);
  }
  return found;
}

std::vector<std::pair<std::string, Field>> Field::entries() const {
  std::vector<std::pair<std::string, Field>> found;
  const json::object* const all = object();
  if (all == nullptr) return found;
  for (const auto& [key, value] : *all) {
    found.emplace_back(key,
                       Field(&value, fmt::format("{}[{}]", path_, std::string_view(key)), *fault_));
  }
  return found;
}

}  // namespace dcm::driver_kit
