// What the API server refuses about an object, as far as it matters to scheduling: a selector that does not match the
// template, an operator or effect that does not exist, a request above its limit, a resource name that nobody offers.
//
// The rules are those that the API server of v1.36 applies after it has filled in defaults, so an empty field that has
// a default is fine. A finding is an Error in the API server's words: where() is the field's path ("spec.containers[0].
// resources.requests[cpu]"), what() the rest ("Invalid value: \"-1\": must be greater than or equal to 0"), and fix() a
// hint of ours. Beyond the API server, amounts that do not fit the 64 bits that a scheduler counts with are findings.
//
// What Berth does not keep (images, probes, security contexts) is not looked at. Plain functions, thread safe.
#pragma once

#include <vector>

#include "berth/api/kinds.h"
#include "berth/base/error.h"
#include "berth/config/field_error.h"

namespace berth::validation {

// All findings, in the order of the fields. Empty if the object is fine or of a kind that nobody checks.
std::vector<Error> validate(const api::AnyObject& object);

std::vector<Error> validate_pod(const api::Pod& pod);

// Parts of objects, with the path at which they stand.
void check_metadata(const api::ObjectMeta& metadata, const config::Path& path, std::vector<Error>& errors);
void check_pod_spec(const api::PodTemplate& spec, const config::Path& path, std::vector<Error>& errors);
void check_pod_template(const api::PodTemplateSpec& pod_template, const config::Path& path, std::vector<Error>& errors);
void check_claim_spec(const api::PersistentVolumeClaimSpec& spec, const config::Path& path, std::vector<Error>& errors);
void check_label_selector(const api::LabelSelector& selector, const config::Path& path, std::vector<Error>& errors);

}  // namespace berth::validation
