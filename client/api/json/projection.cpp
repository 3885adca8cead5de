#include "client/api/json/projection.hpp"

#include <algorithm>
#include <stdexcept>

#include "client/api/json/decoder.hpp"

namespace dcm::api::json {
namespace {

// A requested field, and the rest of its path.
struct Wanted {
  const AnyField* field;
  std::string_view ahead;
};
using AllWanted = std::vector<Wanted>;

// The rest of `path` inside `key`; empty if the path leads elsewhere.
std::string_view within(std::string_view path, std::string_view key) {
  const bool is_in = path.starts_with(key) && path.substr(key.size()).starts_with('.');
  return is_in ? path.substr(key.size() + 1) : std::string_view();
}

AllWanted within(const AllWanted& wanted, std::string_view key) {
  AllWanted inside;
  for (const Wanted& one : wanted) {
    const std::string_view ahead = within(one.ahead, key);
    if (!ahead.empty()) inside.push_back({one.field, ahead});
  }
  return inside;
}

bool is_object(value part) {
  ondemand::json_type type{};
  return part.type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::object;
}

// Reads an object of any kind by the table of its fields.
class AnyFields {
 public:
  explicit AnyFields(AnyKind kind) : kind_(std::make_shared<const AnyKind>(std::move(kind))) {
    for (const AnyField& field : kind_->fields) wanted_.push_back({&field, field.path});
  }

  bool read_field(std::string_view, std::string_view key, const Source& from,
                  AnyObject& object) const {
    const AllWanted inside = within(wanted_, key);
    if (key == "metadata") {
      return from.each_field([&](std::string_view name, const Source& part) {
        bool is_read = true;
        // `meta` has only whether it is there.
        if (name == "deletionTimestamp" && find(inside, name) != nullptr) {
          object.meta.is_being_deleted = !part.is_null();
          return read_part(name, part, inside, object);
        }
        if (offer(kFieldsOf<ObjectMeta>, name, part, object.meta, is_read)) return is_read;
        return read_part(name, part, inside, object);
      });
    }
    if (const Wanted* whole = find(wanted_, key)) return read(from, *whole, object);
    return inside.empty() || read_fields(from, inside, object);
  }

  bool is_kept(AnyObject& object) const {
    if (!object.object) object.object = kind_->make();
    kind_->identify(object.meta, object.object.get());
    return true;
  }

 private:
  static const Wanted* find(const AllWanted& wanted, std::string_view key) {
    const auto found = std::ranges::find(wanted, key, &Wanted::ahead);
    return found == wanted.end() ? nullptr : &*found;
  }

  bool read_fields(const Source& from, const AllWanted& wanted, AnyObject& object) const {
    return from.each_field([&](std::string_view name, const Source& inner) {
      return read_part(name, inner, wanted, object);
    });
  }

  bool read_part(std::string_view key, const Source& from, const AllWanted& wanted,
                 AnyObject& object) const {
    if (const Wanted* whole = find(wanted, key)) return read(from, *whole, object);
    const AllWanted inside = within(wanted, key);
    // Where "tls" is a text, it cannot contain the rest of "data.tls.crt".
    if (inside.empty() || !is_object(from.from())) return true;
    return read_fields(from, inside, object);
  }

  bool read(const Source& from, const Wanted& wanted, AnyObject& object) const {
    if (!object.object) object.object = kind_->make();
    if (from.is_null()) return true;
    value part = from.from();
    return wanted.field->read(FieldValue(from.reader(), &part), object.object.get());
  }

  std::shared_ptr<const AnyKind> kind_;  // shared: a copy's fields stay in place
  AllWanted wanted_;
};

void refuse(const std::string& path, const char* why) {
  throw std::invalid_argument("the field \"" + path + "\" " + why);
}

void check(const std::vector<AnyField>& fields) {
  for (const AnyField& field : fields) {
    if (field.path.empty() || field.path == "metadata") refuse(field.path, "names no field");
    for (const char* known : {"name", "namespace", "uid", "resourceVersion"}) {
      if (field.path == std::string("metadata.") + known)
        refuse(field.path, "is in `meta` already");
    }
    for (const AnyField& other : fields) {
      if (&other != &field && other.path == field.path) refuse(field.path, "is read twice");
      if (!within(other.path, field.path).empty()) {
        refuse(other.path, "is read as a part of another already");
      }
    }
  }
}

}  // namespace

std::unique_ptr<Decoder<AnyObject>> make_any_decoder(AnyKind kind) {
  check(kind.fields);
  return std::make_unique<JsonDecoder<AnyObject, AnyFields>>(AnyFields(std::move(kind)));
}

}  // namespace dcm::api::json
