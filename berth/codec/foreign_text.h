// Tells what a text is that holds no Kubernetes objects: an unrendered template, an error message or a table of
// kubectl, a login page, a Docker Compose file. People give such files by mistake, and a parser's complaint about line
// 1 does not help them.
#pragma once

#include <optional>
#include <string_view>

#include "berth/base/error.h"

namespace berth::codec {

// What the text is, in one sentence with what to do, for a text that could not be read. Nothing if it is like none of
// those.
std::optional<Error> foreign_text(std::string_view text);

// The same for an object of a kind that Berth does not know but people confuse with objects of a cluster: a
// Kustomization, a kubeconfig.
std::optional<Error> foreign_kind(std::string_view api_version, std::string_view kind);

}  // namespace berth::codec
