// Files that show what each container of a pod would get: DIR/POD UID/CONTAINER.json.
#pragma once

#include <string>
#include <string_view>

#include "node/files.hpp"

namespace dcm::playground {

// UIDs and names come from an API server that may be hostile: invalid file names are rejected. Only
// files of this form are ever removed, and a pod's folder only when it is empty.
class ShownDevices {
 public:
  // `files` must outlive it. `folder` must exist.
  ShownDevices(node::Files& files, std::string folder)
      : files_(files), folder_(std::move(folder)) {}

  // Errors: configuration, with the file, or the invalid name.
  runtime::Result<> show(std::string_view pod_uid, std::string_view container,
                         std::string_view text);
  // Succeeds if there are none.
  runtime::Result<> remove(std::string_view pod_uid);

 private:
  node::Files& files_;
  std::string folder_;
};

}  // namespace dcm::playground
