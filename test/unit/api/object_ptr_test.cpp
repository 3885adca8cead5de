#include "client/api/object_ptr.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace dcm::api {
namespace {

// `alive` has as many users as there are such objects, besides the test.
struct Counted {
  std::shared_ptr<int> alive;
  bool flag = false;  // padding behind it
};

// Not aggregates: the compiler may put other members into the padding at their end.
struct Padded : Counted {
  explicit Padded(std::shared_ptr<int> one) : Counted{std::move(one)} {}
  char last = 'x';
};

class ObjectPtrTest : public testing::Test {
 protected:
  ObjectPtr<Padded> make() const { return ObjectPtr(Padded(alive_)); }
  long objects() const { return alive_.use_count() - 1; }

 private:
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

TEST_F(ObjectPtrTest, deletes_object_with_its_last_user) {
  ObjectPtr<Padded> first = make();
  {
    const ObjectPtr<Padded> second = first;
    const std::vector<ObjectPtr<Padded>> more(100, second);
    first = nullptr;
    EXPECT_EQ(objects(), 1);
    EXPECT_EQ(second->last, 'x');
  }
  EXPECT_EQ(objects(), 0);
}

TEST_F(ObjectPtrTest, moves_without_another_user) {
  ObjectPtr<Padded> from = make();
  const Padded* const object = from.get();
  ObjectPtr<Padded> to = std::move(from);
  EXPECT_EQ(from, nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(to.get(), object);
  to = make();
  EXPECT_EQ(objects(), 1);
}

TEST_F(ObjectPtrTest, survives_assignment_to_itself) {
  ObjectPtr<Padded> one = make();
  const ObjectPtr<Padded>& same = one;
  one = same;
  EXPECT_EQ(objects(), 1);
  EXPECT_EQ(one->last, 'x');
}

TEST_F(ObjectPtrTest, compares_identity) {
  const ObjectPtr<Padded> one = make();
  EXPECT_EQ(one, ObjectPtr<Padded>(one));
  EXPECT_NE(one, make());
  EXPECT_EQ(ObjectPtr<Padded>(), nullptr);
  EXPECT_FALSE(ObjectPtr<Padded>());
}

// What caches of a large cluster consist of.
TEST(ObjectPtr, puts_count_into_padding) {
  EXPECT_EQ(ObjectPtr<Padded>::size_of_object(), sizeof(Padded));
  EXPECT_EQ(sizeof(ObjectPtr<Padded>), sizeof(void*));
}

}  // namespace
}  // namespace dcm::api
