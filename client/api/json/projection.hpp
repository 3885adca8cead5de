// A kind that is a handful of texts, as a table: for kinds that a controller brings itself.
//
//   struct Greeting { api::ObjectMeta meta; std::string name; };
//   auto decoder = json::make_projection<Greeting>({{"spec.name", &Greeting::name}});
//
// What has lists, numbers or rules of its own is a `Fields` for JsonDecoder (decoder.hpp).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/api/json/decoder.hpp"

namespace dcm::api::json {

// Where a text stands, `metadata` apart: "kind", "spec.name", "data.tls.crt". What is before the
// first dot is a field of the object, what is behind it a field of that.
template <class T>
struct TextField {
  std::string_view path;  // lives as long as the program
  std::string T::* member;
};

template <class T>
class Projection {
 public:
  explicit Projection(std::vector<TextField<T>> fields) : fields_(std::move(fields)) {}

  bool read_field(Reader& reader, std::string_view key, value field, T& object) const {
    if (key == "metadata") return read_metadata(reader, field, object.meta);
    for (const auto& [path, member] : fields_) {
      if (path == key) return reader.text(field, object.*member);
    }
    if (!has_part_of(key)) return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      for (const auto& [path, member] : fields_) {
        if (is(path, key, name)) return reader.text(part, object.*member);
      }
      return true;
    });
  }
  bool is_kept(const T&) const { return true; }

 private:
  static bool begins(std::string_view path, std::string_view key) {
    return path.starts_with(key) && path.substr(key.size()).starts_with('.');
  }
  static bool is(std::string_view path, std::string_view key, std::string_view name) {
    return begins(path, key) && path.substr(key.size() + 1) == name;
  }
  bool has_part_of(std::string_view key) const {
    for (const TextField<T>& field : fields_) {
      if (begins(field.path, key)) return true;
    }
    return false;
  }

  std::vector<TextField<T>> fields_;
};

template <class T>
std::unique_ptr<Decoder<T>> make_projection(std::vector<TextField<T>> fields) {
  return std::make_unique<JsonDecoder<T, Projection<T>>>(Projection<T>(std::move(fields)));
}

}  // namespace dcm::api::json
