// Kubernetes' additions to the language: quantities, semantic versions, addresses, URLs, named
// formats.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cel/kubernetes/quantity.hpp"
#include "cel/kubernetes/semver.hpp"
#include "cel/library.hpp"

namespace dcm::cel {

std::span<const FunctionRow> quantity_functions();
std::span<const FunctionRow> semver_functions();
std::span<const FunctionRow> address_functions();  // ip(), cidr()
std::span<const FunctionRow> url_functions();
std::span<const FunctionRow> format_functions();
// Methods of the values below, if a library has variables for them.
std::span<const FunctionRow> authorization_functions();

// All of the above, with their types.
void add_kubernetes(Library& library);

// `authorizer` and `authorizer.requestResource` of a server without authorization: everything is
// allowed.
Value permissive_authorizer();
Value permissive_resource_check();

inline constexpr std::string_view kQuantityType = "kubernetes.Quantity",
                                  kSemverType = "kubernetes.Semver", kAddressType = "net.IP",
                                  kNetType = "net.CIDR", kUrlType = "kubernetes.URL",
                                  kFormatType = "kubernetes.NamedFormat";

Value quantity_value(const Quantity& quantity, Arena& arena);
// The text must outlive the evaluation.
Value semver_value(const Semver& version, Arena& arena);
// nullptr: some other kind.
const Semver* as_semver(const Value& value);

bool is_request_uri(std::string_view text);
// Bytes of an IP address, 4 or 16; 0 if the text is not one.
unsigned address_size(std::string_view text);
// Why a text is not an address: `ParseAddr("1.2"): IPv4 address too short`.
std::string address_fault(std::string_view text);

}  // namespace dcm::cel
