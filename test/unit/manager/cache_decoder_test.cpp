#include "manager/cache_decoder.hpp"

#include <gtest/gtest.h>

#include "client/api/json/unstructured.hpp"

namespace dcm::manager {
namespace {

using api::json::Unstructured;
using runtime::Reason;

// With or without a namespace.
std::string object(std::string_view namespace_) {
  const std::string place =
      namespace_.empty() ? "" : fmt::format(R"("namespace":"{}",)", namespace_);
  return fmt::format(R"({{"metadata":{{"name":"a",{}"uid":"u","resourceVersion":"7"}}}})", place);
}
std::string list(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"9"},"items":[)" + items + "]}";
}
std::string added(const std::string& object) {
  return R"({"type":"ADDED","object":)" + object + "}";
}

CacheDecoder<Unstructured> decoder(api::Scope scope) {
  return {api::json::make_unstructured_decoder(), scope, {}};
}

// A key with the wrong namespace would name no object, and such a request is a broken invariant.
TEST(CacheDecoder, rejects_object_whose_namespace_does_not_fit_its_kind) {
  const struct {
    api::Scope scope;
    std::string good, bad;
    const char* why;
  } rows[] = {
      {api::Scope::namespaced, object("lab"), object(""), "metadata.namespace: missing (in a)"},
      {api::Scope::cluster, object(""), object("lab"),
       "metadata.namespace: its kind has none (in lab/a)"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    const auto tested = decoder(row.scope);
    EXPECT_TRUE(tested.decode_object(row.good));
    EXPECT_TRUE(tested.decode_watch_event(added(row.good)));
    int taken = 0;
    const auto count = [&taken](const api::Decoded<Unstructured>&) { ++taken; };
    EXPECT_TRUE(tested.decode_list(list(row.good + "," + row.good), count));
    EXPECT_EQ(taken, 2);
    const auto refused = tested.decode_object(row.bad);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, Reason::malformed);
    EXPECT_EQ(refused.error().message, row.why);
    EXPECT_FALSE(tested.decode_watch_event(added(row.bad)));
    EXPECT_FALSE(tested.decode_list(list(row.bad + "," + row.good), count));
    EXPECT_EQ(taken, 2) << "nothing of a list after its first error";
  }
}

TEST(CacheDecoder, accepts_bookmark_without_name) {
  EXPECT_TRUE(decoder(api::Scope::namespaced)
                  .decode_watch_event(
                      R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}})"));
}

}  // namespace
}  // namespace dcm::manager
