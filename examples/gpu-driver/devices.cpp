#include "devices.hpp"

#include <fmt/format.h>

namespace gpu {
namespace {

namespace json = boost::json;
using dcm::driver_kit::DevicePool;

constexpr int kMemory = 40;  // GiB of each GPU

json::object amount(int gibibytes) {
  return {{"value", fmt::format("{}Gi", gibibytes)}};
}

json::object device(const std::string& name, const char* profile) {
  return {{"name", name},
          {"attributes",
           {{"model", {{"string", "EXAMPLE-40"}}},
            {"profile", {{"string", profile}}},
            {"links", {{"strings", {"nvlink", "pcie"}}}}}}};
}

// The whole GPU and its parts consume the same counters, so while a part is allocated, the whole
// GPU is not.
json::object partition(const std::string& name, const std::string& gpu, int parts) {
  json::object made = device(name, parts == kPartsOfGpu ? "whole" : "quarter");
  const int memory = kMemory / kPartsOfGpu * parts;
  made["capacity"] = {{"memory", amount(memory)}};
  made["consumesCounters"] = {
      {{"counterSet", gpu},
       {"counters", {{"memory", amount(memory)}, {"engines", {{"value", parts}}}}}}};
  return made;
}

// Each claim states how much memory it needs, in steps of 10 GiB.
json::object shareable(const std::string& name) {
  json::object made = device(name, "shared");
  made["allowMultipleAllocations"] = true;
  made["capacity"] = {{"memory",
                       {{"value", "40Gi"},
                        {"requestPolicy",
                         {{"default", "10Gi"},
                          {"validRange", {{"min", "10Gi"}, {"max", "40Gi"}, {"step", "10Gi"}}}}}}}};
  return made;
}

void add_partitions(DevicePool& pool, const std::string& gpu) {
  pool.shared_counters.push_back(
      {{"name", gpu},
       {"counters", {{"memory", amount(kMemory)}, {"engines", {{"value", kPartsOfGpu}}}}}});
  for (int part = 0; part < kPartsOfGpu; ++part) {
    pool.devices.push_back(partition(fmt::format("{}-part-{}", gpu, part), gpu, 1));
  }
  pool.devices.push_back(partition(gpu, gpu, kPartsOfGpu));
}

}  // namespace

DevicePool devices_of(const std::string& node, int gpus, const std::set<std::string>& broken) {
  DevicePool pool{.name = node};
  for (int number = 0; number < gpus; ++number) {
    const std::string name = fmt::format("gpu-{}", number);
    if (number % 2 == 0) add_partitions(pool, name);
    if (number % 2 == 1) pool.devices.push_back(shareable(name));
  }
  for (json::object& each : pool.devices) {
    if (!broken.contains(gpu_of(std::string(each["name"].as_string())))) continue;
    each["taints"] = {{{"key", "gpus.example.com/broken"}, {"effect", "NoSchedule"}}};
  }
  return pool;
}

std::string gpu_of(const std::string& device) {
  return device.substr(0, device.find("-part-"));
}

}  // namespace gpu
