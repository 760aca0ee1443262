// Answers packed with gzip for clients that ask for it, as kube-scheduler's metrics are: a scrape of a large cluster is
// some hundred kilobytes, a tenth of that packed. Everything else it serves plain, and so does Berth.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "berth/serve/call.h"

namespace berth::serve {

// Whether these values of Accept-Encoding prefer gzip to a plain answer. "*" alone does not: it takes both, and plain
// comes first.
bool prefers_gzip(std::span<const std::string_view> accept_encoding);

std::string gzipped(std::string_view text);

// Packs answers of 200 for callers that prefer it.
Handler compressed(Handler handler);

}  // namespace berth::serve
