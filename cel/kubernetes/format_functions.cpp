#include <algorithm>

#include "cel/kubernetes/libraries.hpp"
#include "cel/regex.hpp"
#include "cel/time.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;
using Faults = std::vector<std::string>;

struct Format {
  std::string_view name;
  std::uint64_t pattern_size;  // for costs
  Faults (*validate)(std::string_view text);
};

struct FormatObject : Object {
  const Format* format;
};

Value equal(const Object& a, const Value& b);
std::uint64_t pattern_size(const Object& object) {
  return static_cast<const FormatObject&>(object).format->pattern_size;
}
constexpr ObjectClass kClass{kFormatType, equal, pattern_size, false, "cel.Format"};

const Format& format_of(const Value& value) {
  return *static_cast<const FormatObject&>(value.as_object()).format;
}

Value equal(const Object& a, const Value& b) {
  if (!b.is(Kind::object) || b.as_object().of != &kClass) return Value::error(kNoSuchOverload);
  return Value::boolean(static_cast<const FormatObject&>(a).format == &format_of(b));
}

bool fits(std::string_view text, std::string_view pattern) {
  const auto regex = Regex::compile("^(?:" + std::string(pattern) + ")$");
  return regex && !text.contains('\n') && regex->matches(text);
}

struct Rule {
  std::size_t size_max;
  std::string_view pattern, message, examples;
};

constexpr Rule kLabel{63, "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
                      "a lowercase RFC 1123 label must consist of lower case alphanumeric "
                      "characters or '-', and must "
                      "start and end with an alphanumeric character",
                      "'my-name',  or '123-abc', "};
constexpr Rule kSubdomain{
    253, "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character",
    "'example.com', "};
constexpr Rule kOldLabel{
    63, "[a-z]([-a-z0-9]*[a-z0-9])?",
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character",
    "'my-name',  or 'abc-123', "};
constexpr Rule kName{
    63, "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character",
    "'MyName',  or 'my.name',  or '123-abc', "};
constexpr Rule kLabelValue{
    63, "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character",
    "'MyValue',  or 'my_value',  or '12345', "};

Faults faults_of(std::string_view text, const Rule& rule) {
  Faults faults;
  if (text.size() > rule.size_max)
    faults.push_back("must be no more than " + std::to_string(rule.size_max) + " bytes");
  if (!fits(text, rule.pattern))
    faults.push_back(std::string(rule.message) + " (e.g. " + std::string(rule.examples) +
                     "regex used for validation is '" + std::string(rule.pattern) + "')");
  return faults;
}

template <const Rule& kRule>
Faults check(std::string_view text) {
  return faults_of(text, kRule);
}

// A prefix of a name may end with a dash.
template <const Rule& kRule>
Faults check_prefix(std::string_view text) {
  std::string name(text);
  if (name.size() > 1 && name.ends_with('-')) name.replace(name.size() - 2, 2, "a");
  return faults_of(name, kRule);
}

Faults check_qualified_name(std::string_view text) {
  Faults faults;
  const auto slash = text.find('/');
  if (slash != text.npos && text.find('/', slash + 1) != text.npos)
    return {"a valid label key " + std::string(kName.message) +
            " (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '" +
            std::string(kName.pattern) +
            "') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  if (slash != text.npos) {
    const auto prefix = text.substr(0, slash);
    if (prefix.empty())
      faults.emplace_back("prefix part must be non-empty");
    else
      for (const auto& fault : faults_of(prefix, kSubdomain))
        faults.push_back("prefix part " + fault);
  }
  const auto name = text.substr(slash == text.npos ? 0 : slash + 1);
  if (name.empty()) faults.emplace_back("name part must be non-empty");
  for (const auto& fault : faults_of(name, kName)) faults.push_back("name part " + fault);
  return faults;
}

Faults fault_unless(bool is_valid, std::string_view message) {
  return is_valid ? Faults() : Faults{std::string(message)};
}

