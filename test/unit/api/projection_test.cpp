#include "client/api/json/projection.hpp"

#include <gtest/gtest.h>

namespace dcm::api::json {
namespace {

struct Secret {
  ObjectMeta meta;
  std::string type;
  std::string certificate;
  std::string key;
};

std::unique_ptr<Decoder<Secret>> decoder() {
  return make_projection<Secret>({{"type", &Secret::type},
                                  {"data.tls.crt", &Secret::certificate},
                                  {"data.tls.key", &Secret::key}});
}

std::string object(const std::string& rest) {
  return R"({"metadata":{"namespace":"lab","name":"s","uid":"u","resourceVersion":"7"})" + rest +
         "}";
}

TEST(Projection, reads_what_it_names_and_skips_the_rest) {
  const auto read = decoder()->decode_object(object(
      R"(,"data":{"a":[1],"tls.crt":"C","tls":"no","tls.key":"K"},"type":"kubernetes.io/tls","x":{"type":1})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->meta.key.str(), "lab/s");
  EXPECT_EQ(read->object->type, "kubernetes.io/tls");
  EXPECT_EQ(read->object->certificate, "C");
  EXPECT_EQ(read->object->key, "K");
}

TEST(Projection, what_is_missing_or_null_is_empty) {
  for (const char* rest : {"", R"(,"data":{})", R"(,"data":null,"type":null)"}) {
    const auto read = decoder()->decode_object(object(rest));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->object->type + read->object->certificate, "") << rest;
  }
}

TEST(Projection, what_is_no_text_is_an_error_with_its_path) {
  const auto read = decoder()->decode_object(object(R"(,"data":{"tls.crt":5})"));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("data.tls.crt"), std::string::npos) << read.error().message;
}

TEST(Projection, an_object_without_identity_is_none) {
  EXPECT_FALSE(decoder()->decode_object(R"({"type":"x"})"));
}

}  // namespace
}  // namespace dcm::api::json
