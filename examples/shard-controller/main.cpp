#include "dcm/manager/program.hpp"
#include "shards.hpp"

int main(int argc, char** argv) {
  shards::Options options;
  return dcm::manager::run_program(
      argc, argv,
      {.name = "shard-controller",
       .version = "1.0.0",
       .summary = "Divides the numbers of each ShardSet between ConfigMaps.",
       .flags = shards::flags(options)},
      [&options](auto& manager) { shards::add_controllers(manager, options); });
}
