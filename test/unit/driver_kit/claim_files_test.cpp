// The files of prepared claims: CDI specs, metadata, and the records by which deleted claims are
// found.
#include "node/driver_kit/claims/claim_files.hpp"

#include <filesystem>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "node/driver_kit/claims/cdi.hpp"
#include "node/driver_kit/claims/leftovers.hpp"
#include "node/driver_kit/claims/metadata.hpp"
#include "node/driver_kit/json.hpp"
#include "node/posix_files.hpp"
#include "runtime/task_group.hpp"
#include "runtime/virtual_time.hpp"
#include "test/support/co_test.hpp"
#include "test/support/memory_files.hpp"
#include "test/support/temp_folder.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

const node::ClaimRef kRef{"lab", "c1", "1f-uid"};
const std::string kRecord = "/data/prepared/1f-uid.json";
const std::string kSpec = "/cdi/gpu.example.com_claim_1f-uid.json";
const std::string kMetadataSpec = "/cdi/gpu.example.com_metadata_1f-uid_gpu.json";
const std::string kMetadata = "/data/dra-device-metadata/lab_c1/gpu/metadata.json";

json::object object(const std::string& text) {
  return json::parse(text).as_object();
}

AllocatedClaim claim(std::string pod_claim_name = {}) {
  return {.ref = kRef,
          .devices = {{.request = "gpu", .pool = "p", .device = "d0", .subrequest = "large"}},
          .json = {},
          .pod_claim_name = std::move(pod_claim_name)};
}

PreparedClaim prepared() {
  return {.devices = {{.pool = "p",
                       .device = "d0",
                       .requests = {"gpu"},
                       .edits = object(R"({"env":["GPU=d0"]})"),
                       .metadata = {.attributes = object(R"({"model":{"string":"A100"}})")}}}};
}

struct Folder {
  test::MemoryFiles memory;
  runtime::VirtualTime time;
  ClaimFiles files{memory,
                   time,
                   {.driver = "gpu.example.com",
                    .data = "/data",
                    .cdi = "/cdi",
                    .metadata = MetadataFiles::written}};
};

TEST(CdiSpec, uses_oldest_sufficient_version) {
  const struct {
    const char* edits;
    const char* version;
  } rows[] = {{R"({"env":["A=1"]})", "0.3.0"},
              {R"({"mounts":[{"hostPath":"/a","containerPath":"/b","type":"tmpfs"}]})", "0.4.0"},
              {R"({"deviceNodes":[{"path":"/dev/a","hostPath":"/dev/b"}]})", "0.5.0"},
              {R"({"additionalGids":[7]})", "0.7.0"},
              {R"({"intelRdt":{"closID":"a"}})", "0.7.0"},
              {R"({"intelRdt":{"schemata":["a"]}})", "1.1.0"},
              {R"({"netDevices":[{"hostInterfaceName":"a","name":"b"}]})", "1.1.0"}};
  for (const auto& [edits, version] : rows) {
    EXPECT_EQ(cdi_spec("a/b", {{"d", object(edits)}}).at("cdiVersion"), version) << edits;
    EXPECT_EQ(cdi_spec("a/b", {{"d", {}}}, object(edits)).at("cdiVersion"), version) << edits;
  }
  EXPECT_EQ(cdi_spec("a/b", {{"0d", {}}}).at("cdiVersion"), "0.5.0");
}

TEST(CdiSpec, gives_each_device_of_claim_its_own_name) {
  PreparedClaim claim;
  for (const char* pool : {"p", "q"}) {
    claim.devices.push_back({.pool = pool, .device = "d0", .edits = object(R"({"env":["A=1"]})")});
  }
  claim.devices.push_back({.pool = "p", .device = "d1", .cdi_ids = {"own/spec=d1"}});
  ASSERT_TRUE(claim_spec("gpu.example.com", "uid", claim));
  using Ids = std::vector<std::string>;
  EXPECT_EQ(claim.devices[0].cdi_ids, Ids{"gpu.example.com/claim=uid-d0"});
  EXPECT_EQ(claim.devices[1].cdi_ids, Ids{"gpu.example.com/claim=uid-d0-2"});
  EXPECT_EQ(claim.devices[2].cdi_ids, Ids{"own/spec=d1"}) << "it has no edits";
}

