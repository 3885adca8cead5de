#include "client/api/json/projection.hpp"

#include <gtest/gtest.h>

#include "runtime/timestamp.hpp"

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

TEST(Projection, reads_named_fields_and_skips_others) {
  const auto read = decoder()->decode_object(object(
      R"(,"data":{"a":[1],"tls.crt":"C","tls":"no","tls.key":"K"},"type":"kubernetes.io/tls","x":{"type":1})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->meta.key.str(), "lab/s");
  EXPECT_EQ(read->object->type, "kubernetes.io/tls");
  EXPECT_EQ(read->object->certificate, "C");
  EXPECT_EQ(read->object->key, "K");
}

TEST(Projection, leaves_missing_and_null_fields_empty) {
  for (const char* rest : {"", R"(,"data":{})", R"(,"data":null,"type":null)"}) {
    const auto read = decoder()->decode_object(object(rest));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->object->type + read->object->certificate, "") << rest;
  }
}

TEST(Projection, reports_path_of_non_string) {
  const auto read = decoder()->decode_object(object(R"(,"data":{"tls.crt":5})"));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("data.tls.crt"), std::string::npos) << read.error().message;
}

struct Port {
  std::string name;
  int number = 0;
};

constexpr auto fields_of(const Port*) {
  return rows(row<"name">(&Port::name), row<"containerPort">(&Port::number));
}

// A type that reads itself.
struct Level {
  int value = 0;
};

bool read_json(FieldValue from, Level& level) {
  return from.each_field([&](std::string_view key, FieldValue value) {
    return key != "value" || value.read(level.value);
  });
}

struct Everything {
  ObjectMeta meta;
  std::map<std::string, std::string> labels;
  std::vector<std::string> finalizers;
  std::int64_t generation = 0;
  std::optional<ControllerRef> owner;
  runtime::WallTime created;
  std::optional<bool> is_paused;
  double ratio = 0;
  std::vector<Condition> conditions;
  std::vector<Port> ports;
  RawJson raw;
  std::string deep;
  std::optional<Level> level;
};

std::unique_ptr<Decoder<Everything>> decode_everything() {
  return make_projection<Everything>({{"metadata.labels", &Everything::labels},
                                      {"metadata.finalizers", &Everything::finalizers},
                                      {"metadata.generation", &Everything::generation},
                                      {"metadata.ownerReferences", &Everything::owner},
                                      {"metadata.creationTimestamp", &Everything::created},
                                      {"spec.paused", &Everything::is_paused},
                                      {"spec.ratio", &Everything::ratio},
                                      {"spec.template.spec.ports", &Everything::ports},
                                      {"spec.template.spec.node.name", &Everything::deep},
                                      {"spec.any", &Everything::raw},
                                      {"spec.level", &Everything::level},
                                      {"status.conditions", &Everything::conditions}});
}

constexpr const char* kEverything = R"({
  "metadata":{"name":"a","uid":"u","resourceVersion":"7","generation":3,"finalizers":["x/y"],
    "labels":{"app.kubernetes.io/name":"web"},"creationTimestamp":"2027-03-01T10:15:00Z",
    "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"o1"},
      {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"o2","controller":true}]},
  "spec":{"paused":false,"ratio":0.5,"any":{"a":[1, 2]} ,"level":{"value":7},
    "template":{"spec":{"ports":[{"name":"http","containerPort":80},{}],"node":{"name":"n"}}}},
  "status":{"conditions":[{"type":"Ready","status":"True","reason":"Up","observedGeneration":3,
    "lastTransitionTime":"2027-03-01T10:15:00Z"}]}})";

TEST(Projection, reads_metadata_lists_maps_numbers_times_and_custom_types) {
  const auto read = decode_everything()->decode_object(kEverything);
  ASSERT_TRUE(read) << read.error().message;
  const Everything& all = *read->object;
  EXPECT_EQ(all.meta.key.name, "a");
  EXPECT_EQ(all.labels.at("app.kubernetes.io/name"), "web");
  EXPECT_EQ(all.finalizers, std::vector<std::string>{"x/y"});
  EXPECT_EQ(all.generation, 3);
  ASSERT_TRUE(all.owner);
  EXPECT_EQ(*all.owner,
            (ControllerRef{InternedString("apps"), InternedString("ReplicaSet"), "r", Uid("o2")}));
  EXPECT_EQ(all.created, runtime::parse_timestamp("2027-03-01T10:15:00Z"));
  EXPECT_EQ(all.is_paused, false);
  EXPECT_EQ(all.ratio, 0.5);
  ASSERT_EQ(all.ports.size(), 2U);
  EXPECT_EQ(all.ports[0].number, 80);
  EXPECT_EQ(all.deep, "n");
  ASSERT_TRUE(all.level);
  EXPECT_EQ(all.level->value, 7);
  EXPECT_EQ(all.raw.text, R"({"a":[1, 2]})");
  ASSERT_NE(find_condition(all.conditions, "Ready"), nullptr);
  EXPECT_EQ(find_condition(all.conditions, "Ready")->observed_generation, 3);
}

struct Deleted {
  ObjectMeta meta;
  std::optional<runtime::WallTime> since;
};

