// Many requests to the API server, so many at a time: making nodes and pods, and binding without deciding.
#pragma once

#include <cstddef>
#include <functional>

#include "berth/base/error.h"
#include "berth/client/http_loop.h"
#include "berth/client/transport.h"

namespace berth::bench {

// Makes the i-th request for every i below `count`, `at_a_time` at once, and waits for all. An answer other than 2xx is
// an error, except 409 on a POST: what is there already.
Result<void> flood(client::HttpLoop& loop, std::size_t count, std::size_t at_a_time,
                   const std::function<client::Request(std::size_t)>& make);

}  // namespace berth::bench
