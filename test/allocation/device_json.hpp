#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "cel/kubernetes/device.hpp"

namespace dcm::allocation_judge {

// A device from the API's JSON (also of a slice) as a selector sees it. Owns the strings that the
// view borrows.
class DeviceJson {
 public:
  DeviceJson(std::string driver, const boost::json::object& device);

  cel::DeviceView view() const { return {driver_, shared_, attributes_, capacity_}; }

 private:
  cel::Attribute attribute(std::string_view name, const boost::json::object& value);
  std::string_view keep(std::string_view text) { return texts_.emplace_back(text); }

  std::string driver_;
  bool shared_;
  std::vector<cel::Attribute> attributes_;
  std::vector<cel::Capacity> capacity_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::string_view>> text_lists_;
  std::deque<std::vector<std::int64_t>> integer_lists_;
  std::deque<std::unique_ptr<bool[]>> boolean_lists_;
};

}  // namespace dcm::allocation_judge
