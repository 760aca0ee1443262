// What libcurl says about a request that failed, without what is different each time. The text ends up in conditions of
// pods and in events, where a new text is a new condition and a new event for every attempt.
#pragma once

#include <string>
#include <string_view>

namespace berth::client {

// Takes out for how long was tried (" after 5001 milliseconds") and the numbers of HTTP/2 streams.
std::string repeatable_curl_error(std::string_view text);

}  // namespace berth::client
