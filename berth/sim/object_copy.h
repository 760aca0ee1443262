// Objects of any kind as values that can be copied, changed and compared without knowing their type: what an API server
// does with all kinds alike. Objects that are shared are never changed; these functions make changed copies.
#pragma once

#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/base/function_ref.h"

namespace berth::sim {

// All require: not empty, and of a kind that has metadata.

api::AnyObject with_metadata(const api::AnyObject& object, FunctionRef<void(api::ObjectMeta&)> change);

// Both of one kind.
bool is_same(const api::AnyObject& a, const api::AnyObject& b);
// Whether they want the same: everything but metadata and status.
bool is_same_wish(const api::AnyObject& a, const api::AnyObject& b);

// `fresh` with what it does not say taken from `old`: owners, status, the node of a pod.
api::AnyObject completed_by(const api::AnyObject& fresh, const api::AnyObject& old);

// The pod as its creator would make it again: everything but what the cluster added to it.
api::Pod as_created(api::Pod pod);

}  // namespace berth::sim