TEST(MetadataFile, lists_all_versions_newest_first) {
  const auto text = metadata_file(claim("gpus"), "gpu.example.com", "gpu",
                                  devices_by_request(claim(), prepared()).at("gpu"));
  const json::value first = json::parse(text.substr(0, text.find('\n')));
  EXPECT_EQ(first, json::parse(R"({"kind":"DeviceMetadata",
    "apiVersion":"metadata.resource.k8s.io/v1beta1",
    "metadata":{"name":"c1","namespace":"lab","uid":"1f-uid","generation":1},
    "podClaimName":"gpus","requests":[{"name":"gpu/large","devices":[
      {"driver":"gpu.example.com","pool":"p","name":"d0",
       "attributes":{"model":{"string":"A100"}}}]}]})"));
  const json::value second = json::parse(text.substr(text.find('\n') + 1));
  EXPECT_EQ(second.at("apiVersion"), "metadata.resource.k8s.io/v1alpha1");
}

TEST(MetadataFile, has_path_expected_by_kubernetes) {
  const std::string folder = "/var/run/kubernetes.io/dra-device-attributes/";
  EXPECT_EQ(metadata_path_in_container(claim(), "gpu.example.com", "gpu"),
            folder + "resourceclaims/c1/gpu/gpu.example.com-metadata.json");
  EXPECT_EQ(metadata_path_in_container(claim("gpus"), "gpu.example.com", "gpu"),
            folder + "resourceclaimtemplates/gpus/gpu/gpu.example.com-metadata.json");
}

TEST(ClaimFiles, name_metadata_once_for_request) {
  Folder folder;
  AllocatedClaim two = claim();
  two.devices.push_back(two.devices.front());
  two.devices.back().device = "d1";
  PreparedClaim devices = prepared();
  devices.devices.push_back(devices.devices.front());
  devices.devices.back().device = "d1";
  ASSERT_TRUE(folder.files.begin(two));
  ASSERT_TRUE(folder.files.write(two, devices));
  EXPECT_EQ(devices.devices[0].cdi_ids.back(), "gpu.example.com/metadata=1f-uid_gpu");
  EXPECT_EQ(devices.devices[1].cdi_ids,
            std::vector<std::string>{"gpu.example.com/claim=1f-uid-d1"});
}

TEST(ClaimFiles, appear_and_disappear_with_claim) {
  Folder folder;
  PreparedClaim devices = prepared();
  ASSERT_TRUE(folder.files.begin(claim()));
  ASSERT_TRUE(folder.files.write(claim(), devices));
  EXPECT_EQ(devices.devices[0].cdi_ids,
            (std::vector<std::string>{"gpu.example.com/claim=1f-uid-d0",
                                      "gpu.example.com/metadata=1f-uid_gpu"}));
  EXPECT_EQ(json::parse(folder.memory.content_of(kSpec)), json::parse(R"({"cdiVersion":"0.5.0",
    "kind":"gpu.example.com/claim","devices":[
      {"name":"1f-uid-d0","containerEdits":{"env":["GPU=d0"]}}]})"));
  const json::value mount = json::parse(folder.memory.content_of(kMetadataSpec))
                                .at_pointer("/devices/0/containerEdits/mounts/0");
  EXPECT_EQ(text_at(mount, "/hostPath"), kMetadata);
  EXPECT_EQ(folder.memory.names().size(), 4U) << "nothing temporary is left";
  ASSERT_TRUE(folder.files.remove(kRef));
  EXPECT_TRUE(folder.memory.names().empty());
  EXPECT_TRUE(folder.files.remove(kRef)) << "again";
}

// Simulates a process that dies between any two steps, and is called again.
// A pod's successor may be prepared before the claim of the first one is cleaned up.
TEST(ClaimFiles, of_new_claim_survive_removal_of_its_namesake) {
  Folder folder;
  PreparedClaim first = prepared();
  ASSERT_TRUE(folder.files.begin(claim()));
  ASSERT_TRUE(folder.files.write(claim(), first));
  AllocatedClaim successor = claim();
  successor.ref.uid = "2f-uid";
  PreparedClaim second = prepared();
  ASSERT_TRUE(folder.files.begin(successor));
  ASSERT_TRUE(folder.files.write(successor, second));
  ASSERT_TRUE(folder.files.remove(kRef));
  EXPECT_EQ(folder.memory.names().size(), 4U);
  EXPECT_NE(folder.memory.content_of(kMetadata), "");
  ASSERT_TRUE(folder.files.remove(successor.ref));
  EXPECT_TRUE(folder.memory.names().empty());
}

