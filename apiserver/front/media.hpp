// What a client wants to see: its Accept header, as k8s.io/apiserver's content negotiation reads
// it. A list of media types in the order they are wished for, each with what it may be converted to
// (`application/json;as=Table;v=v1;g=meta.k8s.io`); the first that this server has is taken.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dcm::apiserver {

struct MediaType {
  std::string name;  // "application/json", "*/*", …
  std::map<std::string, std::string, std::less<>> parameters;

  bool is_json() const;
  // What the object is to be turned into: `as`, `g` and `v`. "" for as it is.
  std::string_view parameter(std::string_view key) const;
};

std::vector<MediaType> parse_accept(std::string_view header);

// How an object or a list of them is shown.
struct Form {
  enum class Shape { object, table } shape = Shape::object;
  std::string table_version = {};  // of meta.k8s.io
};

// nullopt when none of what is wished for can be had. An empty header takes anything.
std::optional<Form> choose_form(std::string_view accept);

}  // namespace dcm::apiserver
