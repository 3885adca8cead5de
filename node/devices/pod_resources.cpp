#include "node/devices/pod_resources.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace dcm::node {
namespace {

using grpc::Result;
using protozero::pbf_writer;
using runtime::Deadline;
using runtime::Task;

struct Source {
  std::function<std::vector<PodUse>()> pods;
  std::function<const Book&()> book;
};

void add_device(pbf_writer& claim, const DriverDevice& each) {
  pbf_writer resource(claim, 4);
  for (const std::string& id : each.device->cdi_ids) {
    pbf_writer cdi(resource, 1);
    cdi.add_string(1, id);
  }
  resource.add_string(2, each.driver);
  resource.add_string(3, each.device->pool);
  resource.add_string(4, each.device->device);
  if (each.device->share_id) resource.add_string(5, *each.device->share_id);
}

// A claim of which the container uses several requests is listed once, with each device once.
void add_container(pbf_writer& pod, const Book& book, const ContainerUse& use) {
  pbf_writer container(pod, 3);
  container.add_string(1, use.name);
  std::vector<api::NamespacedName> keys;
  for (const ContainerClaim& claim : use.claims) {
    if (std::ranges::find(keys, claim.key) == keys.end()) keys.push_back(claim.key);
  }
  for (const api::NamespacedName& key : keys) {
    pbf_writer resource(container, 5);
    resource.add_string(2, key.name.str());
    resource.add_string(3, key.namespace_.str());
    std::set<const PreparedDevice*> seen;
    for (const ContainerClaim& claim : use.claims) {
      if (claim.key != key) continue;
      for (const DriverDevice& device : devices_of(book, claim)) {
        if (seen.insert(device.device).second) add_device(resource, device);
      }
    }
  }
}

void add_pod(pbf_writer& answer, const Book& book, const PodUse& use) {
  pbf_writer pod(answer, 1);
  pod.add_string(1, use.name);
  pod.add_string(2, use.namespace_);
  for (const ContainerUse& container : use.containers) add_container(pod, book, container);
}

Task<Result<std::string>> list(std::shared_ptr<const Source> source) {
  std::string answer;
  pbf_writer writer(answer);
  for (const PodUse& pod : source->pods()) add_pod(writer, source->book(), pod);
  co_return answer;
}

// Name and namespace of GetPodResourcesRequest.
Result<api::NamespacedName> read_pod(std::string_view request) {
  try {
    api::NamespacedName pod;
    protozero::pbf_reader reader(request.data(), request.size());
    while (reader.next()) {
      if (reader.wire_type() != protozero::pbf_wire_type::length_delimited || reader.tag() > 2) {
        reader.skip();
      } else if (reader.tag() == 1) {
        pod.name = reader.get_string();
      } else {
        pod.namespace_ = reader.get_string();
      }
    }
    return pod;
  } catch (const protozero::exception&) {
    return grpc::fail(grpc::Code::internal, "the request is not a GetPodResourcesRequest");
  }
}

Task<Result<std::string>> get(std::shared_ptr<const Source> source, std::string request) {
  const Result<api::NamespacedName> wanted = read_pod(request);
  if (!wanted) co_return std::unexpected(wanted.error());
  for (const PodUse& pod : source->pods()) {
    if (wanted->namespace_ != pod.namespace_ || wanted->name != pod.name) continue;
    std::string answer;
    pbf_writer writer(answer);
    add_pod(writer, source->book(), pod);
    co_return answer;
  }
  co_return grpc::fail(grpc::Code::unknown, fmt::format("pod {} in namespace {} not found",
                                                        wanted->name, wanted->namespace_));
}

Task<Result<std::string>> nothing() {
  co_return std::string();
}

}  // namespace

void add_pod_resources(grpc::Methods& methods, std::function<std::vector<PodUse>()> pods,
                       std::function<const Book&()> book) {
  const auto source = std::make_shared<const Source>(std::move(pods), std::move(book));
  methods.unary["/v1.PodResourcesLister/List"] = [source](const std::string&, Deadline) {
    return list(source);
  };
  methods.unary["/v1.PodResourcesLister/Get"] = [source](std::string request, Deadline) {
    return get(source, std::move(request));
  };
  methods.unary["/v1.PodResourcesLister/GetAllocatableResources"] =
      [](const std::string&, Deadline) { return nothing(); };
}

}  // namespace dcm::node
