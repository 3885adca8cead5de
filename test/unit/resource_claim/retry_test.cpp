#include "controllers/resource_claim/sync/retry.hpp"

#include <gtest/gtest.h>

namespace dcm::resource_claim {
namespace {

using runtime::Error;
using runtime::Reason;

struct Row {
  const char* sentence;
  Reason reason;
  Retry after_create;
  Retry after_write;
  Retry after_read;
};

TEST(Retry, by_what_failed) {
  const Row rows[] = {
      {"a quota or a webhook may have changed when we come back", Reason::forbidden,
       Retry::with_backoff, Retry::with_backoff, Retry::with_backoff},
      {"an admission policy that denies says that the object is invalid, and may be lifted",
       Reason::invalid, Retry::with_backoff, Retry::with_backoff, Retry::with_backoff},
      {"a conflict is decided again", Reason::conflict, Retry::with_backoff, Retry::with_backoff,
       Retry::with_backoff},
      {"nothing is left to write for an object that is gone", Reason::object_not_found,
       Retry::with_backoff, Retry::never, Retry::with_backoff},
      {"nor for one that was replaced", Reason::another_object, Retry::with_backoff, Retry::never,
       Retry::with_backoff},
      {"a 404 of the whole resource says nothing about the object", Reason::not_served,
       Retry::with_backoff, Retry::with_backoff, Retry::with_backoff},
      {"somebody must grant the permission first", Reason::binding_forbidden, Retry::with_backoff,
       Retry::slowly, Retry::with_backoff},
      {"what is too large for the server stays so, most likely", Reason::request_too_large,
       Retry::slowly, Retry::with_backoff, Retry::with_backoff},
      {"what is lost is tried again", Reason::disconnected, Retry::with_backoff,
       Retry::with_backoff, Retry::with_backoff},
      {"another object has the name, for now", Reason::already_exists, Retry::with_backoff,
       Retry::with_backoff, Retry::with_backoff},
      {"who stops does not come back", Reason::shutting_down, Retry::never, Retry::never,
       Retry::never},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(retry_after_create(Error{row.reason, ""}), row.after_create) << row.sentence;
    EXPECT_EQ(retry_after_write(Error{row.reason, ""}), row.after_write) << row.sentence;
    EXPECT_EQ(retry_after_read(Error{row.reason, ""}), row.after_read) << row.sentence;
  }
}

TEST(Retry, not_before_the_server_wishes) {
  using std::chrono::seconds;
  const Error busy{.reason = Reason::too_many_requests, .message = "", .retry_after = seconds(7)};
  for (const Retry& retry :
       {retry_after_create(busy), retry_after_write(busy), retry_after_read(busy)}) {
    EXPECT_EQ(retry, Retry(Retry::with_backoff, seconds(7)));
  }
  EXPECT_EQ(sooner(retry_after_read(busy), Retry::with_backoff), Retry::with_backoff);
  EXPECT_EQ(sooner(Retry::slowly, retry_after_read(busy)), retry_after_read(busy));
}

TEST(Retry, the_more_eager_of_two_wins) {
  EXPECT_EQ(sooner(Retry::never, Retry::never), Retry::never);
  EXPECT_EQ(sooner(Retry::never, Retry::slowly), Retry::slowly);
  EXPECT_EQ(sooner(Retry::slowly, Retry::with_backoff), Retry::with_backoff);
  EXPECT_EQ(sooner(Retry::with_backoff, Retry::never), Retry::with_backoff);
}

}  // namespace
}  // namespace dcm::resource_claim
