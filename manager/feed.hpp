// Turns changes of a cache into the names that a controller processes.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "client/api/resource.hpp"
#include "informers/observer.hpp"
#include "manager/cache.hpp"
#include "manager/rows.hpp"
#include "manager/some_of.hpp"
#include "manager/worklist.hpp"

namespace dcm::manager {

// Names of an object: functions for `feed`. The object's own name:
struct OwnName {
  template <class T>
  api::NamespacedName operator()(const T& object) const {
    return object.meta.key;
  }
};
inline constexpr OwnName own_name;

// The name of the object's controller, if it is of this kind.
struct OwnerName {
  static constexpr Row kReads{"metadata.ownerReferences", "owner"};

  api::InternedString group;
  api::InternedString kind;
  api::Scope scope;

  explicit OwnerName(const api::ResourceKind& owner)
      : group(owner.group), kind(owner.kind), scope(owner.scope) {}

  template <class T>
  std::optional<api::NamespacedName> operator()(const T& object) const {
    static_assert(
        requires { static_cast<const std::optional<api::ControllerRef>&>(object.owner); },
        "owns() reads who an object belongs to from a member `std::optional<api::ControllerRef> "
        "owner`: declare it, with the field {\"metadata.ownerReferences\", &T::owner}");
    const std::optional<api::ControllerRef>& owner = object.owner;
    if (!owner || owner->group != group || owner->kind != kind) return std::nullopt;
    const bool is_namespaced = scope == api::Scope::namespaced;
    return api::NamespacedName{is_namespaced ? object.meta.key.namespace_ : api::InternedString(),
                               owner->name};
  }
};

// Filters for changes: functions of the object before and after, either of which may be null.
struct AnyChange {
  template <class T>
  bool operator()(const T*, const T*) const {
    return true;
  }
};

// Excludes changes of metadata and status alone, but not a deletion that waits for finalizers. Of a
// kind whose generation is not counted (ConfigMap, Secret, Node, …), it excludes nothing.
struct GenerationChanged {
  static constexpr Row kReads{"metadata.generation", "generation"};

  template <class T>
  bool operator()(const T* before, const T* after) const {
    static_assert(
        requires { static_cast<std::int64_t>(before->generation); },
        "generation_changed reads a member `std::int64_t generation`: declare it, with the field "
        "{\"metadata.generation\", &T::generation}");
    return before == nullptr || after == nullptr || after->generation == 0 ||
           before->generation != after->generation;
  }
};
inline constexpr GenerationChanged generation_changed;

// The names before a change count as well as those after it: an object that moves from one owner to
// another concerns both.
template <class T, class NamesOf, class When>
class Feed final : public informers::Observer<T> {
  static_assert(std::is_invocable_v<NamesOf&, const T&>,
                "feed takes a function of the cache's `const T&` that names what to look at");
  static_assert(SomeOf<std::invoke_result_t<NamesOf&, const T&>, api::NamespacedName>,
                "the function of feed returns a NamespacedName, or a std::optional or std::vector "
                "of them");
  static_assert(std::is_invocable_r_v<bool, When&, const T*, const T*>,
                "the condition of feed is a function of `const T* before, const T* after` (null: "
                "nothing) that returns a bool");

 public:
  // `list` and `from` must outlive it.
  Feed(Worklist& list, const Cache<T>& from, NamesOf names_of, When when)
      : list_(list), from_(from), names_of_(std::move(names_of)), when_(std::move(when)) {}

  using Object = api::ObjectPtr<T>;
  using Origin = informers::Origin;
  void observe_added(const Object& object, Origin origin) override {
    take(nullptr, object.get(), origin);
  }
  void observe_updated(const Object& before, const Object& after, Origin origin) override {
    take(before.get(), after.get(), origin);
  }
  void observe_deleted(const Object& last_known, Origin origin) override {
    take(last_known.get(), nullptr, origin);
  }
  void observe_left(const Object& last_known, Origin origin) override {
    take(last_known.get(), nullptr, origin);
  }

 private:
  void take(const T* before, const T* after, Origin origin) {
    if (!is_wanted(before, after)) return;
    // Nobody waits for the results of a start or a relist.
    const auto priority =
        origin == Origin::initial ? workqueue::Priority::backlog : workqueue::Priority::live;
    const auto add = [&](const api::NamespacedName& name) { list_.add(name, priority); };
    // Separately: if the function throws for the old object, the new one still adds its names.
    for (const T* const object : {before, after}) {
      if (object == nullptr) continue;
      from_.isolate(*object, [&] { for_each_of(names_of_(*object), add); });
    }
  }

  // A condition that throws excludes nothing.
  bool is_wanted(const T* before, const T* after) {
    bool is_wanted = true;
    from_.isolate(after != nullptr ? *after : *before, [&] { is_wanted = when_(before, after); });
    return is_wanted;
  }

  Worklist& list_;
  const Cache<T>& from_;
  NamesOf names_of_;
  When when_;
};

}  // namespace dcm::manager
