#include "client/auth/impersonation.hpp"

#include <fmt/format.h>

#include "runtime/ascii.hpp"

namespace dcm::client {
namespace {

using runtime::Deadline;
using runtime::Result;
using runtime::Task;

// A key of `extra` as part of a header name: in lower case, invalid characters as %xx.
std::string header_key(std::string_view key) {
  constexpr std::string_view kAllowed = "!#$&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
  std::string escaped;
  for (const char c : runtime::lower(key)) {
    if (kAllowed.contains(c)) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

class ImpersonatingCredentials final : public Credentials {
 public:
  ImpersonatingCredentials(std::unique_ptr<Credentials> inner, Impersonation as)
      : inner_(std::move(inner)), as_(std::move(as)) {}

  Task<Result<>> authorize(http::Headers& headers, Deadline deadline) override {
    impersonate(as_, headers);
    return inner_->authorize(headers, deadline);
  }
  Task<Refreshed> refresh(std::string rejected, Deadline deadline) override {
    return inner_->refresh(std::move(rejected), deadline);
  }
  Task<> keep_fresh() override { return inner_->keep_fresh(); }

 private:
  std::unique_ptr<Credentials> inner_;
  Impersonation as_;
};

}  // namespace

void impersonate(const Impersonation& as, http::Headers& headers) {
  headers.set("Impersonate-User", as.user);
  if (!as.uid.empty()) headers.set("Impersonate-Uid", as.uid);
  for (const std::string& group : as.groups) headers.add("Impersonate-Group", group);
  for (const auto& [key, values] : as.extra) {
    for (const std::string& value : values) {
      headers.add("Impersonate-Extra-" + header_key(key), value);
    }
  }
}

std::unique_ptr<Credentials> make_impersonating(std::unique_ptr<Credentials> inner,
                                                Impersonation as) {
  return std::make_unique<ImpersonatingCredentials>(std::move(inner), std::move(as));
}

}  // namespace dcm::client
