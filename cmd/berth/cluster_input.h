// Reading what a question about a cluster is based on: the dump of its objects, and the scheduler's configuration.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "berth/base/error.h"
#include "berth/codec/documents.h"
#include "berth/report/pod_sentence.h"

namespace berth::cmd {

// All objects of several files; "-" is standard input, and a folder stands for the *.yaml, *.yml and *.json files in
// it. Files that cannot be read are among the errors.
codec::Documents read_objects(const std::vector<std::string>& files, InternPool& pool);
// Those of one file, which is no folder.
void read_objects_into(const std::string& file, const codec::DecodeOptions& decode, codec::Documents& documents);

// "12 objects of kinds that Berth does not know are left out: apps/v1 ControllerRevision (8), ..."; empty if there are
// none.
std::string unknown_kinds_text(const codec::Documents& documents);

// Prints what of the objects could not be read. Returns the exit code.
int complain_about(const codec::Documents& documents);

// From the options --config and --feature-gates; empty ones stand for the defaults. The errors are ready to be printed.
std::expected<report::Settings, std::vector<Error>> load_settings(const std::string& config_file,
                                                                  const std::string& feature_gates);

}  // namespace berth::cmd
