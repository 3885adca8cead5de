// The content of a claim's status: each row is a mistake of a driver or scheduler, and the causes
// of kube-apiserver 1.37.2.
#include <gmock/gmock.h>

#include "apiserver/rules/interface_address.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

using ::testing::ElementsAreArray;

std::string repeated(std::size_t count, std::string_view text, std::string_view separator = "") {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) all += separator;
    all += text;
  }
  return all;
}

std::string addresses(std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    all += std::string(i > 0 ? "," : "") + "\"10.0.0." + std::to_string(i) + "/24\"";
  }
  return all;
}

std::string conditions(std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    all += std::string(i > 0 ? "," : "") + R"({"type":"T)" + std::to_string(i) +
           R"(","status":"True","reason":"R","message":"",)"
           R"("lastTransitionTime":"2026-01-01T00:00:00Z"})";
  }
  return all;
}

struct Row {
  std::string sentence;
  std::string members;              // of the one device or result
  std::vector<std::string> causes;  // "FieldValueInvalid .networkData.ips[0]", relative to it
};

class ClaimStatus : public Api {
 protected:
  ClaimStatus() { make_claim(); }

  std::vector<std::string> causes_of(const Answer& answer) {
    std::vector<std::string> causes;
    for (const Json& item : array_at(answer.body, {"details", "causes"})) {
      causes.push_back(std::string(text_at(item.get_object(), {"reason"})) + " " +
                       std::string(text_at(item.get_object(), {"field"})));
    }
    return causes;
  }

  Answer write_status(const std::string& status) {
    return api.patch(kClaimStatus, kMerge, R"({"status":)" + status + "}");
  }

  Answer write_devices(const std::string& devices) {
    return write_status(R"({"devices":[)" + devices + "]}");
  }

  void expect(const Answer& answer, const Row& row, std::string_view path) {
    std::vector<std::string> wanted;
    for (const std::string& cause : row.causes) {
      const auto space = cause.find(' ');
      wanted.push_back(cause.substr(0, space + 1) + std::string(path) + cause.substr(space + 1));
    }
    EXPECT_THAT(causes_of(answer), ElementsAreArray(wanted)) << row.sentence;
    EXPECT_EQ(answer.status, row.causes.empty() ? 200 : 422) << row.sentence;
  }
};

const std::string kDevice = R"({"driver":"d","pool":"p","device":"gpu-0")";

TEST_F(ClaimStatus, accepts_statuses_written_by_drivers) {
  allocate();
  const Row rows[] = {
      {"nothing but the device", "", {}},
      {"good addresses", R"("networkData":{"ips":["10.9.8.7/24","2001:db8::1/64"]})", {}},
      {"an address without a mask",
       R"("networkData":{"ips":["10.9.8.7"]})",
       {"FieldValueInvalid .networkData.ips[0]"}},
      {"an address that is not canonical",
       R"("networkData":{"ips":["2001:DB8::1/64"]})",
       {"FieldValueInvalid .networkData.ips[0]"}},
      {"an address twice",
       R"("networkData":{"ips":["10.9.8.7/24","10.9.8.7/24"]})",
       {"FieldValueDuplicate .networkData.ips[1]"}},
      {"16 addresses", R"("networkData":{"ips":[)" + addresses(16) + "]}", {}},
      {"17 addresses",
       R"("networkData":{"ips":[)" + addresses(17) + "]}",
       {"FieldValueTooMany .networkData.ips"}},
      {"a long name",
       R"("networkData":{"interfaceName":")" + repeated(257, "n") + "\"}",
       {"FieldValueTooLong .networkData.interfaceName"}},
      {"a long address",
       R"("networkData":{"hardwareAddress":")" + repeated(129, "0") + "\"}",
       {"FieldValueTooLong .networkData.hardwareAddress"}},
      {"data that is no object", R"("data":[1])", {"FieldValueInvalid .data"}},
      {"too much data",
       R"("data":{"k":")" + repeated(10240, "x") + "\"}",
       {"FieldValueTooLong .data"}},
      {"eight conditions", R"("conditions":[)" + conditions(8) + "]", {}},
      {"nine conditions",
       R"("conditions":[)" + conditions(9) + "]",
       {"FieldValueTooMany .conditions"}},
      {"a share that is no UUID",
       R"("shareID":"1")",
       {"FieldValueInvalid ", "FieldValueInvalid .shareID"}},
  };
  for (const Row& row : rows) {
    expect(write_devices(kDevice + (row.members.empty() ? "" : ",") + row.members + "}"), row,
           "status.devices[0]");
  }
}

TEST_F(ClaimStatus, rejects_duplicate_device) {
  allocate();
  const Answer twice = write_devices(kDevice + "}," + kDevice + "}");
  EXPECT_THAT(causes_of(twice), ElementsAreArray({"FieldValueDuplicate status.devices[1]"}));
}

