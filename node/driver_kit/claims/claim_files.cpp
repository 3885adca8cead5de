#include "node/driver_kit/claims/claim_files.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "node/driver_kit/claims/cdi.hpp"
#include "node/driver_kit/claims/metadata.hpp"
#include "node/driver_kit/json.hpp"
#include "runtime/file_name.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;
using runtime::FileName;
using runtime::Result;

constexpr const char* kMetadataFile = "metadata.json";

// Runtimes read *.json and *.yaml, but no partly written file.
std::string temporary(const std::string& path) {
  return path + ".tmp";
}

std::string record_text(const AllocatedClaim& claim, runtime::WallTime now) {
  json::array devices;
  for (const AllocatedDevice& each : claim.devices) {
    devices.push_back(json::object{{"request", each.request},
                                   {"pool", each.pool},
                                   {"device", each.device},
                                   {"shareID", each.share_id.value_or("")}});
  }
  return json::serialize(json::object{{"namespace", claim.ref.namespace_},
                                      {"name", claim.ref.name},
                                      {"uid", claim.ref.uid},
                                      {"devices", std::move(devices)},
                                      {"begun", runtime::micro_timestamp(now)}});
}

PreparedRecord read_record(std::string text) {
  const json::value whole = parse_json(text).value_or(nullptr);
  PreparedRecord record{.ref = {.namespace_ = text_at(whole, "/namespace"),
                                .name = text_at(whole, "/name"),
                                .uid = text_at(whole, "/uid")},
                        .devices = {},
                        .text = std::move(text)};
  for (const json::value& each : array_at(whole, "/devices")) {
    const std::string share = text_at(each, "/shareID");
    record.devices.push_back({.request = text_at(each, "/request"),
                              .pool = text_at(each, "/pool"),
                              .device = text_at(each, "/device"),
                              .share_id = share.empty() ? std::nullopt : std::optional(share)});
  }
  return record;
}

// A UID becomes part of paths.
Result<> check_uid(const node::ClaimRef& claim) {
  const auto uid = FileName::parse("UID of the claim", claim.uid);
  if (!uid) return runtime::fail(uid.error());
  return {};
}

}  // namespace

Result<> ClaimFiles::begin(const AllocatedClaim& claim) {
  if (auto checked = check_uid(claim.ref); !checked) return checked;
  if (auto made = files_.make_folder(options_.data); !made) return made;
  if (auto made = files_.make_folder(records_folder()); !made) return made;
  return put(records_folder(), claim.ref.uid + ".json", record_text(claim, time_.wall_now()),
             node::Readers::owner);
}

Result<> ClaimFiles::write(const AllocatedClaim& claim, PreparedClaim& prepared) {
  const bool has_metadata = options_.metadata == MetadataFiles::written;
  const auto spec = claim_spec(options_.driver, claim.ref.uid, prepared);
  if (spec || has_metadata) {
    if (auto checked = check_cdi_vendor(options_.driver); !checked) return checked;
    if (auto made = files_.make_folder(options_.cdi); !made) return made;
  }
  if (spec) {
    const std::string name = fmt::format("{}_claim_{}.json", options_.driver, claim.ref.uid);
    auto written = put(options_.cdi, name, json::serialize(*spec), node::Readers::all);
    if (!written) return written;
  }
  return has_metadata ? write_metadata(claim, prepared) : Result<>();
}

Result<> ClaimFiles::write_metadata(const AllocatedClaim& claim, PreparedClaim& prepared) {
  const std::string folder = metadata_folder(claim.ref);
  if (auto made = files_.make_folder(metadata_folder()); !made) return made;
  if (auto made = files_.make_folder(folder); !made) return made;
  for (const auto& [request, devices] : devices_by_request(claim, prepared)) {
    const auto name = FileName::parse("request", request);
    if (!name) return runtime::fail(name.error());
    if (auto made = files_.make_folder(name->in(folder)); !made) return made;
    const std::string content = metadata_file(claim, options_.driver, request, devices);
    auto written = put(name->in(folder), kMetadataFile, content, node::Readers::all);
    if (!written) return written;
    const json::object mount{
        {"hostPath", name->in(folder) + "/" + kMetadataFile},
        {"containerPath", metadata_path_in_container(claim, options_.driver, request)},
        {"options", {"ro", "bind"}}};
    const std::string device = claim.ref.uid + "_" + request;
    const std::string kind = options_.driver + "/metadata";
    const json::object spec = cdi_spec(kind, {{device, {{"mounts", json::array{mount}}}}});
    const std::string file = fmt::format("{}_metadata_{}.json", options_.driver, device);
    written = put(options_.cdi, file, json::serialize(spec), node::Readers::all);
    if (!written) return written;
    // The first device is enough: a container gets all devices of a request, and would otherwise
    // have the mount several times.
    const auto first = std::ranges::find_if(prepared.devices, [&](const PreparedDevice& each) {
      return each.requests.empty() ||
             std::ranges::find(each.requests, request) != each.requests.end();
    });
    if (first != prepared.devices.end()) {
      first->cdi_ids.push_back(fmt::format("{}={}", kind, device));
    }
  }
  return {};
}

