#include "test/apiserver/event_texts.hpp"

namespace dcm::apiserver {

EventTexts::Text EventTexts::get(const EventKey& key, const std::function<std::string()>& encode) {
  if (const auto known = texts_.find(key); known != texts_.end()) return known->second;
  auto text = std::make_shared<const std::string>(encode());
  bytes_ += text->size();
  texts_.emplace(key, text);
  order_.push_back(key);
  while (bytes_ > kMaxBytes && order_.size() > 1) {
    const auto oldest = texts_.find(order_.front());
    bytes_ -= oldest->second->size();
    texts_.erase(oldest);
    order_.pop_front();
  }
  return text;
}

}  // namespace dcm::apiserver
