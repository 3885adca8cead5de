// A webhook's `caBundle`: certificates in PEM, which a real server loads into its pool of roots.
#pragma once

#include <string>
#include <string_view>

namespace dcm::apiserver {

// Why the text has no certificate, in the words of a real server; "" if it has one, or is empty.
std::string problem_with_ca_bundle(std::string_view pem);

}  // namespace dcm::apiserver
