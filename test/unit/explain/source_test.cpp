// The line that describes an object at the top of its explanation.
#include "explain/source.hpp"

#include <gtest/gtest.h>

#include "test/support/objects.hpp"

namespace dcm::explain {
namespace {

using api::PodPhase;
using test::make_pod;

TEST(DescribePod, fits_on_one_line) {
  EXPECT_EQ(describe(*make_pod("p").get()), "Pending, on no node yet");
  EXPECT_EQ(describe(*make_pod("p").on_node("n").phase(PodPhase::running).being_deleted().get()),
            "Running on n, being deleted");
}

}  // namespace
}  // namespace dcm::explain
