// The checkpoint's format: written byte for byte like kubelet 1.37, and read leniently. Numbers in
// brackets are the cases of the node's specification.
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "node/checkpoint/codec.hpp"
#include "node/checkpoint/crc32.hpp"
#include "node/checkpoint/go_json.hpp"
#include "node/checkpoint/store.hpp"
#include "node/posix_files.hpp"
#include "test/support/memory_files.hpp"
#include "test/support/temp_folder.hpp"

namespace dcm::node {
namespace {

constexpr const char* kEmptyData =
    R"({"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1",)"
    R"("ClaimInfoStateList":[]})";

// A file around any data, with a correct checksum.
std::string envelope(const std::string& data) {
  std::string file = R"({"Data":)";
  append_go_string(file, data);
  return file + R"(,"Checksum":)" + std::to_string(crc32(data)) + "}";
}

Entry prepared_entry() {
  return {.namespace_ = "default",
          .name = "c1",
          .uid = "u1",
          .pod_uids = {"p2", "p1"},
          .drivers = {{"gpu.example.com",
                       {.devices = {{.pool = "node-0",
                                     .device = "dev-0",
                                     .requests = {"gpu"},
                                     .cdi_ids = {"example.com/gpu=0"}}}}},
                      {"nic.example.com", {.skip_operations = {"NodePrepareResources"}}}}};
}

TEST(Checkpoint, has_checksum_of_kubelet) {
  EXPECT_EQ(crc32(kEmptyData), 2361995144U);  // measured with kubelet's own code
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
}

TEST(Checkpoint, writes_no_entries_as_null_and_then_empty_list) {
  EXPECT_EQ(encode_checkpoint({}), envelope(kEmptyData));
  EXPECT_TRUE(encode_checkpoint({}, NoEntries::null).contains(R"(ClaimInfoStateList\":null})"));
}

TEST(Checkpoint, writes_keys_in_kubelet_order) {
  EXPECT_EQ(
      encode_checkpoint({prepared_entry()}),
      envelope(R"({"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1",)"
               R"("ClaimInfoStateList":[{"ClaimUID":"u1","ClaimName":"c1","Namespace":"default",)"
               R"("PodUIDs":{"p1":{},"p2":{}},"DriverState":{"gpu.example.com":{"Devices":[)"
               R"({"PoolName":"node-0","DeviceName":"dev-0","ShareID":null,"RequestNames":["gpu"],)"
               R"("CDIDeviceIDs":["example.com/gpu=0"]}]},"nic.example.com":{"Devices":null,)"
               R"("skipNodeOperations":["NodePrepareResources"]}}}]})"));
}

// Made with kubelet 1.37's own code (pkg/kubelet/cm/dra/state).
constexpr const char* kWrittenByKubelet =
    R"({"Data":"{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k)"
    R"(8s.io/v1\",\"ClaimInfoStateList\":[{\"ClaimUID\":\"u1\",\"ClaimName\":\"c1\",\)"
    R"("Namespace\":\"default\",\"PodUIDs\":{\"p1\":{},\"p2\":{}},\"DriverState\":{\")"
    R"(gpu.example.com\":{\"Devices\":[{\"PoolName\":\"node-0\",\"DeviceName\":\"dev-)"
    R"(0\",\"ShareID\":null,\"RequestNames\":[\"gpu\"],\"CDIDeviceIDs\":[\"example.co)"
    R"(m/gpu=\\u003c0\\u003e\\u0026\\u2028\\\"é\\n\"]},{\"PoolName\":\"node-0\",\"De)"
    R"(viceName\":\"dev-0\",\"ShareID\":\"5d2c6a3e-1f7b-4c59-9d55-0a1f2f3f4a5b\",\"Re)"
    R"(questNames\":null,\"CDIDeviceIDs\":null}]},\"nic.example.com\":{\"Devices\":nu)"
    R"(ll,\"skipNodeOperations\":[\"NodePrepareResources\"]}}}]}","Checksum":18233873)"
    R"(06})";

TEST(Checkpoint, rewrites_kubelet_file_unchanged) {  // [64]
  const auto entries = decode_checkpoint(kWrittenByKubelet);
  ASSERT_TRUE(entries) << entries.error().message;
  const PreparedDevice& device = entries->front().drivers.at("gpu.example.com").devices.back();
  EXPECT_EQ(device.share_id, "5d2c6a3e-1f7b-4c59-9d55-0a1f2f3f4a5b");
  EXPECT_EQ(encode_checkpoint(*entries), kWrittenByKubelet);
}

TEST(Checkpoint, escapes_strings_like_go) {
  std::string out;
  append_go_string(out, "<a>&\"\\\n\x01\u2028\u00e9\xff");
  EXPECT_EQ(out, "\"\\u003ca\\u003e\\u0026\\\"\\\\\\n\\u0001\\u2028\u00e9\\ufffd\"");
}

TEST(Checkpoint, survives_round_trip) {  // [64], [80]
  Entry entry = prepared_entry();
  entry.drivers["gpu.example.com"].devices.push_back(
      {.pool = "node-0", .device = "dev-0", .share_id = "s2", .cdi_ids = {"a<b"}});
  entry.extra = EntryExtra{.allocation = {{"gpu.example.com", "node-0", "dev-0", "s1"},
                                          {"gpu.example.com", "node-0", "dev-0", "s2"}}};
  const auto read = decode_checkpoint(encode_checkpoint({entry}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, std::vector{entry});
}

TEST(Checkpoint, ignores_unknown_fields_and_defaults_missing_ones) {  // [66]
  const auto read = decode_checkpoint(envelope(
      R"({"future":{"a":[1]},"ClaimInfoStateList":[{"ClaimUID":"u","ClaimName":"c","x":null,)"
      R"("DriverState":{"d":{}}}],"apiVersion":"checkpoint.dra.kubelet.k8s.io/v1beta1"})"));
  ASSERT_TRUE(read) << read.error().message;
  const Entry expected{.namespace_ = "", .name = "c", .uid = "u", .drivers = {{"d", {}}}};
  EXPECT_EQ(*read, std::vector{expected});
}

TEST(Checkpoint, treats_null_lists_as_empty) {
  const auto read = decode_checkpoint(encode_checkpoint({}, NoEntries::null));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->empty());
}

// Drivers may answer with many names.
TEST(Checkpoint, reads_any_number_of_names) {
  std::vector<Entry> entries(8, prepared_entry());
  for (Entry& entry : entries) {
    entry.drivers["gpu.example.com"].devices.front().requests.assign(50'000, "");
  }
  const auto read = decode_checkpoint(encode_checkpoint(entries));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, entries);
}

TEST(Checkpoint, reads_uid_of_pod_with_null_like_go) {
  const auto read = decode_checkpoint(
      envelope(R"({"ClaimInfoStateList":[{"PodUIDs":{"p1":null,"p2":{"a":1}}}]})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().pod_uids, (std::set<std::string>{"p1", "p2"}));
}

struct BrokenRow {
  const char* sentence;
  std::string file;
  const char* error;
};

TEST(Checkpoint, rejects_broken_file) {  // [65]
  const std::string whole = encode_checkpoint({prepared_entry()});
  std::string flipped = whole;
  flipped[flipped.find("node-0")] = 'N';
  const BrokenRow rows[] = {
      {"an empty file", "", "checkpoint is corrupted"},
      {"half a file", whole.substr(0, whole.size() / 2), "checkpoint is corrupted"},
      {"a byte that changed", flipped, "the checksum is wrong"},
      {"an object without data", "{}", "the checksum is wrong"},
      {"a file of an old kubelet", R"({"version":"v1","entries":{},"checksum":1})",
       "the checksum is wrong"},
      {"data that is not JSON", envelope("[[["), "checkpoint is corrupted"},
      {"a number at the UID of a pod", envelope(R"({"ClaimInfoStateList":[{"PodUIDs":{"p1":7}}]})"),
       "PodUIDs.p1"},
      {"a list at the UID of a pod", envelope(R"({"ClaimInfoStateList":[{"PodUIDs":{"p1":[]}}]})"),
       "PodUIDs.p1"},
      {"another kind", envelope(R"({"kind":"CPUManager"})"), "it is a CPUManager"},
      {"a version that is newer",
       envelope(R"({"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v2"})"),
       ", not checkpoint.dra.kubelet.k8s.io/v1"},
      {"a version that only begins like ours",
       envelope(R"({"apiVersion":"checkpoint.dra.kubelet.k8s.io/v10"})"),
       ", not checkpoint.dra.kubelet.k8s.io/v1"},
      {"a version of another group", envelope(R"({"apiVersion":"example.com/v1"})"),
       "its apiVersion is example.com/v1, not checkpoint.dra.kubelet.k8s.io/v1"},
      {"zero bytes, as a failed machine leaves them", std::string(100, '\0'),
       "checkpoint is corrupted"},
  };
  for (const BrokenRow& row : rows) {
    const auto read = decode_checkpoint(row.file);
    ASSERT_FALSE(read) << row.sentence;
    EXPECT_TRUE(read.error().message.contains(row.error)) << row.sentence << read.error().message;
  }
}

TEST(CheckpointStore, keeps_and_names_broken_file) {  // [65]
  test::MemoryFiles files;
  files.put("/state/dra_manager_state", "half");
  const auto opened = CheckpointStore(files, "/state", runtime::Rng(1)).open();
  ASSERT_FALSE(opened);
  EXPECT_TRUE(
      opened.error().message.starts_with("/state/dra_manager_state: checkpoint is corrupt"));
  EXPECT_EQ(files.content_of("/state/dra_manager_state"), "half");
}

TEST(CheckpointStore, sets_broken_file_aside) {
  test::MemoryFiles files;
  files.put("/state/dra_manager_state", "half");
  CheckpointStore store(files, "/state", runtime::Rng(1));
  const auto kept = store.set_aside(runtime::WallTime(std::chrono::seconds(1'700'000'000)));
  ASSERT_TRUE(kept);
  EXPECT_EQ(*kept, "/state/dra_manager_state.corrupt-1700000000.rebuilding");
  files.fail_machine(test::MemoryFiles::UnsyncedNames::lost);
  const auto opened = store.open();
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->empty());
  EXPECT_EQ(files.content_of(*kept), "half");
}

TEST(CheckpointStore, keeps_first_broken_file) {
  test::MemoryFiles files;
  CheckpointStore store(files, "/state", runtime::Rng(1));
  for (const char* content : {"first", "second"}) {
    files.put("/state/dra_manager_state", content);
    const auto kept = store.set_aside(runtime::WallTime(std::chrono::seconds(1'700'000'000)));
    ASSERT_TRUE(kept);
    EXPECT_EQ(files.content_of(*kept), content);
  }
  EXPECT_EQ(files.names().size(), 2U);
}

TEST(CheckpointStore, writes_nothing_unreadable) {
  test::MemoryFiles files;
  CheckpointStore store(files, "/state", runtime::Rng(1));
  ASSERT_TRUE(store.open());
  ASSERT_TRUE(store.write({prepared_entry()}));
  Entry large = prepared_entry();
  large.drivers["gpu.example.com"].devices.front().cdi_ids = {std::string(kFileBytesMax, 'x')};
  EXPECT_FALSE(store.write({large}));
  EXPECT_EQ(files.content_of("/state/dra_manager_state"), encode_checkpoint({prepared_entry()}));
  EXPECT_EQ(files.names().size(), 1U);
}

// What may be at the file's path on a machine.
class UnusableFile : public testing::Test {
 protected:
  void expect_set_aside(const char* what) {
    CheckpointStore store(files_, folder_, runtime::Rng(1));
    const auto opened = store.open();
    ASSERT_FALSE(opened) << what;
    EXPECT_EQ(opened.error().reason, runtime::Reason::malformed) << what;
    EXPECT_TRUE(opened.error().message.contains("--on-corrupt-state=rebuild")) << what;
    EXPECT_FALSE(opened.error().message.contains(".;")) << opened.error().message;
    ASSERT_TRUE(store.set_aside(runtime::WallTime(std::chrono::seconds(1'700'000'000)))) << what;
    const auto again = store.open();
    ASSERT_TRUE(again) << what << ": " << again.error().message;
    EXPECT_TRUE(again->empty());
    EXPECT_EQ(store.is_rebuilding(), true);
    ASSERT_TRUE(store.end_rebuilding()) << what;
    std::filesystem::remove(path());
  }
  std::string path() const { return folder_ + "/dra_manager_state"; }

  PosixFiles files_;
  test::TempFolder temporary_;
  std::string folder_ = temporary_.dir();
};

TEST_F(UnusableFile, is_set_aside_of_any_type) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  expect_set_aside("a FIFO");
  ASSERT_TRUE(files_.make_folder(path()));
  expect_set_aside("a folder");
  ASSERT_TRUE(files_.create(path(), ""));
  std::filesystem::resize_file(path(), kFileBytesMax + 1);
  expect_set_aside("a file that is too large");
  std::filesystem::create_symlink(path(), path());
  expect_set_aside("a link to itself");
}

TEST_F(UnusableFile, is_tolerated_if_it_cannot_be_removed) {
  ASSERT_TRUE(files_.make_folder(folder_ + "/.dra_manager_state-0123"));
  CheckpointStore store(files_, folder_, runtime::Rng(1));
  ASSERT_TRUE(store.open());
  EXPECT_TRUE(store.write({prepared_entry()}));
}

TEST(CheckpointStore, remembers_lost_entries_until_restored) {
  test::MemoryFiles files;
  files.put("/state/dra_manager_state", "half");
  {
    CheckpointStore store(files, "/state", runtime::Rng(1));
    EXPECT_EQ(store.is_rebuilding(), false);
    ASSERT_TRUE(store.set_aside(runtime::WallTime(std::chrono::seconds(1'700'000'000))));
    ASSERT_TRUE(store.open());
  }
  files.fail_machine(test::MemoryFiles::UnsyncedNames::lost);
  CheckpointStore store(files, "/state", runtime::Rng(2));
  ASSERT_TRUE(store.open());
  EXPECT_EQ(store.is_rebuilding(), true);
  ASSERT_TRUE(store.end_rebuilding());
  files.fail_machine(test::MemoryFiles::UnsyncedNames::lost);
  EXPECT_EQ(store.is_rebuilding(), false);
  EXPECT_EQ(files.content_of("/state/dra_manager_state.corrupt-1700000000"), "half");
}

TEST(CheckpointStore, creates_missing_file_and_removes_leftovers) {
  test::MemoryFiles files;
  files.put("/state/.dra_manager_state-0123", "half");
  files.put("/state/cpu_manager_state", "not ours");
  ASSERT_TRUE(CheckpointStore(files, "/state", runtime::Rng(1)).open());
  EXPECT_EQ(files.content_of("/state/dra_manager_state"), encode_checkpoint({}, NoEntries::null));
  EXPECT_EQ(files.names().size(), 2U);
}

TEST(CheckpointStore, syncs_writes_for_machine_crash) {
  test::MemoryFiles files;
  CheckpointStore store(files, "/state", runtime::Rng(1));
  ASSERT_TRUE(store.open());
  ASSERT_TRUE(store.write({prepared_entry()}));
  files.fail_machine(test::MemoryFiles::UnsyncedNames::lost);
  EXPECT_EQ(files.content_of("/state/dra_manager_state"), encode_checkpoint({prepared_entry()}));
}

TEST(CheckpointStore, tolerates_failure_at_each_write_step) {  // [67]
  for (const char* failing : {"create", "sync", "rename", "sync_folder"}) {
    test::MemoryFiles files;
    CheckpointStore store(files, "/state", runtime::Rng(1));
    ASSERT_TRUE(store.open());
    files.set_step([&](std::string_view operation, const std::string&) -> runtime::Result<> {
      if (operation != failing) return {};
      return runtime::fail(runtime::Reason::configuration, "No space left on device");
    });
    EXPECT_FALSE(store.write({prepared_entry()})) << failing;
    EXPECT_EQ(files.names().size(), 1U) << failing << ": no half file is left";
    EXPECT_TRUE(decode_checkpoint(files.content_of("/state/dra_manager_state"))) << failing;
    files.set_step({});
    EXPECT_TRUE(store.write({prepared_entry()})) << failing << ": retried";
  }
}

}  // namespace
}  // namespace dcm::node
