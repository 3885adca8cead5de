#include "apiserver/fields/json_patch.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "apiserver/text/item_budget.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kMaxOperations = 10'000;
// How many bytes all copies of a patch may add: each could double the object.
constexpr std::size_t kMaxCopied = 3 * 1024 * 1024;
// How deep a document may become in between: it is destroyed recursively.
constexpr std::size_t kMaxLevels = 500;
// How often the levels are counted, which takes a walk over the document.
constexpr std::size_t kMaxCounts = 100;

// The reason is not given: the real server hides the library's text.
std::unexpected<ApiError> does_not_apply() {
  return std::unexpected(ApiError{422, "Invalid",
                                  "the server rejected our request due to an error in our request",
                                  JsonObject()});
}

std::string unescaped(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    if (is_escape && (token[i + 1] == '0' || token[i + 1] == '1')) {
      text += token[++i] == '0' ? '~' : '/';
    } else {
      text += token[i];
    }
  }
  return text;
}

// An index as parsed by Go's Atoi, non-negative after adding `size` to negative ones.
std::optional<std::size_t> index_in(std::string_view text, std::size_t size) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t index = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (index < 0) index += static_cast<std::int64_t>(size);
  if (index < 0) return std::nullopt;
  return static_cast<std::size_t>(index);
}

// A place in the document: a member of an object, or an item of a list.
class Place {
 public:
  // nullopt if there is nothing around it. The text before the first slash is ignored.
  static std::optional<Place> find(JsonObject& root, std::string_view pointer) {
    const auto slash = pointer.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    pointer.remove_prefix(slash + 1);
    Place place{&root, nullptr, ""};
    while (true) {
      const auto end = pointer.find('/');
      place.key_ = unescaped(pointer.substr(0, end));
      if (end == std::string_view::npos) return place;
      pointer.remove_prefix(end + 1);
      Json* next = place.value();
      if (next == nullptr || (!next->is_object() && !next->is_array())) return std::nullopt;
      place = {next->if_object(), next->if_array(), ""};
    }
  }

  // Null if it is missing.
  Json* value() const {
    if (object_ != nullptr) return object_->if_contains(key_);
    const auto index = index_in(key_, list_->size());
    return index && *index < list_->size() ? &(*list_)[*index] : nullptr;
  }
  // A missing member counts as null.
  bool may_read() const { return object_ != nullptr || value() != nullptr; }

  bool add(Json value) const {
    if (object_ != nullptr) {
      (*object_)[key_] = std::move(value);
      return true;
    }
    if (key_ == "-") {
      list_->push_back(std::move(value));
      return true;
    }
    const auto index = index_in(key_, list_->size() + 1);
    if (!index || *index > list_->size()) return false;
    list_->insert(list_->begin() + *index, std::move(value));
    return true;
  }

  void set(Json value) const {
    if (object_ != nullptr) {
      (*object_)[key_] = std::move(value);
    } else {
      *this->value() = std::move(value);
    }
  }

  bool remove() const {
    Json* there = value();
    if (there == nullptr) return false;
    if (object_ != nullptr) {
      object_->erase(key_);
    } else {
      list_->erase(list_->begin() + (there - list_->data()));
    }
    return true;
  }

 private:
  Place(JsonObject* object, JsonArray* list, std::string key)
      : object_(object), list_(list), key_(std::move(key)) {}

  JsonObject* object_;  // one of the two
  JsonArray* list_;
  std::string key_;
};

struct Operation {
  std::string_view kind;
  std::string_view path;
  std::string_view from;
  Json value;
};

std::optional<Operation> operation_of(const Json& item) {
  if (!item.is_object()) return std::nullopt;
  const JsonObject& shown = item.get_object();
  if (!has(shown, {"path"})) return std::nullopt;
  const Json* value = find(shown, {"value"});
  return Operation{text_at(shown, {"op"}), text_at(shown, {"path"}), text_at(shown, {"from"}),
                   value != nullptr ? *value : Json()};
}

// The value at `from`; nullopt if there is no such place.
std::optional<Json> read(JsonObject& root, std::string_view from) {
  const auto place = Place::find(root, from);
  if (!place || !place->may_read()) return std::nullopt;
  const Json* value = place->value();
  return value != nullptr ? *value : Json();
}

bool replace_all(JsonObject& root, const Json& value) {
  if (!value.is_object()) return false;
  root = value.get_object();
  return true;
}