TEST_F(ClaimStatus, rejects_unallocated_devices) {
  allocate();
  const Answer other = write_devices(R"({"driver":"d","pool":"p/","device":"gpu_0"})");
  EXPECT_THAT(causes_of(other), ElementsAreArray({"FieldValueInvalid status.devices[0].pool",
                                                  "FieldValueInvalid status.devices[0].device",
                                                  "FieldValueInvalid status.devices[0]"}));
}

TEST_F(ClaimStatus, accepts_statuses_written_by_schedulers) {
  const std::string good = R"({"request":"one","driver":"d","pool":"p","device":"gpu-0"})";
  const auto results = [](const std::string& list) {
    return R"("devices":{"results":[)" + list + "]}";
  };
  const auto config = [&](const std::string& one) {
    return R"("devices":{"results":[)" + good + R"(],"config":[)" + one + "]}";
  };
  const Row rows[] = {
      {"33 results", results(repeated(33, good, ",")), {"FieldValueTooMany .devices.results"}},
      {"a bad pool",
       results(R"({"request":"one","driver":"d","pool":"a//b","device":"gpu-0"})"),
       {"FieldValueInvalid .devices.results[0].pool"}},
      {"a request that is not there",
       results(R"({"request":"two","driver":"d","pool":"p","device":"gpu-0"})"),
       {"FieldValueInvalid .devices.results[0].request"}},
      {"a selector without terms",
       results(good) + R"(,"nodeSelector":{"nodeSelectorTerms":[]})",
       {"FieldValueRequired .nodeSelector.nodeSelectorTerms"}},
      {"a bad operator",
       results(good) + R"(,"nodeSelector":{"nodeSelectorTerms":[)"
                       R"({"matchExpressions":[{"key":"k","operator":"Has"}]}]})",
       {"FieldValueInvalid "
        ".nodeSelector.nodeSelectorTerms[0].matchExpressions[0].operator"}},
      {"configuration that is not opaque",
       config(R"({"source":"FromClass"})"),
       {"FieldValueRequired .devices.config[0].opaque"}},
      {"a bad source",
       config(R"({"source":"FromPod","opaque":{"driver":"d","parameters":{}}})"),
       {"FieldValueNotSupported .devices.config[0].source"}},
      {"no source",
       config(R"({"opaque":{"driver":"d","parameters":{}}})"),
       {"FieldValueRequired .devices.config[0].source"}},
      {"a good allocation",
       config(R"({"source":"FromClaim","opaque":{"driver":"d",)"
              R"("parameters":{"a":1}}})"),
       {}},
  };
  for (const Row& row : rows) {
    expect(write_status(R"({"allocation":{)" + row.members + "}}"), row, "status.allocation");
  }
}

TEST(CanonicalInterfaceAddress, formats_like_go) {
  const std::pair<std::string_view, std::optional<std::string>> rows[] = {
      {"10.9.8.7/24", "10.9.8.7/24"},
      {"010.009.8.7/24", "10.9.8.7/24"},
      {"10.9.8.7/024", "10.9.8.7/24"},
      {"2001:db8:0:0:0:0:0:1/64", "2001:db8::1/64"},
      {"2001:0DB8::1/64", "2001:db8::1/64"},
      {"2001:db8:0:1:0:0:0:1/64", "2001:db8:0:1::1/64"},
      {"1:0:0:2:0:0:3:4/1", "1::2:0:0:3:4/1"},
      {"::/0", "::/0"},
      {"::ffff:192.168.0.1/120", "192.168.0.1/24"},
      {"::1.2.3.4/128", "::102:304/128"},
      {"1:2:3:4:5:6:7:8/128", "1:2:3:4:5:6:7:8/128"},
      {"1:2:3:4:5:6:7::/128", "1:2:3:4:5:6:7:0/128"},
      {"10.9.8.7", std::nullopt},
      {"10.9.8.7/33", std::nullopt},
      {"10.9.8/24", std::nullopt},
      {"10.9.8.256/24", std::nullopt},
      {"10.9.8.7/", std::nullopt},
      {"10.9.8.7/-1", std::nullopt},
      {"2001:db8::1::2/64", std::nullopt},
      {"1:2:3:4:5:6:7:8:9/64", std::nullopt},
      {"fe80::1%eth0/64", std::nullopt},
      {"/24", std::nullopt},
      {"12345::/64", std::nullopt},
  };
  for (const auto& [text, canonical] : rows) {
    EXPECT_EQ(canonical_interface_address(text), canonical) << text;
  }
}

}  // namespace
}  // namespace dcm::apiserver
