// A driver's registration socket on the real file system.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "runtime/grpc/server.hpp"
#include "runtime/http/unix.hpp"
#include "runtime/loop.hpp"

namespace dcm::node {

// A driver that answers GetInfo and accepts its status.
inline grpc::Methods driver_methods(int& registrations,
                                    std::vector<std::string> services = {"v1.DRAPlugin"}) {
  grpc::Methods methods;
  methods.unary["/pluginregistration.Registration/GetInfo"] =
      [services](std::string, runtime::Deadline) -> runtime::Task<grpc::Result<std::string>> {
    std::string message;
    protozero::pbf_writer writer(message);
    writer.add_string(1, "DRAPlugin");
    writer.add_string(2, "gpu.example.com");
    for (const std::string& service : services) writer.add_string(4, service);
    co_return message;
  };
  methods.unary["/pluginregistration.Registration/NotifyRegistrationStatus"] =
      [&registrations](std::string, runtime::Deadline) -> runtime::Task<grpc::Result<std::string>> {
    ++registrations;
    co_return std::string();
  };
  return methods;
}

// Waits for the results of other tasks; a test that waits without success is ended by its time
// limit.
inline runtime::Task<> until(runtime::Loop& loop, std::function<bool()> holds) {
  while (!holds()) co_await runtime::sleep_for(loop.time(), std::chrono::milliseconds(1));
}

}  // namespace dcm::node