// `copied` adds up over the operations of a patch.
bool carry_out(JsonObject& root, const Operation& operation, std::size_t& copied) {
  Json value = operation.value;
  if (operation.kind == "copy") {
    auto there = read(root, operation.from);
    if (!there) return false;
    value = std::move(*there);
  } else if (operation.kind == "move") {
    const auto from = Place::find(root, operation.from);
    if (!from || from->value() == nullptr) return false;
    value = std::move(*from->value());
    if (!from->remove()) return false;
  }
  if (operation.kind == "copy" && (copied += serialize(value).size()) > kMaxCopied) return false;
  if (operation.path.empty() && operation.kind == "replace") return replace_all(root, value);
  if (operation.path.empty() && operation.kind == "test") return Json(root) == value;
  const auto place = Place::find(root, operation.path);
  if (!place) return false;
  if (operation.kind == "add" || operation.kind == "move" || operation.kind == "copy") {
    return place->add(std::move(value));
  }
  if (operation.kind == "remove") return place->remove();
  if (!place->may_read()) return false;
  if (operation.kind == "replace") {
    place->set(std::move(value));
    return true;
  }
  const Json* there = place->value();
  return operation.kind == "test" && (there != nullptr ? *there == value : value.is_null());
}

// An upper bound of the document's levels after an operation, from one before it.
std::size_t levels_after(const Operation& operation, std::size_t levels) {
  if (operation.kind == "test" || operation.kind == "remove") return levels;
  const auto steps = [](std::string_view pointer) {
    return static_cast<std::size_t>(std::ranges::count(pointer, '/'));
  };
  const bool is_there = operation.kind == "copy" || operation.kind == "move";
  const std::size_t added =
      is_there ? levels - std::min(levels, steps(operation.from)) : levels_of(operation.value);
  return std::max(levels, steps(operation.path) + added);
}

// The error of an operation as a document, or "". Null means absent, as everywhere in Go.
std::string problem_with(const Json& operation, OperationStrings strings) {
  if (operation.is_null()) return "";
  if (!operation.is_object()) return "an operation is not an object";
  if (strings == OperationStrings::unchecked) return "";
  for (const auto* name : {"op", "path", "from"}) {
    const Json* text = operation.get_object().if_contains(name);
    if (text != nullptr && !text->is_string() && !text->is_null()) {
      return fmt::format("the {} of an operation is not a string", name);
    }
  }
  return "";
}

}  // namespace

Result<JsonArray> decode_json_patch(std::string_view body, OperationStrings strings) {
  std::string problem;
  auto json = parse_body(body, problem);
  if (!json) return std::unexpected(bad_request("invalid JSON patch"));
  if (json->is_null()) return JsonArray();
  if (!json->is_array()) {
    return std::unexpected(bad_request("error decoding patch: it is not a list of operations"));
  }
  if (const std::size_t size = json->get_array().size(); size > kMaxOperations) {
    return std::unexpected(too_large(fmt::format(
        "The allowed maximum operations in a JSON patch is {}, got {}", kMaxOperations, size)));
  }
  for (const Json& operation : json->get_array()) {
    if (std::string wrong = problem_with(operation, strings); !wrong.empty()) {
      return std::unexpected(bad_request("error decoding patch: " + wrong));
    }
  }
  return std::move(json->get_array());
}

std::vector<std::string> unknown_json_patch_fields(const JsonArray& patch) {
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (!patch[i].is_object()) continue;
    for (const auto& [name, value] : patch[i].get_object()) {
      const bool is_known = name == "op" || name == "path" || name == "from" || name == "value";
      if (is_known || unknown.size() >= kReportedMax) continue;
      unknown.push_back(fmt::format("[{}].{}", i, std::string_view(name)));
    }
  }
  return unknown;
}

Result<> apply_json_patch(JsonObject& object, const JsonArray& patch) {
  std::size_t copied = 0;
  std::size_t levels_at_most = levels_of(object);
  std::size_t counts = 0;
  for (const Json& item : patch) {
    const auto operation = operation_of(item);
    // The library accepts a list as the whole document; the result is then no object of any kind.
    if (operation && operation->kind == "replace" && operation->path.empty() &&
        operation->value.is_array()) {
      return std::unexpected(invalid_patch(operation->value, "it is not an object"));
    }
    if (!operation || !carry_out(object, *operation, copied)) return does_not_apply();
    levels_at_most = levels_after(*operation, levels_at_most);
    if (levels_at_most <= kMaxLevels) continue;
    levels_at_most = levels_of(object);
    if (levels_at_most > kMaxLevels || ++counts > kMaxCounts) {
      return std::unexpected(too_large("the patch nests too deeply"));
    }
  }
  return {};
}

}  // namespace dcm::apiserver