TEST(ClaimFiles, are_complete_after_failure_at_any_step) {
  for (int failing = 0; failing < 40; ++failing) {
    Folder folder;
    int steps = 0;
    const auto fail_once = [&](std::string_view, const std::string& path) -> runtime::Result<> {
      if (steps++ != failing) return {};
      return runtime::fail(runtime::Reason::configuration, path);
    };
    folder.memory.set_step(fail_once);
    for (int attempt = 0; attempt < 2; ++attempt) {
      PreparedClaim devices = prepared();
      if (folder.files.begin(claim()) && folder.files.write(claim(), devices)) break;
      EXPECT_FALSE(folder.memory.names().contains(kSpec) &&
                   !folder.memory.names().contains(kRecord))
          << "step " << failing << ": a spec that nobody would remove";
    }
    EXPECT_TRUE(json::parse(folder.memory.content_of(kSpec)).is_object());
    EXPECT_EQ(folder.memory.names().size(), 4U) << failing;
    for (int attempt = 0; attempt < 2; ++attempt) (void)folder.files.remove(kRef);
    EXPECT_TRUE(folder.memory.names().empty()) << failing;
  }
}

TEST(ClaimFiles, leave_nothing_of_process_that_died_while_writing) {
  Folder folder;
  ASSERT_TRUE(folder.memory.make_folder("/data"));
  ASSERT_TRUE(folder.memory.make_folder("/data/prepared"));
  ASSERT_TRUE(folder.memory.create(kRecord + ".tmp", "{"));
  ASSERT_TRUE(folder.files.remove(kRef));
  EXPECT_TRUE(folder.memory.names().empty());
}

TEST(ClaimFiles, fail_while_folder_cannot_be_read) {
  for (const std::string unreadable :
       {"/cdi", "/data/prepared", "/data/dra-device-metadata/lab_c1"}) {
    Folder folder;
    PreparedClaim devices = prepared();
    ASSERT_TRUE(folder.files.begin(claim()));
    ASSERT_TRUE(folder.files.write(claim(), devices));
    folder.memory.set_step([&](std::string_view operation, const std::string& path) {
      return operation == "list" && path == unreadable
                 ? runtime::Result<>(runtime::fail(runtime::Reason::configuration, path))
                 : runtime::Result<>();
    });
    EXPECT_FALSE(folder.files.remove(kRef)) << unreadable;
    EXPECT_TRUE(folder.memory.names().contains(kRecord)) << "it is removed last";
    folder.memory.set_step({});
    EXPECT_TRUE(folder.files.remove(kRef));
    EXPECT_TRUE(folder.memory.names().empty());
  }
}

// A claim with files on the machine.
struct RealFolder {
  RealFolder() {
    PreparedClaim devices = prepared();
    EXPECT_TRUE(files.begin(claim()));
    EXPECT_TRUE(files.write(claim(), devices));
  }

  test::TempFolder temporary;
  std::string data = temporary.dir();
  std::string metadata = data + "/dra-device-metadata/lab_c1";
  node::PosixFiles real;
  runtime::VirtualTime time;
  ClaimFiles files{real,
                   time,
                   {.driver = "gpu.example.com",
                    .data = data,
                    .cdi = data + "/cdi",
                    .metadata = MetadataFiles::written}};
};

// An admin may have looked into a folder, and left a copy there.
TEST(ClaimFiles, leave_files_of_others_in_folders_of_metadata) {
  RealFolder folder;
  ASSERT_TRUE(folder.real.create(folder.metadata + "/notes.txt", "1"));
  ASSERT_TRUE(folder.real.create(folder.metadata + "/gpu/metadata.json.old", "2"));
  const auto removed = folder.files.remove(kRef);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(*folder.real.list(folder.metadata), (std::vector<std::string>{"gpu", "notes.txt"}));
  EXPECT_EQ(*folder.real.list(folder.metadata + "/gpu"),
            std::vector<std::string>{"metadata.json.old"});
  EXPECT_TRUE(folder.files.records()->empty());
}

