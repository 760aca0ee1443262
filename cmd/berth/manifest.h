// The pod that a question is about, from a file that somebody wrote: a pod, or a workload with a template for pods.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/interned.h"

namespace berth::cmd {

struct Manifest {
  // The pod or workload in question first, then the file's other objects, but for other pods and workloads.
  std::vector<api::AnyObject> objects;
  // Which one was taken of several, and how to take another. Empty if there was one.
  std::string note;
};

// `name` is what the option --name gives: KIND/NAME or NAME, or empty for the first. All that is wrong with the file is
// among the errors.
std::expected<Manifest, std::vector<Error>> read_manifest(const std::string& file, const std::string& name,
                                                          InternPool& pool);

}  // namespace berth::cmd
