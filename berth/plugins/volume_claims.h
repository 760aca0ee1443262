// Which claims and disks the volumes of a pod refer to: what the volume plugins and their hints ask.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/api/pod.h"
#include "berth/api/storage.h"
#include "berth/api/volume.h"
#include "berth/framework/reason.h"

namespace berth::plugins {

// The CSI driver that a disk named in a pod's spec is served by since Kubernetes' own drivers are gone. Nothing for
// volumes that no CSI driver took over.
std::optional<std::string_view> csi_driver_of_inline(const api::Volume& volume);

// Whether a volume of the pod is the claim of that name in the pod's namespace. Ephemeral volumes are claims named
// after pod and volume; they count if `with_ephemeral`.
bool uses_claim(const api::Pod& pod, std::string_view claim_name, bool with_ephemeral);

// A claim by name, or one that is made for the pod.
bool is_claim(const api::Volume& volume);

// The claim that the volume stands for, by name in the pod's namespace; that of an ephemeral volume is named after pod
// and volume. Nothing if the volume is not a claim.
std::optional<std::string> claim_name_of(const api::Pod& pod, const api::Volume& volume);

// Why the claim is not the one that was made for an ephemeral volume of the pod; nothing if it is.
std::optional<std::string> why_not_made_for(const api::Pod& pod, const api::PersistentVolumeClaim& claim);

// The storage class; empty if there is none. An old annotation comes before the field.
Symbol class_of(const api::PersistentVolumeClaim& claim);
Symbol class_of(const api::PersistentVolume& volume);

// Bound by both sides: the claim names its volume, and the volume controller has completed the binding.
bool is_fully_bound(const api::PersistentVolumeClaim& claim);

// In the words of upstream's listers: `persistentvolumeclaim "data" not found`.
framework::Reason not_found_reason(std::string_view resource, std::string_view name);
std::string not_found(std::string_view resource, std::string_view name);
inline constexpr std::string_view kClaimResource = "persistentvolumeclaim";
inline constexpr std::string_view kVolumeResource = "persistentvolume";
inline constexpr std::string_view kStorageClassResource = "storageclass.storage.k8s.io";

}  // namespace berth::plugins
