// Validates names (apimachinery's util/validation and api/validate/content): of objects, labels,
// finalizers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Each is a text that follows "Invalid value: …: ". Empty if the name is valid.
using Problems = std::vector<std::string>;

// The valid names for objects of a kind, or for a field. `short_name` and `long_name` are the
// formats of declarative validation: DNS labels and subdomains whose texts count bytes, not
// characters.
enum class NameRule {
  dns_subdomain,
  dns_label,
  dns_1035_label,  // begins with a letter
  path_segment,
  config_map_key,
  port_name,
  short_name,
  long_name,
  caseless_long_name
};

Problems problems_with_name(NameRule rule, std::string_view name);
// "[prefix/]name": keys of labels and taints, finalizers.
Problems problems_with_qualified_name(std::string_view name);
Problems problems_with_label_value(std::string_view value);
Problems with_prefix(std::string_view prefix, Problems problems);
// In one text, as some fields report them.
std::string joined(const Problems& problems, std::string_view separator);

// Adds a cause for each problem.
void add_problems(const Problems& problems, std::string_view value, const std::string& path,
                  Causes& causes);
void validate_name(NameRule rule, std::string_view name, const std::string& path, Causes& causes);
// The same, where a name is required.
void require_name(NameRule rule, std::string_view name, const std::string& path, Causes& causes);
void validate_qualified_name(std::string_view name, const std::string& path, Causes& causes);
void validate_label_value(std::string_view value, const std::string& path, Causes& causes);
void validate_labels(const JsonObject& labels, const std::string& path, Causes& causes);
// The name of a kind: a DNS-1035 label in any case.
void validate_kind_name(std::string_view kind, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
