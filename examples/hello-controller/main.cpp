#include "client/manager/program.hpp"
#include "hello.hpp"

// Its argument is where /healthz, /readyz and /metrics are.
int main(int count, char** arguments) {
  return dcm::manager::run_program({.name = "hello-controller",
                                    .version = "1.0.0",
                                    .address = count > 1 ? arguments[1] : "127.0.0.1:8080"},
                                   hello::add_controllers);
}
