// A source of explanations: the controllers and their caches, of a running manager or of a cluster
// that was read once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controllers/common/explainer.hpp"
#include "explain/subject.hpp"
#include "informers/store.hpp"

namespace dcm::explain {

// "Pending, on no node yet", "Running on node-a, being deleted".
std::string describe(const api::Pod& pod);

class ExplanationSource {
 public:
  virtual ~ExplanationSource() = default;
  // Caches that could not be read completely.
  virtual common::Sight sight() const = 0;
  // nullopt: the object is unknown.
  virtual std::optional<common::Draft> explain(const Subject& subject) const = 0;
};

// Asks each controller for its part. All references must outlive it.
class ControllersSource final : public ExplanationSource {
 public:
  struct Parts {
    informers::StoreReader<api::Pod> pods;
    informers::StoreReader<api::ResourceClaim> claims;
    std::vector<common::Explainer> controllers = {};  // in the order of their topics
    std::function<common::Sight()> sight = [] { return common::Sight(); };
  };
  explicit ControllersSource(Parts parts) : parts_(std::move(parts)) {}

  common::Sight sight() const override { return parts_.sight(); }
  std::optional<common::Draft> explain(const Subject& subject) const override;

 private:
  std::optional<common::Draft> explain_pod(const api::NamespacedName& key) const;
  std::optional<common::Draft> explain_claim(const api::NamespacedName& key) const;
  std::optional<common::Draft> explain_other(const Subject& subject) const;

  Parts parts_;
};

}  // namespace dcm::explain
