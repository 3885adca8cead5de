#include "apiserver/front/request_log.hpp"

#include <algorithm>
#include <iterator>

namespace dcm::apiserver {

std::size_t RequestLog::add(const LoggedRequest& request) {
  if (limit_ == 0) return dropped_++;
  while (!requests_.empty() &&
         (requests_.size() >= limit_ || bytes_ + request.body.size() > bytes_limit_)) {
    drop_half();
  }
  bytes_ += request.body.size();
  requests_.push_back(request);
  return dropped_ + requests_.size() - 1;
}

// Drops half at once, so that a long run does not shift the whole log for each request.
void RequestLog::drop_half() {
  const std::size_t gone = std::max<std::size_t>(1, requests_.size() / 2);
  const auto end = requests_.begin() + static_cast<std::ptrdiff_t>(gone);
  for (auto one = requests_.begin(); one != end; ++one) bytes_ -= one->body.size();
  requests_.erase(requests_.begin(), end);
  dropped_ += gone;
}

void RequestLog::answered(std::size_t number, int status) {
  if (number < dropped_ || number - dropped_ >= requests_.size()) return;
  requests_[number - dropped_].status = status;
}

void RequestLog::clear() {
  dropped_ += requests_.size();
  requests_.clear();
  bytes_ = 0;
}

std::size_t RequestLog::count(std::string_view verb, std::string_view resource) const {
  return static_cast<std::size_t>(std::ranges::count_if(requests_, [&](const LoggedRequest& one) {
    return one.verb == verb && one.resource == resource;
  }));
}

std::vector<LoggedRequest> RequestLog::writes() const {
  std::vector<LoggedRequest> writes;
  std::ranges::copy_if(requests_, std::back_inserter(writes), &LoggedRequest::is_write);
  return writes;
}

}  // namespace dcm::apiserver
