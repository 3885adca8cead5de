#include "dcm/manager/program.hpp"
#include "hello.hpp"

// [main]
int main(int argc, char** argv) {
  return dcm::manager::run_program(
      argc, argv,
      {.name = "hello-controller", .version = "1.0.0", .summary = "Greets in ConfigMaps."},
      hello::add_controllers);
}
// [main]
