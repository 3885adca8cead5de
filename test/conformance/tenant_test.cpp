// The harm that one user can do to others, with permissions in one namespace or none at all.
#include <regex>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

class Tenant : public Case {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "this is about our own binary";
  }

  double memory() { return manager().metric("process_resident_memory_bytes"); }

  // The kernel's own count of the peak: occasional sampling misses most of it.
  void expect_at_most_128_MB_above(double normal) {
    EXPECT_LT(manager().peak_memory() - normal, 128.0 * 1024 * 1024);
    EXPECT_GT(manager().peak_memory(), 1024.0 * 1024) << "the kernel was asked";
  }
};

// As large as etcd accepts: 1.4 MB. An API server writes each "<" as six characters.
json::value huge_spec() {
  const std::string text = "\"" + std::string(9'000, '<') + "\" != \"a\"";
  json::array selectors(6, json::value{{"cel", {{"expression", text}}}});
  json::array requests;
  for (int i = 0; i < 26; ++i) {
    requests.push_back({{"name", "r" + std::to_string(i)},
                        {"exactly", {{"deviceClassName", "gpu"}, {"selectors", selectors}}}});
  }
  return {{"spec", {{"devices", {{"requests", requests}}}}}};
}

// docs/security.md states the limit. 60 such pods once took 1,660 MB.
TEST_F(Tenant, costs_at_most_128_MB_with_largest_objects) {
  patience(std::chrono::seconds(120));
  start_manager();
  const double normal = memory();
  const int count = 40;
  for (int i = 0; i < count; ++i) {
    create_template("huge-" + std::to_string(i), huge_spec());
  }
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    create_pod({.name = "pod-" + number, .templates = {{"accel", "huge-" + number}}});
  }
  EXPECT_TRUE(
      soon("their claims are made all the same", [&] { return claim_names().size() == count; }));
  expect_at_most_128_MB_above(normal);
}

// A starting manager lists what a running one received one by one.
TEST_F(Tenant, costs_at_most_128_MB_with_largest_objects_at_start) {
  patience(std::chrono::seconds(120));
  const int count = 30;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    create_template("huge-" + number, huge_spec());
    kube().must_post(path("resourceclaims"), {{"apiVersion", "resource.k8s.io/v1"},
                                              {"kind", "ResourceClaim"},
                                              {"metadata", {{"name", "huge-" + number}}},
                                              {"spec", huge_spec().at("spec")}});
    create_pod({.name = "pod-" + number, .templates = {{"accel", "huge-" + number}}});
  }
  start_manager();
  EXPECT_TRUE(soon("claims are made", [&] { return claim_names().size() == 2 * count; }));
  expect_at_most_128_MB_above(0);
}

// Sockets that connect and never finish a request.
class HalfOpen {
 public:
  HalfOpen(const std::string& address, int count) {
    const auto colon = address.rfind(':');
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    for (int i = 0; i < count; ++i) {
      const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
      if (i % 2 == 0) EXPECT_EQ(::send(fd, "GET / HT", 8, MSG_NOSIGNAL), 8);
      sockets_.push_back(fd);
    }
  }
  ~HalfOpen() {
    for (const int fd : sockets_) ::close(fd);
  }
  HalfOpen(const HalfOpen&) = delete;
  HalfOpen& operator=(const HalfOpen&) = delete;

 private:
  std::vector<int> sockets_;
};

TEST_F(Tenant, cannot_block_probes_by_half_open_connections) {
  start_manager();
  ASSERT_EQ(manager().status_page("/livez"), "ok");
  std::smatch match;
  const std::string log = manager().log();
  ASSERT_TRUE(
      std::regex_search(log, match, std::regex(R"re("Serving plain HTTP".* address="([^"]+)")re")));
  const HalfOpen sockets(match[1], 2200);  // http::ServerOptions::new_connections_max is 2,048
  for (int probe = 0; probe < 17; ++probe) {
    EXPECT_EQ(manager().status_page("/livez"), "ok") << "probe " << probe;
  }
  EXPECT_TRUE(
      soon("the log says so", [&] { return manager().log().contains("Too many connections"); }));
}

}  // namespace
}  // namespace dcm::conformance
