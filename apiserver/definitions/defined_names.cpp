#include "apiserver/definitions/defined_names.hpp"

#include <utility>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

// Names of resources and kinds.
class Names {
 public:
  Names(const JsonObject& names, std::string path, Causes& causes)
      : names_(names), path_(std::move(path)), causes_(causes) {}

  void require() {
    for (const auto* name : {"plural", "singular", "kind", "listKind"}) {
      if (text_at(names_, {name}).empty()) causes_.push_back(required_value(field(name)));
    }
  }

  void validate() {
    for (const auto* name : {"plural", "singular"}) {
      if (!text_at(names_, {name}).empty())
        validate_name_label(names_.at(name), field(name), causes_);
    }
    for (const auto* name : {"kind", "listKind"}) {
      const std::string_view kind = text_at(names_, {name});
      if (!kind.empty()) validate_kind_name(kind, field(name), causes_);
    }
    validate_all("shortNames");
    const std::string_view kind = text_at(names_, {"kind"});
    if (!kind.empty() && kind == text_at(names_, {"listKind"})) {
      causes_.push_back(
          invalid_value(field("listKind"), Json(kind), "kind and listKind may not be the same"));
    }
    validate_all("categories");
  }

 private:
  std::string field(std::string_view name) const { return fmt::format("{}.{}", path_, name); }

  void validate_all(std::string_view name) {
    std::size_t index = 0;
    for (const Json& one : array_at(names_, {name})) {
      validate_name_label(one, indexed(field(name), index++), causes_);
    }
  }

  const JsonObject& names_;
  std::string path_;
  Causes& causes_;
};

}  // namespace

void validate_name_label(const Json& value, const std::string& path, Causes& causes) {
  const Problems problems = problems_with_name(NameRule::dns_1035_label, as_text(value));
  if (!problems.empty()) causes.push_back(invalid_value(path, value, joined(problems, ",")));
}

void validate_defined_names(const JsonObject& names, const std::string& path, Causes& causes) {
  Names(names, path, causes).validate();
}

void require_defined_names(const JsonObject& names, const std::string& path, Causes& causes) {
  Names(names, path, causes).require();
}

}  // namespace dcm::apiserver
