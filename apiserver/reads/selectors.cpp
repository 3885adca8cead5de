#include "apiserver/reads/selectors.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/strategy.hpp"
#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

// Splits at commas outside of parentheses.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool is_end = i == text.size() || (text[i] == ',' && depth == 0);
    if (!is_end) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      continue;
    }
    if (const auto term = without_blanks(text.substr(begin, i - begin)); !term.empty()) {
      terms.push_back(term);
    }
    begin = i + 1;
  }
  return terms;
}

// In order, each once. An empty list is one empty value.
std::vector<std::string> split_values(std::string_view list) {
  std::set<std::string> values;
  for (const auto part : std::views::split(list, ',')) {
    values.emplace(without_blanks(std::string_view(part)));
  }
  if (values.empty()) values.emplace();
  return {values.begin(), values.end()};
}

// Events of the newer API group have other names for the same fields.
SelectableFields as_events_v1(SelectableFields fields) {
  constexpr std::string_view kOld = "involvedObject.";
  SelectableFields renamed = {{"reason", fields["reason"]},
                              {"type", fields["type"]},
                              {"reportingController", fields["reportingComponent"]}};
  for (auto& [name, value] : fields) {
    if (name.starts_with(kOld)) {
      renamed["regarding." + name.substr(kOld.size())] = std::move(value);
    }
  }
  return renamed;
}

SelectableFields all_fields(const ResourceType& type, const JsonObject& object) {
  SelectableFields fields = type.strategy->selectable_fields(object);
  if (type.group == "events.k8s.io") fields = as_events_v1(std::move(fields));
  fields["metadata.name"] = text_at(object, {"metadata", "name"});
  if (type.namespaced()) fields["metadata.namespace"] = text_at(object, {"metadata", "namespace"});
  return fields;
}

// Kinds without field selectors answer with a default text.
ApiError unknown_field(const ResourceType& type, std::string_view field) {
  if (type.defined != nullptr || !type.strategy->selectable_fields({}).empty()) {
    return bad_request(fmt::format("field label not supported: {}", field));
  }
  return bad_request(fmt::format("\"{}\" is not a known field selector: only \"metadata.name\"{}",
                                 field, type.namespaced() ? ", \"metadata.namespace\"" : ""));
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A field.Error of labels.NewRequirement.
std::string cause_text(std::string_view path, std::string_view value, const Problems& problems) {
  return fmt::format("{}: {}", path,
                     invalid_value("", Json(value), joined(problems, "; ")).message);
}

struct Split {
  std::string_view key;
  std::string_view value;
  bool equal;
};

// "key=value", "key==value" or "key!=value".
std::optional<Split> split_equality(std::string_view term) {
  const auto at = term.find('=');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const bool is_equal = term[at - 1] != '!';
  const auto value = at + 1 < term.size() && term[at + 1] == '=' ? at + 2 : at + 1;
  return Split{without_blanks(term.substr(0, is_equal ? at : at - 1)),
               without_blanks(term.substr(value)), is_equal};
}

}  // namespace

Result<Selector::Term> Selector::parse_label_term(std::string_view text) {
  const auto open = text.find('(');
  if (open != std::string_view::npos) {
    const auto close = text.rfind(')');
    const auto head = without_blanks(text.substr(0, open));
    const bool is_none = head.ends_with(" notin");
    const bool is_in = head.ends_with(" in");
    if (close == std::string_view::npos || (!is_none && !is_in)) {
      return std::unexpected(bad_request(fmt::format("unable to parse requirement: {}", text)));
    }
    return Term{On::label,
                std::string(without_blanks(head.substr(0, head.size() - (is_none ? 6 : 3)))),
                is_none ? Operator::not_in : Operator::in,
                split_values(text.substr(open + 1, close - open - 1))};
  }
  if (const auto split = split_equality(text)) {
    return Term{On::label,
                std::string(split->key),
                split->equal ? Operator::in : Operator::not_in,
                {std::string(split->value)}};
  }
  if (const auto at = text.find_first_of("<>"); at != std::string_view::npos) {
    return Term{On::label,
                std::string(without_blanks(text.substr(0, at))),
                text[at] == '<' ? Operator::less : Operator::greater,
                {std::string(without_blanks(text.substr(at + 1)))}};
  }
  if (text.starts_with('!')) {
    return Term{On::label, std::string(without_blanks(text.substr(1))), Operator::does_not_exist};
  }
  if (text.contains(' ')) {
    return std::unexpected(bad_request(fmt::format("unable to parse requirement: {}", text)));
  }
  return Term{On::label, std::string(text), Operator::exists};
}

