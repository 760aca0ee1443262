// Which claims and disks the volumes of a pod refer to: what the hints of the volume plugins ask.
#pragma once

#include <optional>
#include <string_view>

#include "berth/api/pod.h"
#include "berth/api/volume.h"

namespace berth::plugins {

// The CSI driver that a disk named in a pod's spec is served by since Kubernetes' own drivers are gone. Nothing for
// volumes that no CSI driver took over.
std::optional<std::string_view> csi_driver_of_inline(const api::Volume& volume);

// Whether a volume of the pod is the claim of that name in the pod's namespace. Ephemeral volumes are claims named
// after pod and volume; they count if `with_ephemeral`.
bool uses_claim(const api::Pod& pod, std::string_view claim_name, bool with_ephemeral);

// A claim by name, or one that is made for the pod.
bool is_claim(const api::Volume& volume);

}  // namespace berth::plugins
