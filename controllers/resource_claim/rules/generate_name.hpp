// The metadata.generateName of a claim that is made for a pod claim.
#pragma once

#include <string>
#include <string_view>

namespace dcm::resource_claim {

// "<pod>-<pod claim>-", or, where that is longer than 57 characters, both names cut in proportion
// and without the trailing hyphen. The API server appends 5 random characters and refuses what is
// then no DNS subdomain; so the cut pod name never ends with a dot and is never empty.
// `pod` is a DNS subdomain and `pod_claim` a DNS label.
std::string generate_name(std::string_view pod, std::string_view pod_claim);

}  // namespace dcm::resource_claim
