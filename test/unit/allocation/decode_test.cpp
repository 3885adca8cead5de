// Objects of older versions of the API are read like those of v1.
#include <gtest/gtest.h>

#include "test/unit/allocation/world.hpp"

namespace dcm::allocation {
namespace {

// v1beta1 has a device's fields in `basic`, and a request's without `exactly` around them.
TEST(DecodeV1beta1, reads_devices_and_requests_like_v1) {
  World world;
  world.node.name = "n";
  world.devices(
      {"'name': 'small', 'basic': {'attributes': {'model': {'string': 'A'}}, 'capacity': "
       "{'memory': {'value': '1Gi'}}}",
       "'name': 'tainted', 'basic': {'attributes': {'model': {'string': 'B'}}, 'taints': "
       "[{'key': 'k', 'effect': 'NoSchedule'}]}",
       "'name': 'large', 'basic': {'attributes': {'model': {'string': 'B'}}, 'capacity': "
       "{'memory': {'value': '4Gi'}}}"});
  world.claim(
      {"'name': 'r', 'deviceClassName': 'any', 'allocationMode': 'ExactCount', 'count': 1, "
       "'selectors': [{'cel': {'expression': 'device.attributes[\\\"d\\\"].model == "
       "\\\"B\\\"'}}]"});
  world.claim(
      {"'name': 'r', 'firstAvailable': [{'name': 's', 'deviceClassName': 'any', "
       "'allocationMode': 'ExactCount', 'count': 1}]"});
  EXPECT_EQ(world.answer(), "r=large | r/s=small");
}

}  // namespace
}  // namespace dcm::allocation
