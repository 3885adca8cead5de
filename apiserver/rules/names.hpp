// Validates names (apimachinery's util/validation): of objects, labels, finalizers. A problem is
// the text after "Invalid value: …: ", or empty.
#pragma once

#include <string>
#include <string_view>

namespace dcm::apiserver {

// The valid names for objects of the kind.
enum class NameRule { dns_subdomain, dns_label, path_segment, config_map_key };

std::string_view problem_with_name(NameRule rule, std::string_view name);
// "[prefix/]name": keys of labels and taints, finalizers.
std::string_view problem_with_qualified_name(std::string_view name);
std::string_view problem_with_label_value(std::string_view value);
// A label that begins with a letter (RFC 1035).
std::string_view problem_with_old_label(std::string_view label);
// The reason of a metav1.Condition.
std::string_view problem_with_reason(std::string_view reason);

}  // namespace dcm::apiserver