Result<> ClaimFiles::update_metadata(const node::ClaimRef& claim, const std::string& request,
                                     const std::vector<PreparedDevice>& devices) {
  const auto name = FileName::parse("request", request);
  if (!name) return runtime::fail(name.error());
  if (auto checked = check_uid(claim); !checked) return checked;
  const std::string folder = name->in(metadata_folder(claim));
  const auto file = files_.read(folder + "/" + kMetadataFile);
  if (!file) return runtime::fail(file.error());
  std::vector<RequestDevice> known;
  for (const PreparedDevice& each : devices)
    known.push_back({each.pool, each.device, each.metadata});
  const auto updated = updated_metadata(file->value_or(""), claim.uid, known);
  if (!updated) {
    return runtime::fail(runtime::Reason::configuration,
                         fmt::format("{}/{}: {}", folder, kMetadataFile, updated.error()));
  }
  return put(folder, kMetadataFile, *updated, node::Readers::all);
}

Result<> ClaimFiles::remove(const node::ClaimRef& claim) {
  if (auto checked = check_uid(claim); !checked) return checked;
  for (const char* const kind : {"claim_{}.json", "metadata_{}_"}) {
    const std::string prefix =
        fmt::format("{}_{}", options_.driver, fmt::format(fmt::runtime(kind), claim.uid));
    if (auto removed = remove_named(options_.cdi, prefix); !removed) return removed;
  }
  if (auto removed = remove_metadata(claim); !removed) return removed;
  return remove_named(records_folder(), claim.uid + ".json");
}

Result<> ClaimFiles::remove_metadata(const node::ClaimRef& claim) {
  const std::string folder = metadata_folder(claim);
  const auto requests = files_.list(folder);
  if (!requests) return runtime::fail(requests.error());
  // Most claims have none: then no other claim's record is read.
  if (requests->empty()) return files_.remove_folder(folder);
  const auto is_needed = has_namesake(claim);
  if (!is_needed) return runtime::fail(is_needed.error());
  if (*is_needed) return {};
  for (const std::string& request : *requests) {
    const std::string of_request = folder + "/" + request.substr(0, request.find('/'));
    const std::string file = of_request + "/" + kMetadataFile;
    if (auto removed = files_.remove(temporary(file)); !removed) return removed;
    if (auto removed = files_.remove(file); !removed) return removed;
    if (auto removed = files_.remove_folder(of_request); !removed) return removed;
  }
  return files_.remove_folder(folder);
}

Result<bool> ClaimFiles::has_namesake(const node::ClaimRef& claim) {
  const auto all = records();
  if (!all) return runtime::fail(all.error());
  return std::ranges::any_of(*all, [&](const PreparedRecord& record) {
    return record.ref.uid != claim.uid && record.ref.namespace_ == claim.namespace_ &&
           record.ref.name == claim.name;
  });
}

Result<std::vector<PreparedRecord>> ClaimFiles::records() {
  std::vector<PreparedRecord> found;
  const auto names = files_.list(records_folder());
  if (!names) return runtime::fail(names.error());
  for (const std::string& name : *names) {
    if (!name.ends_with(".json")) continue;
    const std::string path = records_folder() + "/" + name;
    const auto text = files_.read(path);
    if (!text && text.error().reason != runtime::Reason::malformed) {
      return runtime::fail(text.error());
    }
    if (text && !*text) continue;  // removed meanwhile
    PreparedRecord record = read_record(text ? **text : "");
    if (is_claim(record.ref) && record.ref.uid + ".json" == name) {
      found.push_back(std::move(record));
    } else {
      log_.warning("Ignoring a file that is not the record of a prepared claim", {{"file", path}});
    }
  }
  return found;
}

Result<bool> ClaimFiles::is_current(const PreparedRecord& record) {
  const auto text = files_.read(records_folder() + "/" + record.ref.uid + ".json");
  if (!text) return runtime::fail(text.error());
  return *text == record.text;
}

// Namespace and name together may exceed the length of a file name.
std::string ClaimFiles::metadata_folder(const node::ClaimRef& claim) const {
  const auto name = FileName::parse("claim", claim.namespace_ + "_" + claim.name);
  return metadata_folder() + "/" + (name ? name->str() : claim.uid);
}

Result<> ClaimFiles::put(const std::string& folder, const std::string& name,
                         const std::string& content, node::Readers readers) {
  const std::string path = folder + "/" + name;
  // Leftovers of a process that died while writing.
  if (auto removed = files_.remove(temporary(path)); !removed) return removed;
  if (auto made = files_.create(temporary(path), content, readers); !made) return made;
  if (auto synced = files_.sync(temporary(path)); !synced) return synced;
  if (auto renamed = files_.rename(temporary(path), path); !renamed) return renamed;
  return files_.sync_folder(folder);
}

Result<> ClaimFiles::remove_named(const std::string& folder, const std::string& prefix) {
  const auto names = files_.list(folder);
  if (!names) return runtime::fail(names.error());
  for (const std::string& name : *names) {
    if (!name.starts_with(prefix)) continue;
    if (auto removed = files_.remove(folder + "/" + name); !removed) return removed;
  }
  return {};
}

}  // namespace dcm::driver_kit
