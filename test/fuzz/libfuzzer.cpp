// Where libFuzzer calls a target.
#include <cstddef>
#include <cstdint>

#include "test/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dcm::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
