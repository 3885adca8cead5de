// Answers to monitoring agents. Numbers in brackets are the cases of the node's specification.
#include "node/devices/pod_resources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "test/support/co_test.hpp"

namespace dcm::node {
namespace {

using protozero::pbf_reader;
using runtime::Task;
using Lines = std::vector<std::string>;

// "driver/pool/device [IDs] share"
std::string read_device(pbf_reader reader) {
  Lines ids;
  std::string driver, pool, device, share;
  while (reader.next()) {
    if (reader.tag() == 1) {
      pbf_reader id = reader.get_message();
      while (id.next(1)) ids.push_back(id.get_string());
    } else {
      std::string& field = reader.tag() == 2   ? driver
                           : reader.tag() == 3 ? pool
                           : reader.tag() == 4 ? device
                                               : share;
      field = reader.get_string();
    }
  }
  return fmt::format("{}/{}/{} [{}]{}", driver, pool, device, fmt::join(ids, " "),
                     share.empty() ? "" : " " + share);
}

void read_claim(pbf_reader reader, const std::string& at, Lines& lines) {
  std::string name, namespace_;
  Lines devices;
  while (reader.next()) {
    if (reader.tag() == 2) name = reader.get_string();
    if (reader.tag() == 3) namespace_ = reader.get_string();
    if (reader.tag() == 4) devices.push_back(read_device(reader.get_message()));
  }
  lines.push_back(fmt::format("{} claim {}/{}", at, namespace_, name));
  for (const std::string& device : devices) lines.push_back("  " + device);
}

Lines read_pods(const std::string& answer) {
  Lines lines;
  for (pbf_reader pods(answer); pods.next(1);) {
    pbf_reader pod = pods.get_message();
    std::string name;
    while (pod.next()) {
      if (pod.tag() == 1) name = pod.get_string();
      if (pod.tag() == 2) name = pod.get_string() + "/" + name;
      if (pod.tag() != 3) continue;
      pbf_reader container = pod.get_message();
      std::string at = name;
      while (container.next()) {
        if (container.tag() == 1) lines.push_back(at += "/" + container.get_string());
        if (container.tag() == 5) read_claim(container.get_message(), at, lines);
      }
    }
  }
  return lines;
}

std::string encode_get(std::string_view namespace_, std::string_view name) {
  std::string request;
  protozero::pbf_writer writer(request);
  writer.add_string(1, name.data(), name.size());
  writer.add_string(2, namespace_.data(), namespace_.size());
  return request;
}

struct Site {
  Site() {
    Entry claim{.namespace_ = "lab", .name = "c1", .uid = "c1-uid"};
    claim.drivers["gpu"].devices = {
        {.pool = "p", .device = "d0", .requests = {"a"}, .cdi_ids = {"v/gpu=0", "v/all=0"}},
        {.pool = "p", .device = "d1", .requests = {"a", "b"}, .cdi_ids = {"v/gpu=1"}},
        {.pool = "p", .device = "d1", .share_id = "s2", .requests = {"b"}, .cdi_ids = {}}};
    book[key_of(claim)] = {.entry = claim};
    add_pod_resources(methods, [this] { return pods; }, [this]() -> const Book& { return book; });
  }
  Task<grpc::Result<std::string>> call(const char* method, std::string request = {}) {
    return methods.unary.find(std::string("/v1.PodResourcesLister/") + method)
        ->second(std::move(request), {});
  }

  Book book;
  std::vector<PodUse> pods = {{"lab", "p1", {{"main", {{{"lab", "c1"}, ""}}}, {"none", {}}}}};
  grpc::Methods methods;
};

CO_TEST(PodResources, give_each_device_its_own_ids) {  // [76], [80]
  Site site;
  const auto answer = co_await site.call("List");
  CO_ASSERT_TRUE(answer);
  EXPECT_EQ(read_pods(*answer),
            (Lines{"lab/p1/main", "lab/p1/main claim lab/c1", "  gpu/p/d0 [v/gpu=0 v/all=0]",
                   "  gpu/p/d1 [v/gpu=1]", "  gpu/p/d1 [] s2", "lab/p1/none"}));
}

CO_TEST(PodResources, list_requested_devices_once) {
  Site site;
  site.pods = {{"lab", "p1", {{"main", {{{"lab", "c1"}, "a"}, {{"lab", "c1"}, "a"}}}}}};
  EXPECT_EQ(read_pods(*co_await site.call("List")),
            (Lines{"lab/p1/main", "lab/p1/main claim lab/c1", "  gpu/p/d0 [v/gpu=0 v/all=0]",
                   "  gpu/p/d1 [v/gpu=1]"}));
}

CO_TEST(PodResources, list_no_devices_of_unprepared_claim) {
  Site site;
  site.book.clear();
  EXPECT_EQ(read_pods(*co_await site.call("List")),
            (Lines{"lab/p1/main", "lab/p1/main claim lab/c1", "lab/p1/none"}));
}

CO_TEST(PodResources, find_pod_by_name) {
  Site site;
  site.pods.push_back({"lab", "p2", {{"main", {}}}});
  site.pods.push_back({"other", "p2", {{"else", {}}}});
  EXPECT_EQ(read_pods(*co_await site.call("Get", encode_get("lab", "p2"))), Lines{"lab/p2/main"});
  const auto missing = co_await site.call("Get", encode_get("lab", "p3"));
  CO_ASSERT_TRUE(!missing);
  EXPECT_EQ(to_string(missing.error()),
            "rpc error: code = Unknown desc = pod p3 in namespace lab not found");
  const auto garbage = co_await site.call("Get", "\x0a\xff");
  CO_ASSERT_TRUE(!garbage);
  EXPECT_EQ(garbage.error().code, grpc::Code::internal);
  EXPECT_EQ(*co_await site.call("GetAllocatableResources"), "");
}

}  // namespace
}  // namespace dcm::node
