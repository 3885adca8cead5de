// One process, JSON lines: a request on stdin, its answer on stdout, in order.
#include <iostream>
#include <map>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "test/allocation/kinds.hpp"

namespace dcm::allocation_judge {
namespace {

using Answer = boost::json::object (*)(const boost::json::object&);

const std::map<std::string_view, Answer> kKinds = {
    {"allocate", answer_allocate},
    {"selector", answer_selector},
    {"derived", answer_derived},
};

boost::json::object answer(const boost::json::object& request) {
  if (request.contains("measure")) return answer_measure(request);
  const auto kind = kKinds.find(request.at("kind").as_string());
  if (kind == kKinds.end()) return {{"error", "no such kind of request"}};
  return kind->second(request);
}

}  // namespace
}  // namespace dcm::allocation_judge

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = boost::json::parse(line).as_object();
    auto answer = dcm::allocation_judge::answer(request);
    answer["id"] = request.at("id");
    std::cout << boost::json::serialize(answer) << std::endl;
  }
}
