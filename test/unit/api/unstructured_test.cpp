#include "client/api/json/unstructured.hpp"

#include <gtest/gtest.h>

namespace dcm::api::json {
namespace {

constexpr const char* kMetadata =
    R"("metadata":{"name":"a","namespace":"lab","uid":"u","resourceVersion":"7","generation":3,
       "labels":{"app":"x"},"annotations":{"note":"\u00e9"},"managedFields":[{"manager":"m"}],
       "finalizers":["example.com/f"],"ownerReferences":[{"kind":"Pod","name":"p"},
       {"apiVersion":"apps/v1","kind":"Deployment","name":"d","controller":true}]})";

std::string object(const std::string& rest) {
  return std::string(R"({"apiVersion":"example.com/v1","kind":"Foo",)") + kMetadata + rest + "}";
}

TEST(Unstructured, keeps_each_field_as_its_text) {
  const auto read = make_unstructured_decoder()->decode_object(
      object(R"(,"spec":{"list":[1, {"a":null}],"s":"}"} ,"count":2,"on":false,"text":"x\"y")"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->object->fields, (std::map<std::string, std::string, std::less<>>{
                                      {"apiVersion", R"("example.com/v1")"},
                                      {"kind", R"("Foo")"},
                                      {"spec", R"({"list":[1, {"a":null}],"s":"}"})"},
                                      {"count", "2"},
                                      {"on", "false"},
                                      {"text", R"("x\"y")"}}));
}

TEST(Unstructured, reads_what_its_metadata_says) {
  const auto read = make_unstructured_decoder()->decode_object(object(""));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->object->meta.key.str(), "lab/a");
  EXPECT_EQ(read->object->generation, 3);
  EXPECT_EQ(read->object->labels, (std::map<std::string, std::string>{{"app", "x"}}));
  EXPECT_EQ(read->object->annotations, (std::map<std::string, std::string>{{"note", "é"}}));
  EXPECT_EQ(read->object->finalizers, (std::vector<std::string>{"example.com/f"}));
  ASSERT_TRUE(read->object->owner);
  EXPECT_EQ(*read->object->owner, (ControllerRef{"apps", "Deployment", "d", Uid()}));
}

TEST(Unstructured, finds_no_missing_or_null_field) {
  const auto read = make_unstructured_decoder()->decode_object(object(R"(,"status":null)"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->object->find("status"), nullptr);
  EXPECT_EQ(read->object->find("spec"), nullptr);
  EXPECT_NE(read->object->find("kind"), nullptr);
}

TEST(Unstructured, is_read_from_lists_and_watches) {
  std::vector<std::string> specs;
  const auto list = make_unstructured_decoder()->decode_list(
      R"({"kind":"FooList","metadata":{"resourceVersion":"9"},"items":[)" +
          object(R"(,"spec":{"n":1})") + "," + object(R"(,"spec":{"n":2})") + "]}",
      [&](const Decoded<Unstructured>& one) { specs.push_back(*one.object->find("spec")); });
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(specs, (std::vector<std::string>{R"({"n":1})", R"({"n":2})"}));

  const auto event = make_unstructured_decoder()->decode_watch_event(
      R"({"type":"ADDED","object":)" + object(R"(,"spec":[])") + "}");
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(*std::get<ChangeEvent<Unstructured>>(*event).subject.object->find("spec"), "[]");
}

// A field costs some hundred bytes of memory, but only six of an answer.
TEST(Unstructured, refuses_object_with_too_many_fields) {
  std::string fields;
  for (std::size_t i = 0; i <= kItemsMax; ++i) fields += ",\"" + std::to_string(i) + "\":1";
  const auto read = make_unstructured_decoder()->decode_object(object(fields));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find(kTooManyItems), std::string::npos) << read.error().message;
}

TEST(Unstructured, refuses_broken_objects) {
  for (const std::string& broken :
       {object(R"(,"spec":{"a":})"), object(R"(,"spec":)"), std::string(R"({"kind":"Foo"})")}) {
    EXPECT_FALSE(make_unstructured_decoder()->decode_object(broken)) << broken;
  }
}

}  // namespace
}  // namespace dcm::api::json