Result<> Selector::check_label_term(const Term& term) {
  const auto refused = [](const Problems& causes) {
    const std::string all = joined(causes, ", ");
    return std::unexpected(bad_request("unable to parse requirement: " +
                                       (causes.size() == 1 ? all : "[" + all + "]")));
  };
  if (const Problems problems = problems_with_qualified_name(term.key); !problems.empty()) {
    return refused({cause_text("<nil>", term.key, problems)});
  }
  Problems causes;
  for (std::size_t i = 0; i < term.values.size(); ++i) {
    const std::string& value = term.values[i];
    const std::string path = indexed("values", i);
    if ((term.op == Operator::less || term.op == Operator::greater) && !number(value)) {
      causes.push_back(
          cause_text(path, value, {"for 'Gt', 'Lt' operators, the value must be an integer"}));
    }
    if (const Problems problems = problems_with_label_value(value); !problems.empty()) {
      causes.push_back(cause_text(path + "[" + term.key + "]", value, problems));
    }
  }
  if (causes.empty()) return {};
  return refused(causes);
}

Result<> Selector::parse_labels(std::string_view text, std::vector<Term>& terms) {
  for (const auto part : split_terms(text)) {
    auto term = parse_label_term(part);
    if (!term) return std::unexpected(std::move(term.error()));
    if (auto valid = check_label_term(*term); !valid) return valid;
    terms.push_back(std::move(*term));
  }
  return {};
}

Result<> Selector::parse_fields(const ResourceType& type, std::string_view text,
                                std::vector<Term>& terms) {
  const SelectableFields known = all_fields(type, {});
  for (const auto part : split_terms(text)) {
    const auto split = split_equality(part);
    if (!split) {
      return std::unexpected(
          bad_request(fmt::format("invalid selector: '{}'; can't understand '{}'", text, part)));
    }
    if (!known.contains(split->key)) {
      return std::unexpected(unknown_field(type, split->key));
    }
    terms.push_back({On::field,
                     std::string(split->key),
                     split->equal ? Operator::in : Operator::not_in,
                     {std::string(split->value)}});
  }
  return {};
}

Result<Selector> Selector::parse(const ResourceType& type, std::string_view labels,
                                 std::string_view fields) {
  Selector selector;
  selector.type_ = &type;
  if (auto parsed = parse_labels(labels, selector.terms_); !parsed) {
    return std::unexpected(std::move(parsed.error()));
  }
  if (auto parsed = parse_fields(type, fields, selector.terms_); !parsed) {
    return std::unexpected(std::move(parsed.error()));
  }
  return selector;
}

bool Selector::selects(std::string_view field) const {
  return std::ranges::any_of(terms_, [&](const Term& term) {
    return term.on == On::field && term.op == Operator::in && term.key == field;
  });
}

std::optional<std::string_view> Selector::selected_name() const {
  for (const Term& term : terms_) {
    const bool names = term.on == On::field && term.op == Operator::in && term.values.size() == 1;
    if (names && term.key == "metadata.name") return term.values.front();
  }
  return std::nullopt;
}

bool Selector::holds(const Term& term, const std::string* value) {
  const auto listed = [&] {
    return value != nullptr && std::ranges::find(term.values, *value) != term.values.end();
  };
  switch (term.op) {
    case Operator::in:
      return listed();
    case Operator::not_in:
      return !listed();
    case Operator::exists:
      return value != nullptr;
    case Operator::does_not_exist:
      return value == nullptr;
    case Operator::greater:
    case Operator::less: {
      const auto left = value != nullptr ? number(*value) : std::nullopt;
      const auto right = number(term.values.front());
      if (!left || !right) return false;
      return term.op == Operator::less ? *left < *right : *left > *right;
    }
  }
  return false;
}

bool Selector::matches_node(const JsonObject& pod) const {
  const std::string node(text_at(pod, {"spec", "nodeName"}));
  return std::ranges::all_of(terms_, [&](const Term& term) {
    return term.on == On::label || term.key != "spec.nodeName" || holds(term, &node);
  });
}

bool Selector::matches(const JsonObject& object) const {
  if (terms_.empty()) return true;
  const JsonObject& labels = object_at(object, {"metadata", "labels"});
  const bool asks_fields =
      std::ranges::any_of(terms_, [](const Term& term) { return term.on == On::field; });
  const SelectableFields fields = asks_fields ? all_fields(*type_, object) : SelectableFields();
  return std::ranges::all_of(terms_, [&](const Term& term) {
    if (term.on == On::field) {
      const auto found = fields.find(term.key);
      return holds(term, found == fields.end() ? nullptr : &found->second);
    }
    const Json* label = labels.if_contains(term.key);
    if (label == nullptr || !label->is_string()) return holds(term, nullptr);
    const std::string value(view(label->get_string()));
    return holds(term, &value);
  });
}

}  // namespace dcm::apiserver
