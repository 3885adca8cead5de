#include "manager/connection.hpp"

#include <chrono>
#include <cmath>
#include <ctime>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/support/certificates.hpp"
#include "test/unit/client_config/files.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

// Every program runs it, dra-hollow-node too, whose kubeconfig may be a kubelet's.
TEST(Connection, uses_rotated_certificates_while_it_runs) {
  runtime::VirtualLoop loop;
  runtime::Rng rng(1);
  runtime::MetricsRegistry metrics("tested");
  std::string said;
  const runtime::Logger log(std::make_shared<runtime::LogBackend>(
      loop.time(), runtime::LogFormat::text,
      [&said](runtime::Severity /*severity*/, std::string_view line) { said += line; }));
  client::TempFolder folder;
  client::ClusterConfig config;
  config.server = {http::Security::tls, "127.0.0.1", 1};
  const std::string old = test::CertificateAuthority("old").pem();
  config.ca.file = folder.write("ca.crt", old);
  const auto connection = Connection::open(config, {}, open_gate(), {loop, metrics, rng, log});
  ASSERT_TRUE(connection) << connection.error().message;
  runtime::TaskGroup group(loop.executor());
  group.spawn("connection", (*connection)->run());
  loop.run_for(2min);
  folder.write("ca.crt", old);
  loop.run_for(1min);
  EXPECT_THAT(said, Not(HasSubstr("TLS files")));
  folder.write("ca.crt", test::CertificateAuthority("renewed").pem());
  loop.run_for(1min);
  EXPECT_THAT(said, HasSubstr("Using the changed TLS files"));
  group.cancel();
  loop.run(group.join());
}

// Days until the metric's time, rounded; 0 without the metric.
long days_left(runtime::MetricsRegistry& metrics, std::string_view which = "expiration") {
  const std::string name = fmt::format("\ntested_client_certificate_{}_seconds ", which);
  const std::string text = metrics.expose();
  const std::size_t found = text.find(name);
  if (found == std::string::npos) return 0;
  const auto expiry = static_cast<std::time_t>(std::stod(text.substr(found + name.size())));
  return std::lround(static_cast<double>(expiry - std::time(nullptr)) / 86400);
}

TEST(Connection, reports_when_client_certificate_of_its_files_expires) {
  runtime::VirtualLoop loop;
  runtime::Rng rng(1);
  runtime::MetricsRegistry metrics("tested");
  client::TempFolder folder;
  client::ClusterConfig config;
  config.server = {http::Security::tls, "127.0.0.1", 1};
  {
    const auto without = Connection::open(config, {}, open_gate(), {loop, metrics, rng, {}});
    ASSERT_TRUE(without) << without.error().message;
    EXPECT_EQ(days_left(metrics), 0);
  }
  const test::CertificateAuthority authority("authority");
  const auto write = [&](int days) {
    const test::Identity identity = authority.issue({.valid_to_days = days});
    config.client_certificate.file = folder.write("tls.crt", identity.certificate_pem);
    config.client_key.file = folder.write("tls.key", identity.key_pem);
  };
  write(3);
  const auto connection = Connection::open(config, {}, open_gate(), {loop, metrics, rng, {}});
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ(days_left(metrics), 3);
  EXPECT_EQ(days_left(metrics, "start"), -1);
  runtime::TaskGroup group(loop.executor());
  group.spawn("connection", (*connection)->run());
  write(365);
  loop.run_for(2min);
  EXPECT_EQ(days_left(metrics), 365);
  group.cancel();
  loop.run(group.join());
}

}  // namespace
}  // namespace dcm::manager
