#include "manager/missing.hpp"

#include <utility>

#include <fmt/format.h>

namespace dcm::manager {
namespace {

// The server's words, with a hint.
runtime::Error not_the_object(runtime::Error error, std::string_view hint) {
  error.reason = runtime::Reason::not_served;
  error.message += hint;
  return error;
}

}  // namespace

runtime::Error without_namespace(runtime::Error error, std::string_view namespace_) {
  if (namespace_.empty()) return not_the_object(std::move(error), "");
  return not_the_object(std::move(error),
                        fmt::format("; does the namespace {} exist?", namespace_));
}

runtime::Error without_subresource(runtime::Error error, const api::Resource& resource,
                                   std::string_view subresource) {
  return not_the_object(
      std::move(error),
      fmt::format("; the object exists, so does the CustomResourceDefinition of {} have `{}` in "
                  "its `subresources`?",
                  resource.kind->plural, subresource));
}

}  // namespace dcm::manager