TEST(ClaimFiles, leave_what_is_no_file_or_folder_of_theirs) {
  for (const std::string path :
       {"/cdi/gpu.example.com_claim_1f-uid.json", "/cdi/gpu.example.com_metadata_1f-uid_gpu.json",
        "/dra-device-metadata/lab_c1/gpu/metadata.json", "/prepared/1f-uid.json",
        "/prepared/1f-uid.json.tmp"}) {
    RealFolder folder;
    std::filesystem::remove(folder.data + path);
    std::filesystem::create_directory(folder.data + path);
    const auto removed = folder.files.remove(kRef);
    EXPECT_TRUE(removed) << removed.error().message;
    EXPECT_TRUE(std::filesystem::is_directory(folder.data + path)) << path;
    EXPECT_TRUE(folder.files.records()->empty()) << path;
  }
  for (const std::string path : {"/cdi", "/dra-device-metadata", "/dra-device-metadata/lab_c1",
                                 "/dra-device-metadata/lab_c1/gpu"}) {
    RealFolder folder;
    std::filesystem::remove_all(folder.data + path);
    ASSERT_TRUE(folder.real.create(folder.data + path, "1"));
    const auto removed = folder.files.remove(kRef);
    EXPECT_TRUE(removed) << removed.error().message;
    EXPECT_TRUE(std::filesystem::is_regular_file(folder.data + path)) << path;
    EXPECT_TRUE(folder.files.records()->empty()) << path;
  }
}

TEST(ClaimFiles, leave_out_records_that_are_no_files) {
  RealFolder folder;
  const std::string prepared = folder.data + "/prepared";
  std::filesystem::create_directory(prepared + "/folder.json");
  std::filesystem::create_symlink("loop.json", prepared + "/loop.json");
  ASSERT_EQ(::mkfifo((prepared + "/fifo.json").c_str(), 0600), 0);
  ASSERT_EQ(::mknod((prepared + "/socket.json").c_str(), S_IFSOCK | 0600, 0), 0);
  ASSERT_TRUE(folder.real.create(prepared + "/large.json", ""));
  std::filesystem::resize_file(prepared + "/large.json", node::kFileBytesMax + 1);
  const auto records = folder.files.records();
  ASSERT_TRUE(records) << records.error().message;
  ASSERT_EQ(records->size(), 1U);
  EXPECT_EQ(records->front().ref, kRef);
}

TEST(ClaimFiles, need_driver_name_that_begins_with_letter) {
  test::MemoryFiles memory;
  runtime::VirtualTime time;
  ClaimFiles files{memory, time, {.driver = "3d.example.com", .data = "/data", .cdi = "/cdi"}};
  PreparedClaim own{.devices = {{.pool = "p", .device = "d0", .cdi_ids = {"own/spec=d0"}}}};
  EXPECT_TRUE(files.write(claim(), own));
  PreparedClaim devices = prepared();
  const auto written = files.write(claim(), devices);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            "driver \"3d.example.com\": CDI specs need a name that begins with a letter");
}

TEST(ClaimFiles, add_network_of_device_later) {
  Folder folder;
  PreparedClaim devices = prepared();
  ASSERT_TRUE(folder.files.write(claim(), devices));
  devices.devices[0].metadata = {.network_data = object(R"({"interfaceName":"net1"})")};
  ASSERT_TRUE(folder.files.update_metadata(kRef, "gpu", devices.devices));
  const std::string text = folder.memory.content_of(kMetadata);
  const json::value first = json::parse(text.substr(0, text.find('\n')));
  EXPECT_EQ(first.at("metadata").at("generation"), 2);
  const json::value& device = first.at_pointer("/requests/0/devices/0");
  EXPECT_EQ(device.at("networkData").at("interfaceName"), "net1");
  EXPECT_EQ(device.at("attributes").at("model").at("string"), "A100") << "is kept";
  devices.devices[0].device = "d7";
  EXPECT_FALSE(folder.files.update_metadata(kRef, "gpu", devices.devices));
  EXPECT_FALSE(folder.files.update_metadata(kRef, "nic", {})) << "no such request";
}

