// The body of a list, read as each kind. Reading is deterministic, each item has an identity, and a
// list without its last byte is rejected.
#include "test/fuzz/decoders.hpp"
#include "test/fuzz/describe.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

template <class T>
std::string read(const api::Decoder<T>& decoder, std::string_view body) {
  std::string told;
  const auto sink = [&told](const api::Decoded<T>& item) {
    expect(!item.meta.key.name.empty() && !item.meta.uid.empty() &&
               !item.meta.resource_version.empty(),
           "an object has name, UID and version", describe(item));
    told += describe(item) + "\n";
  };
  const auto meta = decoder.decode_list(body, sink);
  if (meta) return told + meta->resource_version.str() + " " + meta->continue_token;
  expect_readable(meta.error().message);
  return told + describe(meta.error());
}

std::string_view without_blanks(std::string_view body) {
  return body.substr(0, body.find_last_not_of(" \t\r\n") + 1);
}

template <class T>
void expect_no_list(const api::Decoder<T>& decoder, std::string_view body) {
  const std::string shorter(body.substr(0, body.size() - 1));
  expect(!decoder.decode_list(shorter, [](const api::Decoded<T>&) {}),
         "a list that is cut short is no list", shorter);
}

}  // namespace

void run(std::string_view input) {
  for_each_decoder([&]<class T>(const api::Decoder<T>& decoder) {
    expect_equal(read(decoder, input), read(decoder, input), "a list reads the same again");
    const auto ignore = [](const api::Decoded<T>&) {};
    if (decoder.decode_list(input, ignore)) expect_no_list(decoder, without_blanks(input));
  });
}

}  // namespace dcm::fuzz
