// Webhooks that a real server would call for a write. This server calls none, and says so in a
// warning with the answer to the write.
#pragma once

#include <string>
#include <vector>

#include "apiserver/model/attributes.hpp"
#include "apiserver/model/resource_table.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

class UncalledWebhooks {
 public:
  // All references must outlive it.
  UncalledWebhooks(const Store& store, const ResourceTable& types) : store_(store), types_(types) {}

  // Whether any configuration was ever stored. Cheap.
  bool are_there() const;
  // A sentence for each webhook whose rules and selectors match. Match conditions, which are
  // expressions, are assumed to hold.
  std::vector<std::string> for_write(const Attributes& attributes);

 private:
  struct Webhook {
    std::string text;        // the sentence
    JsonObject constraints;  // in a policy's format
  };

  void refresh();

  const Store& store_;
  const ResourceTable& types_;
  std::vector<Webhook> webhooks_;
  std::uint64_t seen_ = 0;  // number of changes of configurations
};

}  // namespace dcm::apiserver
