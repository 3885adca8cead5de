// Names of kubelet's plugin protocol, for the node and for drivers.
#pragma once

#include <cstddef>
#include <string_view>

namespace dcm::node {

inline constexpr std::string_view kDraPluginType = "DRAPlugin";

// Services by which a plugin describes itself.
inline constexpr std::string_view kDraV1 = "v1.DRAPlugin";
inline constexpr std::string_view kDraV1beta1 = "v1beta1.DRAPlugin";
inline constexpr std::string_view kHealthV1 = "v1.DRAResourceHealth";
inline constexpr std::string_view kHealthV1alpha1 = "v1alpha1.DRAResourceHealth";

inline constexpr std::string_view kGetInfoPath = "/pluginregistration.Registration/GetInfo";
inline constexpr std::string_view kNotifyPath =
    "/pluginregistration.Registration/NotifyRegistrationStatus";

inline constexpr std::size_t kSocketPathBytesMax = 107;  // and a NUL: a Unix socket's address

}  // namespace dcm::node
