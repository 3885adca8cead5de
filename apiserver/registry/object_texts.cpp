#include "apiserver/registry/object_texts.hpp"

#include "apiserver/fields/encode.hpp"

namespace dcm::apiserver {

ObjectTexts::Text ObjectTexts::get(const ResourceType& type, std::string_view version,
                                   const Stored& object, Encoding encoding) {
  std::string api_version = type.api_version(version);
  if (type.defined != nullptr) api_version += " " + type.defined->edition;
  const Key key(object, std::move(api_version), encoding);
  if (const auto known = texts_.find(key); known != texts_.end()) return known->second;
  const auto text = std::make_shared<const std::string>(encode(type, version, *object, encoding));
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
