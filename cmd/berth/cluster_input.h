// Reading what a question about a cluster is based on: its objects, from a dump or from the cluster itself, and the
// scheduler's configuration.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/codec/documents.h"
#include "berth/report/pod_sentence.h"
#include "cmd/berth/cluster_access.h"

namespace berth::cmd {

// The cluster that a command is about.
struct ClusterInput {
  codec::Documents documents;
  // Of names that are given without one: that of -n, or of the kubeconfig's context; empty if neither says.
  std::string name_space;

  // "shop/web-1" for "web-1", if the namespace is known.
  std::string full_name(const std::string& name) const;
};
// Why there is none, and what the program exits with: a wrong command line is not a cluster that does not answer.
struct InputError {
  Error error;
  int exit_code = kExitFailure;
};
// From the files if there are any, else from the cluster of the kubeconfig. Requires: not both are given; see
// contradiction_of(). `option` is how the command is given files: "--from FILE", "a FILE".
std::expected<ClusterInput, InputError> read_cluster(const std::vector<std::string>& files, const ClusterAccess& access,
                                                     const ClusterKinds& kinds, std::string_view option,
                                                     InternPool& pool);
// As kubectl does for manifests: gives pods and workloads without a namespace that one. Nothing changes if it is empty.
void set_namespace(std::vector<api::AnyObject>& objects, std::string_view name_space);
// Prints it, as a usage error of the command if it is one, and returns the exit code.
int input_failure(std::string_view command, const InputError& error);
// A usage error if both files and a cluster are given; empty if not.
std::string contradiction_of(const std::vector<std::string>& files, const ClusterAccess& access,
                             std::string_view option);

// All objects of several files; "-" is standard input, and a folder stands for the *.yaml, *.yml and *.json files in
// it, which may be compressed (.gz, .zst). Files that cannot be read are among the errors.
//
// read_objects() is for dumps: it reads what it can, and brings absurd amounts within bounds. read_written_objects() is
// for what people write: what kubectl and the API server refuse is an error.
codec::Documents read_objects(const std::vector<std::string>& files, InternPool& pool);
codec::Documents read_written_objects(const std::vector<std::string>& files, InternPool& pool);

// Why what was read is not a cluster: no objects at all, or no nodes. Empty if it is one.
std::string no_cluster_in(const codec::Documents& documents, const std::vector<std::string>& files);

// Why an object is not among those that were read although the files have it, in the sentence in which `berth inspect`
// says so: by kind ("Pod") and "namespace/name" or "name" alone, in whatever namespace. Empty if it is not that.
std::string unreadable_text(const codec::Documents& documents, std::string_view kind, std::string_view name);

// What the pod needs of the dump and that could not be read, in the same sentence: its claims, their volumes and
// storage classes. Empty if there is nothing.
std::string unreadable_need_text(const codec::Documents& documents, const api::Pod& pod);
// The error, or why the object that it misses could not be read: `kind` and `name` as for unreadable_text().
Error or_unreadable(const Error& error, const codec::Documents& documents, std::string_view kind,
                    std::string_view name);
// The same for an error about a priority class.
Error or_unreadable_class(const Error& error, const codec::Documents& documents);

// "12 objects of kinds that Berth does not know are left out: apps/v1 ControllerRevision (8), ..."; empty if there are
// none.
std::string unknown_kinds_text(const codec::Documents& documents);
// "3 pods belong to RayCluster x, of a kind that Berth does not know."; empty if none does.
std::string unknown_owners_text(const codec::Documents& documents);
// These two, and what was put right about the objects.
std::vector<std::string> notes_about(const codec::Documents& documents);
// Prints them on standard error.
void print_notes(const std::vector<std::string>& notes);

// Prints what of the objects could not be read. Returns the exit code.
int complain_about(const codec::Documents& documents);
// Prints errors, one a line. Returns kExitFailure.
int complain(const std::vector<Error>& errors);

// From the options --config and --feature-gates; empty ones stand for the defaults. The errors are ready to be printed.
std::expected<report::Settings, std::vector<Error>> load_settings(const std::string& config_file,
                                                                  const std::string& feature_gates);

}  // namespace berth::cmd
