#include "runtime/metrics.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include <prometheus/check_names.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace dcm::runtime {
namespace {

[[noreturn]] void refuse(const std::string& metric, const std::string& why) {
  throw std::invalid_argument("the metric \"" + metric + "\": " + why);
}

// The library's exceptions name neither the metric nor the label.
template <class Make>
auto& make_series(const std::string& metric, const Labels& labels, Make make) {
  if (!prometheus::CheckMetricName(metric)) refuse(metric, "not a valid name");
  for (const auto& [label, value] : labels) {
    if (!prometheus::CheckLabelName(label)) refuse(metric, "not a valid label: \"" + label + "\"");
  }
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    refuse(metric, error.what());
  }
}

}  // namespace

MetricsRegistry::MetricsRegistry(std::string program)
    : program_(std::move(program)),
      registry_(
          std::make_unique<prometheus::Registry>(prometheus::Registry::InsertBehavior::Merge)) {}
MetricsRegistry::~MetricsRegistry() = default;

Counter& MetricsRegistry::counter(const std::string& name, const std::string& help,
                                  const Labels& labels) {
  const std::string metric = exposed(name);
  return make_series(metric, labels, [&]() -> Counter& {
    return prometheus::BuildCounter().Name(metric).Help(help).Register(*registry_).Add(labels);
  });
}

Gauge& MetricsRegistry::gauge(const std::string& name, const std::string& help,
                              const Labels& labels) {
  const std::string metric = exposed(name);
  return make_series(metric, labels, [&]() -> Gauge& {
    auto& family = prometheus::BuildGauge().Name(metric).Help(help).Register(*registry_);
    gauges_.insert(&family);
    return family.Add(labels);
  });
}

void MetricsRegistry::remove(Gauge& series) {
  for (auto* family : gauges_) family->Remove(&series);  // ignored by the others
}

Histogram& MetricsRegistry::histogram(const std::string& name, const std::string& help,
                                      const Buckets& buckets, const Labels& labels) {
  const std::string metric = exposed(name);
  return make_series(metric, labels, [&]() -> Histogram& {
    return prometheus::BuildHistogram()
        .Name(metric)
        .Help(help)
        .Register(*registry_)
        .Add(labels, buckets);
  });
}

std::string MetricsRegistry::exposed(const std::string& name) const {
  constexpr std::string_view kPlace = "program_";
  return name.starts_with(kPlace) ? program_ + "_" + name.substr(kPlace.size()) : name;
}

Refresh MetricsRegistry::before_exposition(std::function<void()> refresh) {
  const auto place = refreshes_.insert(refreshes_.end(), std::move(refresh));
  return Refresh([this, place] { refreshes_.erase(place); });
}

Refresh MetricsRegistry::before_exposition_in_parts(std::function<bool()> refresh) {
  const auto place = in_parts_.insert(in_parts_.end(), {.refresh = std::move(refresh)});
  return Refresh([this, place] { in_parts_.erase(place); });
}

bool MetricsRegistry::refresh_part() {
  const auto next = std::ranges::find(in_parts_, false, &InParts::is_done);
  if (next == in_parts_.end()) return false;
  next->is_done = !next->refresh();
  return !std::ranges::all_of(in_parts_, &InParts::is_done);
}

std::string MetricsRegistry::expose() {
  while (refresh_part()) {
  }
  for (InParts& each : in_parts_) each.is_done = false;
  for (const auto& refresh : refreshes_) refresh();
  return prometheus::TextSerializer().Serialize(registry_->Collect());
}

Buckets exponential_buckets(double start, double factor, int count) {
  Buckets buckets;
  for (double bound = start; count > 0; --count, bound *= factor) buckets.push_back(bound);
  return buckets;
}

}  // namespace dcm::runtime