Faults check_uri(std::string_view text) {
  return fault_unless(is_request_uri(text), "invalid URI for request");
}
Faults check_uuid(std::string_view text) {
  return fault_unless(
      fits(text, "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"),
      "does not match the UUID format");
}
Faults check_bytes(std::string_view text) {
  return fault_unless(fits(text,
                           "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|"
                           "[A-Za-z0-9+/]{4})"),
                      "invalid base64");
}
bool is_date(std::string_view text) {
  return text.size() == 10 && parse_timestamp(std::string(text) + "T00:00:00Z");
}
Faults check_date(std::string_view text) {
  return fault_unless(is_date(text), "invalid date");
}
// Stricter than timestamp() about the hour, and not about the offset.
Faults check_datetime(std::string_view text) {
  const auto t = std::min(text.find_first_of("Tt"), text.size());
  const auto time = text.substr(std::min(t + 1, text.size()));
  return fault_unless(
      is_date(text.substr(0, t)) && fits(time.substr(0, time.find_first_of("Tt")),
                                         "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?"
                                         "([Zz]|[+-][0-9]{2}:[0-9]{2})"),
      "invalid datetime");
}

struct Named {
  std::string_view function;
  Format format;
};

constexpr Named kFormats[] = {
    {"dns1123Label", {"DNS1123Label", 30, check<kLabel>}},
    {"dns1123Subdomain", {"DNS1123Subdomain", 60, check<kSubdomain>}},
    {"dns1035Label", {"DNS1035Label", 30, check<kOldLabel>}},
    {"qualifiedName", {"QualifiedName", 60, check_qualified_name}},
    {"dns1123LabelPrefix", {"DNS1123LabelPrefix", 30, check_prefix<kLabel>}},
    {"dns1123SubdomainPrefix", {"DNS1123SubdomainPrefix", 60, check_prefix<kSubdomain>}},
    {"dns1035LabelPrefix", {"DNS1035LabelPrefix", 30, check_prefix<kOldLabel>}},
    {"labelValue", {"LabelValue", 40, check<kLabelValue>}},
    {"uri", {"URI", 1103, check_uri}},
    {"uuid", {"uuid", 76, check_uuid}},
    {"byte", {"byte", 84, check_bytes}},
    {"date", {"date", 71, check_date}},
    {"datetime", {"datetime", 71, check_datetime}},
};

Value value_of(const Format& format, Frame& frame) {
  return Value::object(frame.arena.make<FormatObject>(Object{&kClass}, &format));
}

template <std::size_t kIndex>
Value get(Args, Frame& frame) {
  return value_of(kFormats[kIndex].format, frame);
}

Value named(Args args, Frame& frame) {
  for (const auto& [name, format] : kFormats)
    if (name == args[0].as_text()) return Value::optional(value_of(format, frame), frame.arena);
  return Value::none();
}

Value validate(Args args, Frame& frame) {
  const auto faults = format_of(args[0]).validate(args[1].as_text());
  if (faults.empty()) return Value::none();
  std::vector<Value> texts;
  for (const auto& fault : faults) texts.push_back(Value::string(frame.arena.copy(fault)));
  return Value::optional(make_list(texts, frame.arena), frame.arena);
}

constexpr FunctionRow kRows[] = {
    {"format.named(string) optional(kubernetes.NamedFormat)", named},
    {"validate(kubernetes.NamedFormat; string) optional(list(string))", validate,
     CostRule::validate},
    {"format.dns1123Label() kubernetes.NamedFormat", get<0>},
    {"format.dns1123Subdomain() kubernetes.NamedFormat", get<1>},
    {"format.dns1035Label() kubernetes.NamedFormat", get<2>},
    {"format.qualifiedName() kubernetes.NamedFormat", get<3>},
    {"format.dns1123LabelPrefix() kubernetes.NamedFormat", get<4>},
    {"format.dns1123SubdomainPrefix() kubernetes.NamedFormat", get<5>},
    {"format.dns1035LabelPrefix() kubernetes.NamedFormat", get<6>},
    {"format.labelValue() kubernetes.NamedFormat", get<7>},
    {"format.uri() kubernetes.NamedFormat", get<8>},
    {"format.uuid() kubernetes.NamedFormat", get<9>},
    {"format.byte() kubernetes.NamedFormat", get<10>},
    {"format.date() kubernetes.NamedFormat", get<11>},
    {"format.datetime() kubernetes.NamedFormat", get<12>},
};

}  // namespace

std::span<const FunctionRow> format_functions() {
  return kRows;
}

}  // namespace dcm::cel
