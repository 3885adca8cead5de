// Runs the cases against one API server: conformance_test --server=memory|real [--gtest_…]
#include <cstdio>
#include <exception>
#include <string_view>

#include <gtest/gtest.h>

#include "test/conformance/case.hpp"
#include "test/conformance/server.hpp"

int main(int argc, char** argv) {
  using namespace dcm::conformance;
  testing::InitGoogleTest(&argc, argv);
  ServerKind kind = ServerKind::memory;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--server=real") {
      kind = ServerKind::real;
    } else if (argument != "--server=memory") {
      std::fprintf(stderr, "conformance_test: unknown argument %s\n", argv[i]);
      return 2;
    }
  }
  try {
    const auto server = start_server(kind);
    set_kubeconfig(server->kubeconfig());
    return RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conformance_test: %s\n", error.what());
    return 1;
  }
}
