// Shared by the decoder tests: objects on one line, and decoding that must succeed or fail.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/api/decoders.hpp"

namespace dcm::api {

inline constexpr std::string_view kIdentity =
    R"("name":"trainer-0","namespace":"lab","uid":"5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11",)"
    R"("resourceVersion":"81507")";

// An object; `metadata` has further fields of its metadata, `rest` further top-level fields.
inline std::string object_json(std::string_view rest, std::string_view metadata = {}) {
  return fmt::format(R"({{"metadata":{{{}{}{}}}{}{}}})", kIdentity, metadata.empty() ? "" : ",",
                     metadata, rest.empty() ? "" : ",", rest);
}

template <class T>
Decoded<T> decode_ok(const Decoder<T>& decoder, std::string_view json) {
  auto decoded = decoder.decode_object(json);
  if (decoded) return std::move(*decoded);
  ADD_FAILURE() << runtime::to_string(decoded.error()) << "\n" << json;
  return {};
}

// The message of a failure, whose reason must be `malformed`.
template <class Decoded>
std::string malformed(const runtime::Result<Decoded>& decoded) {
  if (decoded) return "decoded";
  EXPECT_EQ(decoded.error().reason, runtime::Reason::malformed);
  return decoded.error().message;
}

}  // namespace dcm::api
