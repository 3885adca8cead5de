#include "controllers/resource_claim/rules/retry.hpp"

#include <gtest/gtest.h>

#include "test/support/objects.hpp"

namespace dcm::resource_claim {
namespace {

using runtime::Error;
using runtime::Reason;

struct Row {
  const char* sentence;
  Reason reason;
  Outcome after_create;
  Outcome after_write;
  Outcome after_read;
};

TEST(Retry, depends_on_failure) {
  const Row rows[] = {
      {"a quota or a webhook may have changed when we come back", Reason::forbidden,
       Outcome::retry(), Outcome::retry(), Outcome::retry()},
      {"an admission policy that denies says that the object is invalid, and may be lifted",
       Reason::invalid, Outcome::retry(), Outcome::retry(), Outcome::retry()},
      {"a conflict is decided again", Reason::conflict, Outcome::retry(), Outcome::retry(),
       Outcome::retry()},
      {"nothing is left to write for an object that is gone", Reason::object_not_found,
       Outcome::retry(), Outcome::done(), Outcome::retry()},
      {"nor for one that was replaced", Reason::another_object, Outcome::retry(), Outcome::done(),
       Outcome::retry()},
      {"a 404 of the whole resource says nothing about the object", Reason::not_served,
       Outcome::retry(), Outcome::retry(), Outcome::retry()},
      {"what is too large for the server stays so, most likely", Reason::request_too_large,
       kLookAgain, Outcome::retry(), Outcome::retry()},
      {"what is lost is tried again", Reason::disconnected, Outcome::retry(), Outcome::retry(),
       Outcome::retry()},
      {"another object has the name, for now", Reason::already_exists, Outcome::retry(),
       Outcome::retry(), Outcome::retry()},
      {"who stops does not come back", Reason::shutting_down, Outcome::done(), Outcome::done(),
       Outcome::done()},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(outcome_after_create(Error{row.reason, ""}), row.after_create) << row.sentence;
    EXPECT_EQ(outcome_after_write(Error{row.reason, ""}), row.after_write) << row.sentence;
    EXPECT_EQ(outcome_after_read(Error{row.reason, ""}), row.after_read) << row.sentence;
  }
}

TEST(Retry, waits_long_for_missing_allocation_permission) {
  EXPECT_EQ(outcome_after_write(test::binding_refused()), kLookAgain);
}

TEST(Retry, recognizes_only_that_missing_permission) {
  for (const runtime::FieldCause& cause :
       {runtime::FieldCause{"status.allocation", "field is immutable"},
        runtime::FieldCause{"status.devices", "resourceclaims/binding"}}) {
    const Error refused{.reason = Reason::invalid, .message = "", .causes = {cause}};
    EXPECT_EQ(outcome_after_write(refused), Outcome::retry()) << cause.field;
  }
}

TEST(Retry, respects_retry_after) {
  using std::chrono::seconds;
  const Error busy{.reason = Reason::too_many_requests, .message = "", .retry_after = seconds(7)};
  for (const Outcome& outcome :
       {outcome_after_create(busy), outcome_after_write(busy), outcome_after_read(busy)}) {
    EXPECT_EQ(outcome, Outcome::retry(seconds(7)));
  }
}

TEST(Retry, hides_conflicts_deleted_objects_and_shutdown_from_operator) {
  for (const Reason reason : {Reason::conflict, Reason::object_not_found, Reason::another_object,
                              Reason::shutting_down}) {
    EXPECT_FALSE(is_fault(Error{reason, ""})) << static_cast<int>(reason);
  }
  for (const Reason reason :
       {Reason::forbidden, Reason::invalid, Reason::not_served, Reason::internal_error}) {
    EXPECT_TRUE(is_fault(Error{reason, ""})) << static_cast<int>(reason);
  }
}

}  // namespace
}  // namespace dcm::resource_claim
