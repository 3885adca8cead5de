// What a controller does for a name, and what a job does, as objects owned by the manager.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "client/api/meta.hpp"
#include "runtime/task.hpp"
#include "workqueue/outcome.hpp"

namespace dcm::manager {

// The name lives until the task ends, so a coroutine may take it by reference as well as by value.
using Handler = std::function<runtime::Task<workqueue::Outcome>(const api::NamespacedName&)>;

template <class R>
concept Reconciler = requires(R& reconciler, const api::NamespacedName& name) {
  { reconciler.reconcile(name) } -> std::same_as<runtime::Task<workqueue::Outcome>>;
};

// A function, or a lambda that captures nothing.
template <class R>
concept StatelessHandler =
    std::is_invocable_r_v<runtime::Task<workqueue::Outcome>, R&, const api::NamespacedName&> &&
    (std::is_empty_v<R> || std::is_pointer_v<R>);

template <class R>
Handler make_handler(R reconciler) {
  if constexpr (Reconciler<R>) {
    // Kept at a fixed address, because its coroutines refer to it.
    auto kept = std::make_shared<R>(std::move(reconciler));
    return [kept](const api::NamespacedName& name) { return kept->reconcile(name); };
  } else {
    static_assert(StatelessHandler<R>,
                  "a controller takes an object with `Task<Outcome> reconcile(NamespacedName)`, "
                  "whose members are what it uses: a lambda's captures may be gone when it runs");
    return Handler(std::move(reconciler));
  }
}

using JobFunction = std::function<runtime::Task<>()>;

template <class J>
JobFunction make_job(J job) {
  if constexpr (requires {
                  { job.run() } -> std::same_as<runtime::Task<>>;
                }) {
    auto kept = std::make_shared<J>(std::move(job));
    return [kept] { return kept->run(); };
  } else {
    static_assert(
        std::is_invocable_r_v<runtime::Task<>, J&> && (std::is_empty_v<J> || std::is_pointer_v<J>),
        "a job is an object with `Task<> run()`, whose members are what it uses: a "
        "lambda's captures may be gone when it runs");
    return JobFunction(std::move(job));
  }
}

}  // namespace dcm::manager