TEST(ClaimFiles, refuse_to_update_what_is_no_metadata_of_the_claim) {
  const auto error_for = [](const std::string& from, const std::string& to) {
    Folder folder;
    PreparedClaim devices = prepared();
    EXPECT_TRUE(folder.files.write(claim(), devices));
    std::string text = folder.memory.content_of(kMetadata);
    text.replace(text.find(from), from.size(), to);
    folder.memory.put(kMetadata, text);
    devices.devices[0].pool = devices.devices[0].device = "";
    const auto updated = folder.files.update_metadata(kRef, "gpu", devices.devices);
    return updated ? "" : updated.error().message.substr(kMetadata.size());
  };
  const std::string no_metadata = ": is not a file of device metadata";
  EXPECT_EQ(error_for("\"generation\":1", "\"generation\":9223372036854775807"), no_metadata);
  EXPECT_EQ(error_for("\"generation\":1", "\"generation\":9223372036854775808"), no_metadata);
  EXPECT_EQ(error_for("\"generation\":1", "\"generation\":\"1\""), no_metadata);
  EXPECT_EQ(error_for("[{\"name\"", "7,[{\"name\""), no_metadata);
  EXPECT_EQ(error_for("1f-uid", "2f-uid"), ": is of another claim of that name");
  EXPECT_EQ(error_for("\"devices\":[", "\"devices\":[null,"), ": has no device /");
}

TEST(ClaimFiles, never_leave_their_folders) {
  Folder folder;
  for (const char* uid : {"", "..", "a/../../b", "../../../etc/passwd"}) {
    AllocatedClaim wrong = claim();
    wrong.ref.uid = uid;
    EXPECT_FALSE(folder.files.begin(wrong)) << uid;
    EXPECT_FALSE(folder.files.remove(wrong.ref)) << uid;
  }
  AllocatedClaim wrong = claim();
  wrong.devices[0].request = "..";
  PreparedClaim devices = prepared();
  EXPECT_FALSE(folder.files.write(wrong, devices));
  AllocatedClaim long_name = claim();
  long_name.ref.name = std::string(253, 'c');
  EXPECT_TRUE(folder.files.write(long_name, devices));
  EXPECT_TRUE(folder.memory.names().contains("/data/dra-device-metadata/1f-uid/gpu/metadata.json"))
      << "namespace and name are too long for one file name";
}

TEST(IsStillClaimed, compares_claim_and_devices) {
  const PreparedRecord record{.ref = kRef, .devices = claim().devices, .text = {}};
  const auto with = [](const char* uid, const char* device) {
    return fmt::format(
        R"({{"metadata":{{"uid":"{}"}},"status":{{"allocation":{{"devices":{{"results":[
        {{"request":"gpu","driver":"gpu.example.com","pool":"p","device":"{}"}}]}}}}}}}})",
        uid, device);
  };
  const auto judge = [&](const runtime::Result<std::string>& claim) {
    return is_still_claimed(record, "gpu.example.com", claim);
  };
  EXPECT_EQ(judge(with("1f-uid", "d0")), Claimed::still);
  EXPECT_EQ(judge(with("other", "d0")), Claimed::no_more) << "another one of that name";
  EXPECT_EQ(judge(with("1f-uid", "d1")), Claimed::no_more) << "allocated again";
  EXPECT_EQ(judge(R"({"metadata":{"uid":"1f-uid"}})"), Claimed::no_more) << "not allocated";
  EXPECT_EQ(judge(runtime::fail(runtime::Reason::object_not_found, "")), Claimed::no_more);
  EXPECT_EQ(judge(runtime::fail(runtime::Reason::deadline_exceeded, "")), Claimed::unknown);
  EXPECT_EQ(judge("<html>"), Claimed::unknown) << "a proxy's page says nothing";
}

// Answers by the claim's name.
class Answers final : public ClaimReader {
 public:
  Task<runtime::Result<std::string>> get(api::NamespacedName key) override {
    ++asked;
    if (is_away) co_return runtime::fail(runtime::Reason::deadline_exceeded, "away");
    if (on_get) on_get();
    co_return runtime::fail(runtime::Reason::object_not_found, key.name.str());
  }
  bool is_away = false;
  int asked = 0;
  std::function<void()> on_get;
};