TEST(Projection, reads_time_of_deletion) {
  const auto decoder = make_projection<Deleted>({{"metadata.deletionTimestamp", &Deleted::since}});
  const auto read = [&](const std::string& time) {
    return decoder->decode_object(R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7",)"
                                  R"("deletionTimestamp":)" +
                                  time + "}}");
  };
  const auto deleted = read(R"("2027-03-01T10:15:00Z")");
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_TRUE(deleted->object->meta.is_being_deleted);
  EXPECT_EQ(deleted->object->since, runtime::parse_timestamp("2027-03-01T10:15:00Z"));
  const auto alive = read("null");
  ASSERT_TRUE(alive) << alive.error().message;
  EXPECT_FALSE(alive->object->meta.is_being_deleted);
  EXPECT_EQ(alive->object->since, std::nullopt);
}

TEST(Projection, keeps_initial_value_for_null) {
  const auto read = decode_everything()->decode_object(R"({
    "metadata":{"name":"a","uid":"u","resourceVersion":"7","labels":null,"ownerReferences":null,
      "creationTimestamp":null,"generation":null},
    "spec":{"paused":null,"template":null,"any":null},"status":{"conditions":null}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->object->is_paused);
  EXPECT_FALSE(read->object->owner);
  EXPECT_EQ(read->object->raw.text, "");
  EXPECT_TRUE(read->object->conditions.empty());
}

TEST(Projection, reports_path_of_number_out_of_range) {
  const auto read = decode_everything()->decode_object(
      R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7"},
          "spec":{"template":{"spec":{"ports":[{"containerPort":5000000000}]}}}})");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "JSON: spec.template.spec.ports[0].containerPort: the number is out of range");
}

TEST(Projection, names_object_of_list_or_watch_that_it_cannot_read) {
  const auto decoder = make_projection<Secret>({{"type", &Secret::type}});
  const std::string good = object(R"(,"type":"x")");
  const std::string bad =
      R"({"metadata":{"name":"b","namespace":"n","uid":"u","resourceVersion":"7"},"type":5})";
  const auto list = decoder->decode_list(
      R"({"metadata":{"resourceVersion":"9"},"items":[)" + good + "," + bad + "]}",
      [](const Decoded<Secret>&) {});
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().message, "JSON: items[1].type: expected a string (in n/b)");
  const auto event = decoder->decode_watch_event(R"({"type":"ADDED","object":)" + bad + "}");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().message, "JSON: object.type: expected a string (in n/b)");
}

TEST(Projection, decodes_lists_and_watches) {
  const auto decoder = make_projection<Secret>({{"type", &Secret::type}});
  const std::string a = object(R"(,"type":"x")");
  std::vector<Decoded<Secret>> seen;
  const auto list =
      decoder->decode_list(R"({"metadata":{"resourceVersion":"9"},"items":[)" + a + "]}",
                           [&](Decoded<Secret> one) { seen.push_back(std::move(one)); });
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].object->type, "x");
  const auto event = decoder->decode_watch_event(R"({"type":"MODIFIED","object":)" + a + "}");
  ASSERT_TRUE(event);
  EXPECT_EQ(std::get<ChangeEvent<Secret>>(*event).subject.object->type, "x");
}

TEST(Projection, rejects_unreadable_table_at_once) {
  const auto with = [](std::string_view path) {
    return make_projection<Secret>({{"data.tls", &Secret::type}, {path, &Secret::key}});
  };
  for (const char* path : {"", "metadata", "metadata.name", "data.tls", "data.tls.crt"}) {
    EXPECT_THROW(with(path), std::invalid_argument) << path;
  }
}

TEST(Projection, says_which_field_is_read_twice_or_within_another) {
  const auto why = [](std::string_view path) -> std::string {
    try {
      make_projection<Secret>({{"data.tls", &Secret::type}, {path, &Secret::key}});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(why("data.tls"), "the field \"data.tls\" is read twice");
  EXPECT_EQ(why("data.tls.crt"), "the field \"data.tls.crt\" is read as a part of another already");
}

TEST(Condition, keeps_time_with_status_and_reports_no_change) {
  const auto at = [](int seconds) { return runtime::WallTime(std::chrono::seconds(seconds)); };
  std::vector<Condition> all;
  EXPECT_TRUE(set_condition(all, {.type = "Ready", .status = "False", .reason = "Waits"}, at(1)));
  EXPECT_FALSE(set_condition(all, {.type = "Ready", .status = "False", .reason = "Waits"}, at(2)));
  EXPECT_TRUE(set_condition(all, {.type = "Ready", .status = "False", .reason = "Fails"}, at(3)));
  EXPECT_EQ(all.at(0).last_transition_time, at(1));
  EXPECT_TRUE(set_condition(all, {.type = "Ready", .status = "True", .reason = "Up"}, at(4)));
  EXPECT_EQ(all.at(0).last_transition_time, at(4));
  EXPECT_EQ(find_condition(all, "Other"), nullptr);
}

TEST(Projection, rejects_object_without_identity) {
  EXPECT_FALSE(decoder()->decode_object(R"({"type":"x"})"));
}

}  // namespace
}  // namespace dcm::api::json
