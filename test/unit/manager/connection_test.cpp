#include "manager/connection.hpp"

#include <chrono>
#include <string>

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

}  // namespace
}  // namespace dcm::manager
