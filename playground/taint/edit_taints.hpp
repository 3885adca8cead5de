// Changes the taints of a device in a ResourceSlice. JSON in, JSON out, so that unknown fields are
// kept; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "playground/taint/taint_changes.hpp"

namespace dcm::playground {

// Searches lists of slices for the one that publishes a device: of a pool, only slices of the
// highest generation count.
class SliceSearch {
 public:
  explicit SliceSearch(api::DeviceId device) : device_(std::move(device)) {}

  // Takes a page of a list of slices. Returns the token for the next one; empty: that was the last.
  // Errors: malformed.
  runtime::Result<std::string> look_through(std::string_view page);
  // After the last page: the slice. Errors: object_not_found, with the existing names.
  runtime::Result<std::string> take_found();

 private:
  api::DeviceId device_;
  std::optional<std::int64_t> generation_;  // the highest of the pool so far
  std::string found_;                       // empty: none of that generation has it
  std::set<std::string> drivers_;
  std::set<std::string> pools_;    // of the driver
  std::set<std::string> devices_;  // of the pool's slices of that generation
};

// The result, in the words of `kubectl taint`: "tainted", "untainted" or "modified".
struct TaintEdit {
  std::string_view done;
  std::string slice;  // its name
  std::string patch;  // JSON merge patch, with the version that was read
};

// Requires a slice with that device. An unchanged taint keeps its time; the API server sets the
// time of a new one. The pool's generation stays: one slice changes by one write, so there is no
// intermediate state to mark (drivers built with the Kubernetes libraries do the same). Errors:
// already_exists (without Overwrite), object_not_found (no such taint to remove), malformed.
runtime::Result<TaintEdit> edit_taints(std::string_view slice, std::string_view device,
                                       const TaintChanges& changes);

}  // namespace dcm::playground
