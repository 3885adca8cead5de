// Runs the cases against one API server:
//
//   conformance_test [--server=memory|real] [--manager=ours|reference] [--version=1.34]
//                    [--format=protobuf|json: what our manager asks for] [--http=2|1.1]
//                    [--apiserver-flag=…]… [--gtest_filter=…]
//
// With the reference, a case with a sentence about it may fail; the exit status depends on the
// others.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "test/conformance/run.hpp"
#include "test/conformance/server.hpp"

namespace dcm::conformance {
namespace {

void parse_flag(const std::string& flag) {
  if (flag == "--server=memory") {
    run().server = ServerKind::memory;
  } else if (flag == "--server=real") {
    run().server = ServerKind::real;
  } else if (flag == "--manager=ours") {
    run().manager = ManagerKind::ours;
  } else if (flag == "--manager=reference") {
    run().manager = ManagerKind::reference;
  } else if (flag == "--format=json" || flag == "--format=protobuf") {
    run().format = flag.substr(flag.find('=') + 1);
  } else if (flag == "--http=1.1" || flag == "--http=2") {
    run().http = flag.substr(flag.find('=') + 1);
  } else if (flag.starts_with("--version=")) {
    run().version = flag.substr(flag.find('=') + 1);
  } else if (flag.starts_with("--apiserver-flag=")) {
    run().server_flags.push_back(flag.substr(flag.find('=') + 1));
  } else {
    throw std::runtime_error("unknown flag " + flag);
  }
}

// The case's sentence about the reference, or nullptr.
const char* explanation(const testing::TestResult& result) {
  for (int i = 0; i < result.test_property_count(); ++i) {
    const testing::TestProperty& property = result.GetTestProperty(i);
    if (property.key() == std::string_view("reference")) return property.value();
  }
  return nullptr;
}

// Whether each failed case has a sentence about the reference; prints those sentences.
bool is_every_failure_explained() {
  bool all = true;
  const auto& tests = *testing::UnitTest::GetInstance();
  for (int s = 0; s < tests.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *tests.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& info = *suite.GetTestInfo(t);
      if (!info.result()->Failed()) continue;
      const char* why = explanation(*info.result());
      if (why != nullptr) std::printf("[  DIFFERS ] %s.%s: %s\n", suite.name(), info.name(), why);
      all = all && why != nullptr;
    }
  }
  return all;
}

int run_cases() {
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  const auto server = start_server(run());
  run().admin = server->admin();
  run().restricted = server->restricted();
  run().server_log = server->log();
  run().api_server = server.get();
  if (run().manager == ManagerKind::ours) return RUN_ALL_TESTS();
  run().reference = controlplane_program(run(), "kube-controller-manager");
  if (run().reference.empty()) {
    std::printf("[  SKIPPED ] conformance with the reference: no kube-controller-manager (0 ms)\n");
    return 0;
  }
  static_cast<void>(RUN_ALL_TESTS());
  return is_every_failure_explained() ? 0 : 1;
}

}  // namespace
}  // namespace dcm::conformance

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    for (int i = 1; i < argc; ++i) dcm::conformance::parse_flag(argv[i]);
    return dcm::conformance::run_cases();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conformance_test: %s\n", error.what());
    return 2;
  }
}
