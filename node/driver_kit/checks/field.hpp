// A field of an object to be sent to the API server, with its path for error messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include "cel/kubernetes/quantity.hpp"

namespace dcm::driver_kit {

// "devices[gpu-0].name: must be …"; nullopt: all is well. The first error is kept.
using Fault = std::optional<std::string>;

// Reads like the API server's decoder: null is absent, and a value of another type is rejected. An
// absent field reads as an empty one. The value and the fault must outlive it.
class Field {
 public:
  Field(const boost::json::value* value, std::string path, Fault& fault)
      : value_(value), path_(std::move(path)), fault_(&fault) {}

  void refuse(std::string_view why) const;
  // Rejects the field for the reason returned by a check of checks/names.hpp; empty: none.
  void refuse_if(std::string_view why) const {
    if (!why.empty()) refuse(why);
  }

  bool is_set() const { return value_ != nullptr && !value_->is_null(); }
  const boost::json::value* value() const { return value_; }
  const std::string& path() const { return path_; }

  std::string_view text() const;
  bool flag() const;
  void must_be_integer() const;
  std::optional<cel::Quantity> quantity() const;

  Field at(std::string_view key) const;     // "path.key"
  Field entry(std::string_view key) const;  // "path[key]"
  Field renamed(std::string path) const { return {value_, std::move(path), *fault_}; }
  std::vector<Field> items() const;                            // "path[0]", …
  std::vector<std::pair<std::string, Field>> entries() const;  // of a map: "path[key]", …

 private:
  const boost::json::object* object() const;

  const boost::json::value* value_;
  std::string path_;
  Fault* fault_;
};

}  // namespace dcm::driver_kit
