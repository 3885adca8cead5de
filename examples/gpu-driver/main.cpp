#include <charconv>
#include <cstdio>
#include <memory>

#include "devices.hpp"
#include "gpus.hpp"

namespace {

using dcm::driver_kit::HealthService;
using dcm::driver_kit::MetadataFiles;

// -1: not a number of GPUs.
int number_of(const std::string& text) {
  int number = -1;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && rest == end && number <= 64 ? number : -1;
}

}  // namespace

int main(int count, char** arguments) {
  dcm::driver_kit::DriverProgram program{.plugin = {.driver = gpu::kDriver,
                                                    .health = HealthService::served,
                                                    .metadata = MetadataFiles::written},
                                         .version = "1.0.0"};
  const auto flags = dcm::driver_kit::read_flags(
      count, arguments, {{"gpus", "2"}, {"broken-folder", "/run/gpu-driver/broken"}}, program);
  const int gpus = flags ? number_of(flags->at("gpus")) : 0;
  if (!flags || gpus < 0) {
    std::fprintf(stderr, "gpu-driver: %s\n",
                 flags ? "--gpus must be 0 to 64" : flags.error().message.c_str());
    return 2;
  }
  return dcm::driver_kit::run_driver(program, [&](dcm::driver_kit::DriverProcess& process) {
    return std::make_unique<gpu::Gpus>(process, gpus, flags->at("broken-folder"));
  });
}
