// Label and field selectors of lists and watches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/api_error.hpp"
#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

class Selector {
 public:
  // 400 if it cannot be parsed, or names a field that the kind does not offer.
  static Result<Selector> parse(const ResourceType& type, std::string_view labels,
                                std::string_view fields);

  bool matches(const JsonObject& object) const;
  bool selects_everything() const { return terms_.empty(); }
  // Whether it selects by `metadata.name=…`.
  bool selects_one_name() const { return selects("metadata.name"); }
  // The selected name; valid as long as the selector.
  std::optional<std::string_view> selected_name() const;
  // Whether it selects pods by `spec.nodeName=…`.
  bool selects_node() const { return type_->is("Pod") && selects("spec.nodeName"); }
  // Whether the terms about the node match, ignoring the others.
  bool matches_node(const JsonObject& pod) const;

 private:
  enum class Operator { in, not_in, exists, does_not_exist, greater, less };
  enum class On { label, field };
  struct Term {
    On on;
    std::string key;
    Operator op;
    std::vector<std::string> values = {};
  };

  static Result<> parse_labels(std::string_view text, std::vector<Term>& terms);
  static Result<> parse_fields(const ResourceType& type, std::string_view text,
                               std::vector<Term>& terms);
  static Result<Term> parse_label_term(std::string_view text);
  static Result<> check_label_term(const Term& term);
  bool selects(std::string_view field) const;
  static bool holds(const Term& term, const std::string* value);

  const ResourceType* type_ = nullptr;
  std::vector<Term> terms_;
};

}  // namespace dcm::apiserver
