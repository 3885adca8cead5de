// The open watches of a server, by resource and namespace: a write concerns only matching ones,
// however many others there are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "apiserver/reads/watch.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

class WatchIndex {
 public:
  // The watch removes itself on destruction. Neither may move until then.
  void add(Watch& watch);

  // Notifies the watches that a change may concern, in the order in which they were opened.
  void notify(std::string_view resource, const Change& change);
  // Ends all watches, or those of one resource.
  void end_all();
  void end_all(std::string_view resource);

  // Whether a client with a matching User-Agent watches that resource.
  using IsOne = std::function<bool(std::string_view user_agent)>;
  bool has_client(std::string_view resource, const IsOne& is_one) const;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  // By number, so that the order does not depend on addresses.
  using Watches = std::map<std::uint64_t, Watch*>;
  // By namespace; "" has watches of all namespaces, and of cluster-scoped kinds.
  using ByNamespace = std::map<std::string, Watches, std::less<>>;

  void remove(const std::string& resource, const std::string& ns, std::uint64_t number);
  static void end(const ByNamespace& watches);

  std::map<std::string, ByNamespace, std::less<>> resources_;
  std::uint64_t opened_ = 0;
  std::size_t size_ = 0;
};

}  // namespace dcm::apiserver
