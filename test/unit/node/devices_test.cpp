// The devices of a container, and valid health reports. Numbers in brackets are the cases of the
// node's specification.
#include <gtest/gtest.h>

#include "node/devices/cdi_specs.hpp"
#include "node/devices/container_devices.hpp"
#include "node/devices/health.hpp"
#include "test/support/memory_files.hpp"

namespace dcm::node {
namespace {

using namespace std::chrono_literals;
using Ids = std::vector<std::string>;

Book book() {
  Held gpus;
  gpus.entry.drivers["a.example.com"].devices = {
      {.pool = "p", .device = "0", .requests = {"big"}, .cdi_ids = {"a=0", "a=common"}},
      {.pool = "p", .device = "1", .requests = {"small", "any"}, .cdi_ids = {"a=1", "a=common"}},
      {.pool = "p", .device = "2", .cdi_ids = {"a=2"}}};
  gpus.entry.drivers["b.example.com"].devices = {
      {.pool = "p", .device = "0", .requests = {"big"}, .cdi_ids = {}}};
  Held nic;
  nic.entry.drivers["nic.example.com"].devices = {{.pool = "p", .device = "n", .cdi_ids = {"n=0"}}};
  return {{{"lab", "gpus"}, gpus}, {{"lab", "nic"}, nic}};
}

TEST(CdiSpecs, finds_devices_by_qualified_name) {
  test::MemoryFiles files;
  files.put("/cdi/a.json", R"({"kind": "a.example.com/gpu", "devices": [{"name": "0"}]})");
  files.put("/cdi/b.yaml", "kind: b.example.com/nic\ndevices:\n- name: '1'\n- name: x\n");
  files.put("/cdi/broken.json", "{");
  files.put("/cdi/list.yaml", "- kind: a.example.com/gpu");
  files.put("/cdi/nameless.yaml", "kind: a.example.com/gpu\ndevices: [{}]");
  files.put("/cdi/notes.txt", "kind: a.example.com/gpu\ndevices: [{name: '9'}]");
  files.put("/cdi/huge.yaml",
            "kind: a.example.com/gpu\ndevices: [{name: '8'}]\n#" + std::string(1024 * 1024, 'x'));
  const std::set<std::string> found{"a.example.com/gpu=0", "b.example.com/nic=1",
                                    "b.example.com/nic=x"};
  EXPECT_EQ(cdi_devices_in(files, {"/cdi", "/not-there"}), found);
}

struct DevicesRow {
  const char* sentence;
  std::vector<ContainerClaim> claims;
  Ids ids;
};

TEST(ContainerDevices, are_selected_by_claim_and_request) {  // [42], [53], [54]
  const DevicesRow rows[] = {
      {"no claim, no device", {}, {}},
      {"without a request, all", {{{"lab", "gpus"}, ""}}, {"a=0", "a=common", "a=1", "a=2"}},
      {"a request's, and those of no request",
       {{{"lab", "gpus"}, "small"}},
       {"a=1", "a=common", "a=2"}},
      {"a subrequest is its request's", {{{"lab", "gpus"}, "big/one"}}, {"a=0", "a=common", "a=2"}},
      {"two requests that share a device: once, in their order",
       {{{"lab", "gpus"}, "any"}, {{"lab", "gpus"}, "small"}},
       {"a=1", "a=common", "a=2"}},
      {"in the order of the container's claims",
       {{{"lab", "nic"}, ""}, {{"lab", "gpus"}, "big"}},
       {"n=0", "a=0", "a=common", "a=2"}},
      {"a request that nothing was prepared for", {{{"lab", "gpus"}, "none"}}, {"a=2"}},
  };
  for (const DevicesRow& row : rows) {
    EXPECT_EQ(cdi_devices_of(book(), row.claims), row.ids) << row.sentence;
  }
}

TEST(ContainerDevices, are_required_for_container) {
  EXPECT_EQ(cdi_devices_of(book(), {{{"lab", "other"}, ""}}).error(),
            "unable to get claim info for claim other in namespace lab");
}

runtime::MonoTime at(runtime::Duration time) {
  return runtime::MonoTime(time);
}

HealthReport row(const std::string& device, Health health, runtime::Duration timeout = {},
                 std::string message = {}) {
  return {.pool = "p", .device = device, .state = {health, std::move(message)}, .timeout = timeout};
}

const HealthTable::Device kD0{"p", "0"};
const HealthTable::Device kD1{"p", "1"};

TEST(HealthTable, counts_report_from_arrival) {  // [69], [70]
  HealthTable table;
  EXPECT_EQ(table.observe_report("gpu", "i", {row("0", Health::healthy)}, at(0s)).devices,
            std::set{kD0});
  EXPECT_EQ(table.health_of("gpu", kD0, at(29s)).health, Health::healthy);
  EXPECT_EQ(table.next_expiry(), at(30s));
  EXPECT_EQ(table.health_of("gpu", kD0, at(30s)).health, Health::unknown);
  EXPECT_EQ(table.expire("gpu", at(30s)).devices, std::set{kD0});
  EXPECT_EQ(table.next_expiry(), std::nullopt);
}

TEST(HealthTable, ignores_repetition) {
  HealthTable table;
  (void)table.observe_report("gpu", "i", {row("0", Health::healthy, 5s)}, at(0s));
  EXPECT_TRUE(
      table.observe_report("gpu", "i", {row("0", Health::healthy, 5s)}, at(4s)).devices.empty());
  EXPECT_EQ(table.health_of("gpu", kD0, at(8s)).health, Health::healthy);
  EXPECT_EQ(table.observe_report("gpu", "i", {row("0", Health::unhealthy)}, at(5s)).devices,
            std::set{kD0});
}

TEST(HealthTable, keeps_health_of_omitted_device) {  // [71]
  HealthTable table;
  (void)table.observe_report("gpu", "i", {row("0", Health::healthy, 10s)}, at(0s));
  (void)table.observe_report("gpu", "i", {row("1", Health::unhealthy)}, at(5s));
  EXPECT_EQ(table.health_of("gpu", kD0, at(9s)).health, Health::healthy);
  EXPECT_EQ(table.expire("gpu", at(10s)).devices, std::set{kD0});
  EXPECT_EQ(table.health_of("gpu", kD1, at(10s)).health, Health::unhealthy);
}

TEST(HealthTable, keeps_devices_of_new_instance_when_old_one_ends) {  // [72]
  HealthTable table;
  (void)table.observe_report("gpu", "old", {row("0", Health::unhealthy), row("1", Health::healthy)},
                             at(0s));
  (void)table.observe_report("gpu", "new", {row("0", Health::healthy)}, at(1s));
  EXPECT_EQ(table.observe_end("gpu", "old", at(2s)).devices, std::set{kD1});
  EXPECT_EQ(table.health_of("gpu", kD0, at(2s)).health, Health::healthy);
  EXPECT_EQ(table.health_of("gpu", kD1, at(2s)).health, Health::unknown);
  EXPECT_EQ(table.observe_end("gpu", "new", at(3s)).devices, std::set{kD0});
}

TEST(HealthTable, uses_newest_report) {
  HealthTable table;
  (void)table.observe_report("gpu", "new", {row("0", Health::healthy)}, at(0s));
  (void)table.observe_report("gpu", "old", {row("0", Health::unhealthy, 5s)}, at(1s));
  EXPECT_EQ(table.health_of("gpu", kD0, at(2s)).health, Health::unhealthy);
  EXPECT_EQ(table.health_of("gpu", kD0, at(7s)).health, Health::healthy) << "the other still does";
  EXPECT_EQ(table.expire("gpu", at(7s)).devices, std::set{kD0});
  (void)table.observe_report("gpu", "old", {row("0", Health::healthy, 5s)}, at(8s));
  EXPECT_TRUE(table.expire("gpu", at(13s)).devices.empty()) << "its health is the same";
}

TEST(HealthTable, separates_drivers) {
  HealthTable table;
  (void)table.observe_report("gpu", "i", {row("0", Health::unhealthy)}, at(0s));
  EXPECT_EQ(table.health_of("nic", kD0, at(0s)).health, Health::unknown);
}

TEST(HealthTable, bounds_devices) {  // [75]
  HealthTable table;
  std::vector<HealthReport> report;
  for (int i = 0; i < 20'000; ++i) report.push_back(row(std::to_string(i), Health::healthy));
  const HealthTable::Change change = table.observe_report("gpu", "i", report, at(0s));
  EXPECT_EQ(change.devices.size(), 16'384U);
  EXPECT_EQ(change.ignored, 20'000U - 16'384U);
  EXPECT_EQ(table.observe_report("gpu", "i", {row("0", Health::unhealthy)}, at(1s)).ignored, 0U)
      << "one that is known has its place";
}

// Otherwise this takes minutes.
TEST(HealthTable, looks_only_at_devices_of_report) {
  HealthTable table;
  std::vector<HealthReport> report;
  for (int i = 0; i < 16'384; ++i) report.push_back(row(std::to_string(i), Health::healthy));
  (void)table.observe_report("gpu", "i", report, at(0s));
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_TRUE(table.observe_report("gpu", "i", {}, at(1s)).devices.empty());
  }
  EXPECT_EQ(table.observe_report("gpu", "i", {row("0", Health::unhealthy)}, at(1s)).devices,
            std::set{kD0});
}

TEST(HealthTable, tolerates_endless_timeout) {
  HealthTable table;
  (void)table.observe_report("gpu", "i", {row("0", Health::healthy, runtime::Duration::max())},
                             at(1h));
  EXPECT_EQ(table.health_of("gpu", kD0, at(24h * 365)).health, Health::healthy);
}

TEST(HealthMessage, is_cut_between_characters) {  // [74]
  std::string two_bytes;
  for (int i = 0; i < 1000; ++i) two_bytes += "\u00e9";
  const std::string cut = cut_message(two_bytes);
  EXPECT_EQ(cut, two_bytes.substr(0, 1020) + "...");
  EXPECT_EQ(cut_message(std::string(2000, 'x')), std::string(1021, 'x') + "...");
  EXPECT_EQ(cut_message(std::string(1024, 'x')), std::string(1024, 'x'));
}

}  // namespace
}  // namespace dcm::node
