#include <memory>

#include "devices.hpp"
#include "gpus.hpp"

namespace {

using dcm::driver_kit::HealthService;
using dcm::driver_kit::MetadataFiles;
using dcm::options::number_setting;
using dcm::options::text_setting;

}  // namespace

int main(int count, char** arguments) {
  dcm::driver_kit::DriverProgram program{.plugin = {.driver = gpu::kDriver,
                                                    .health = HealthService::served,
                                                    .metadata = MetadataFiles::written},
                                         .version = "1.0.0"};
  int gpus = 2;
  std::string broken_folder = "/run/gpu-driver/broken";
  const auto exit = dcm::driver_kit::read_flags(
      count, arguments,
      {number_setting({"gpus", "", "NUMBER", "How many GPUs there are."}, gpus,
                      {0, 64, "a number of 0 to 64"}),
       text_setting({"broken-folder", "", "DIR", "Files in it name GPUs that are broken."},
                    broken_folder)},
      program);
  if (exit) return print(*exit);
  return dcm::driver_kit::run_driver(program, [&](dcm::driver_kit::DriverProcess& process) {
    return std::make_unique<gpu::Gpus>(process, gpus, broken_folder);
  });
}
