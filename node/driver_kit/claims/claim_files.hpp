// The files of prepared claims: what containers need (CDI specs, metadata), and a record of each
// claim, by which the kit finds claims that were deleted while prepared.
#pragma once

#include <string>
#include <vector>

#include "node/driver_kit/driver.hpp"
#include "node/files.hpp"
#include "runtime/log.hpp"
#include "runtime/time.hpp"

namespace dcm::driver_kit {

enum class MetadataFiles : std::uint8_t { not_written, written };

struct ClaimFilesOptions {
  std::string driver;
  std::string data;  // the plugin's folder
  std::string cdi;   // where the container runtime looks for specs
  MetadataFiles metadata = MetadataFiles::not_written;
};

// A claim that the driver has begun to prepare, and not unprepared since.
struct PreparedRecord {
  node::ClaimRef ref;
  std::vector<AllocatedDevice> devices;
  std::string text;  // content of its file; never repeats
};

// Each file exists completely or not at all, even after a machine crash. A record is written before
// the other files of its claim, and removed after them. Errors: configuration, with the path.
class ClaimFiles {
 public:
  // All references must outlive it.
  ClaimFiles(node::Files& files, runtime::TimeSource& time, ClaimFilesOptions options,
             runtime::Logger log = {})
      : files_(files), time_(time), options_(std::move(options)), log_(std::move(log)) {}

  // Call this before the driver prepares the claim.
  runtime::Result<> begin(const AllocatedClaim& claim);
  // Call this after that: it adds the written names to `cdi_ids` of the devices.
  runtime::Result<> write(const AllocatedClaim& claim, PreparedClaim& prepared);
  // Updates one request when more is known, such as addresses once the pod has a network. `request`
  // has no subrequest.
  runtime::Result<> update_metadata(const node::ClaimRef& claim, const std::string& request,
                                    const std::vector<PreparedDevice>& devices);
  // Succeeds for a claim without files.
  runtime::Result<> remove(const node::ClaimRef& claim);

  // Leaves out what holds no record, such as a folder, with a warning.
  runtime::Result<std::vector<PreparedRecord>> records();
  // Whether this record still exists, and was not replaced by another one of its claim.
  runtime::Result<bool> is_current(const PreparedRecord& record);

 private:
  runtime::Result<> write_metadata(const AllocatedClaim& claim, PreparedClaim& prepared);
  runtime::Result<> remove_metadata(const node::ClaimRef& claim);
  // Whether another claim of this name is prepared: the two have the same folder of metadata.
  runtime::Result<bool> has_namesake(const node::ClaimRef& claim);
  runtime::Result<> put(const std::string& folder, const std::string& name,
                        const std::string& content, node::Readers readers);
  runtime::Result<> remove_named(const std::string& folder, const std::string& prefix);
  std::string records_folder() const { return options_.data + "/prepared"; }
  std::string metadata_folder() const { return options_.data + "/dra-device-metadata"; }
  std::string metadata_folder(const node::ClaimRef& claim) const;

  node::Files& files_;
  runtime::TimeSource& time_;
  ClaimFilesOptions options_;
  runtime::Logger log_;
};

}  // namespace dcm::driver_kit
