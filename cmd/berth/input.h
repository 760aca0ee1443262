// Reading what the user names on the command line.
#pragma once

#include <string>

#include "berth/base/error.h"

namespace berth::cmd {

// How messages name a file that the user named: "-" is "standard input".
std::string shown_name(const std::string& file);

// The contents of a file as text, unpacked if it was compressed (codec/input_bytes.h); "-" is standard input. The error
// names the file.
Result<std::string> read_whole(const std::string& file);

}  // namespace berth::cmd
