#include "informers/informer_metrics.hpp"

#include <utility>

namespace dcm::informers {
namespace {

const char* const kRelistsName = "program_informer_relists_total";
const char* const kRelistsHelp =
    "[ALPHA] How often all objects of the resource were read again, by reason: start, expired, "
    "page_expired, ahead_of_server or fruitless.";

runtime::Counter& relists(runtime::MetricsRegistry& registry, const std::string& resource,
                          RelistReason reason) {
  return registry.counter(kRelistsName, kRelistsHelp,
                          {{"resource", resource}, {"reason", std::string(to_string(reason))}});
}

}  // namespace

InformerMetrics::InformerMetrics(runtime::MetricsRegistry& registry, std::string resource)
    : registry_(registry),
      resource_(std::move(resource)),
      objects_(gauge("program_informer_objects",
                     "[ALPHA] Objects of the resource that are held in memory.")),
      bytes_held_(gauge("program_informer_bytes",
                        "[ALPHA] Memory that the objects of the resource and their indexes take, "
                        "without strings that are shared and what the allocator adds.")),
      own_writes_unseen_(gauge("program_informer_own_writes_unseen",
                               "[ALPHA] Objects that are shown as our own write returned them, "
                               "because the watch has not come that far.")),
      last_event_age_(gauge("program_informer_last_event_age_seconds",
                            "[ALPHA] Time since the last event or bookmark of the watch.")),
      initial_sync_(gauge("program_informer_initial_sync_seconds",
                          "[ALPHA] How long it took from the start until all objects of the "
                          "resource had been read; 0 while they are not.")),
      fallbacks_(registry_.counter(
          "program_informer_watch_list_fallbacks_total",
          "[ALPHA] How often a watch list did not work and a paged list was used from then on.",
          {{"resource", resource_}})) {
  for (const RelistReason reason : kRelistReasons) relists(registry_, resource_, reason);
  reset();
}

InformerMetrics::~InformerMetrics() {
  reset();
}

// The series outlive the cache, and the next one of the resource goes on with them.
void InformerMetrics::reset() {
  set_contents(0, 0, 0);
  last_event_age_.Set(0);
  initial_sync_.Set(0);
}

void InformerMetrics::count_relist(RelistReason reason) {
  relists(registry_, resource_, reason).Increment();
}

void InformerMetrics::set_initial_sync(Duration took) {
  initial_sync_.Set(runtime::in_seconds(took));
}

void InformerMetrics::set_contents(std::size_t objects, std::size_t bytes,
                                   std::size_t own_writes_unseen) {
  objects_.Set(static_cast<double>(objects));
  bytes_held_.Set(static_cast<double>(bytes));
  own_writes_unseen_.Set(static_cast<double>(own_writes_unseen));
}

void InformerMetrics::set_last_event_age(Duration age) {
  last_event_age_.Set(runtime::in_seconds(age));
}

runtime::Gauge& InformerMetrics::gauge(const char* name, const char* help) {
  return registry_.gauge(name, help, {{"resource", resource_}});
}

}  // namespace dcm::informers