class Counting final : public Driver {
 public:
  Task<Prepared> prepare(AllocatedClaim) override { co_return PreparedClaim(); }
  Task<Unprepared> unprepare(node::ClaimRef claim) override {
    calls.push_back(claim.uid);
    if (is_refusing) co_return std::unexpected("busy");
    co_return Unprepared();
  }
  bool is_refusing = false;
  std::vector<std::string> calls;
};

struct Restarted {
  explicit Restarted(runtime::VirtualLoop& loop)
      : files(memory, loop.time(), {.driver = "gpu.example.com", .data = "/data", .cdi = "/cdi"}),
        lock(loop.time(), ""),
        leftovers(loop.time(), "gpu.example.com", driver, claims, files, lock, {}),
        group(loop.executor()) {
    EXPECT_TRUE(files.begin(claim()));
    PreparedClaim devices = prepared();
    EXPECT_TRUE(files.write(claim(), devices));
  }
  test::MemoryFiles memory;
  ClaimFiles files;
  CallLock lock;
  Answers claims;
  Counting driver;
  Leftovers leftovers;
  runtime::TaskGroup group;
};

CO_TEST(Leftovers, are_unprepared_and_forgotten) {
  Restarted site(loop);
  site.group.spawn("leftovers", site.leftovers.settle());
  co_await site.group.join();
  EXPECT_EQ(site.driver.calls, std::vector<std::string>{"1f-uid"});
  EXPECT_TRUE(site.memory.names().empty());
}

CO_TEST(Leftovers, are_retried_while_server_or_driver_fails) {
  Restarted site(loop);
  site.claims.is_away = true;
  site.driver.is_refusing = true;
  site.group.spawn("leftovers", site.leftovers.settle());
  co_await runtime::sleep_for(loop.time(), 10min);
  EXPECT_TRUE(site.driver.calls.empty());
  EXPECT_LT(site.claims.asked, 20) << "a minute apart in the end";
  site.claims.is_away = false;
  co_await runtime::sleep_for(loop.time(), 2min);
  EXPECT_FALSE(site.driver.calls.empty());
  EXPECT_TRUE(site.memory.names().contains(kRecord));
  site.driver.is_refusing = false;
  co_await site.group.join();
  EXPECT_TRUE(site.memory.names().empty());
}

TEST(ClaimFiles, leaves_out_files_that_hold_no_record) {
  Folder folder;
  ASSERT_TRUE(folder.files.begin(claim()));
  ASSERT_TRUE(folder.memory.create("/data/prepared/half.json", "{"));
  ASSERT_TRUE(folder.memory.create("/data/prepared/nameless.json", R"({"uid":"nameless"})"));
  const auto records = folder.files.records();
  ASSERT_TRUE(records) << to_string(records.error());
  ASSERT_EQ(records->size(), 1U);
  EXPECT_EQ(records->front().ref, kRef);
}

CO_TEST(Leftovers, are_retried_while_records_cannot_be_read) {
  for (const std::string_view operation : {"list", "read"}) {
    Restarted site(loop);
    const auto fail = [&](std::string_view step, const std::string& path) {
      return step == operation
                 ? runtime::Result<>(runtime::fail(runtime::Reason::configuration, path))
                 : runtime::Result<>();
    };
    site.memory.set_step(fail);
    site.group.spawn("leftovers", site.leftovers.settle());
    co_await runtime::sleep_for(loop.time(), 10s);
    EXPECT_TRUE(site.driver.calls.empty());
    site.memory.set_step({});
    if (operation == "read") site.claims.on_get = [&] { site.memory.set_step(fail); };
    co_await runtime::sleep_for(loop.time(), 1min);
    site.claims.on_get = {};
    site.memory.set_step({});
    co_await site.group.join();
    EXPECT_EQ(site.driver.calls.size(), 1U) << operation;
    EXPECT_TRUE(site.memory.names().empty());
  }
}

CO_TEST(Leftovers, stay_if_claim_is_prepared_again) {
  Restarted site(loop);
  site.claims.on_get = [&] { EXPECT_TRUE(site.files.begin(claim())); };
  co_await runtime::sleep_for(loop.time(), 1s);
  site.group.spawn("leftovers", site.leftovers.settle());
  co_await site.group.join();
  EXPECT_TRUE(site.driver.calls.empty());
  EXPECT_TRUE(site.memory.names().contains(kRecord));
}

}  // namespace
}  // namespace dcm::driver_kit
