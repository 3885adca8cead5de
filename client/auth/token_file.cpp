#include "client/auth/token_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "client/auth/field_value.hpp"
#include "client/config/file.hpp"

namespace dcm::client {

using runtime::fail;
using runtime::Reason;

runtime::Result<std::string> read_token_file(const std::string& file) {
  auto text = read_regular_file(file);
  if (!text) return fail(std::move(text.error()));
  auto token = trimmed_field_value(*text);
  if (!token)
    return fail(Reason::configuration,
                fmt::format("{}: does not hold a token, but several lines or binary data", file));
  if (token->empty())
    return fail(Reason::configuration, fmt::format("{}: empty; expected a token", file));
  return std::move(*token);
}

}  // namespace dcm::client
