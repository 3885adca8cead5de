#include "apiserver/text/cel_values.hpp"

#include <gtest/gtest.h>

#include "cel/program.hpp"

namespace dcm::apiserver {
namespace {

TEST(CelValues, convert_json_to_language_types) {
  cel::Library library;
  library.add_variable("object", &cel::types::dyn);
  std::string problem;
  const auto json =
      parse(R"({"i":1,"d":1.5,"t":"x","b":true,"n":null,"l":[1,{"a":"b"}],"m":{"k":2}})", problem);
  ASSERT_TRUE(json);
  for (const auto* text :
       {"object.i == 1", "object.d == 1.5", "object.t == 'x'", "object.b", "object.n == null",
        "object.l[1].a == 'b'", "object.l.size() == 2", "has(object.m) && !has(object.x)",
        "object.m.all(k, k == 'k')", "'k' in object.m", "object == object", "size(object) == 7",
        "object.?x.orValue(3) == 3", "object.m == {'k': 2}", "type(object.i) == int"}) {
    const auto program = cel::Program::compile(text, library);
    ASSERT_TRUE(program) << program.error();
    cel::Arena arena;
    const cel::Value variable = cel_value(*json, arena);
    cel::Frame frame{.arena = arena, .variables = &variable};
    EXPECT_TRUE((*program)->evaluate(frame).is_true()) << text;
  }
}

}  // namespace
}  // namespace dcm::apiserver
