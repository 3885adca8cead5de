// Asks the API server who a caller is, and what the caller may do. The components of a Kubernetes
// control plane do the same for their HTTPS ports: TokenReview of authentication.k8s.io/v1,
// SubjectAccessReview of authorization.k8s.io/v1.
//
// A server that calls these holds tokens of others: they are sent in a body, which is never logged,
// and removed from what the answer says.
#pragma once

#include <optional>
#include <string>

#include "client/api/access_review.hpp"
#include "client/request/rest_client.hpp"

namespace dcm::client {

// Both reviews are sent whether or not this process leads: they change nothing in the cluster.
// `rest` must outlive the calls.

// The user of that token; nullopt: the token is not valid in this cluster. Errors: as for
// RestClient::send; malformed.
runtime::Task<runtime::Result<std::optional<api::UserInfo>>> review_token(
    RestClient& rest, std::string token, runtime::Deadline deadline);

enum class Access { allowed, denied };
// Errors: as for RestClient::send; malformed.
runtime::Task<runtime::Result<Access>> review_access(RestClient& rest, api::UserInfo user,
                                                     api::AccessAttributes what,
                                                     runtime::Deadline deadline);

// The CAs of client certificates that the cluster publishes for its extension servers, as PEM: from
// ConfigMap extension-apiserver-authentication in kube-system. Empty if it publishes none. Errors:
// as for RestClient::send; malformed.
runtime::Task<runtime::Result<std::string>> read_published_client_ca(RestClient& rest,
                                                                     runtime::Deadline deadline);

}  // namespace dcm::client
