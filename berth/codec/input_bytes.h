// The bytes of a file as text: what was compressed is unpacked, and UTF-16, which PowerShell's `>` writes, becomes
// UTF-8. Told from the first bytes, not from the file's name. Thread safe.
#pragma once

#include <cstddef>
#include <string>

#include "berth/base/error.h"

namespace berth::codec {

// How large a file may become by unpacking: the same as one document may be (decode.h). A file that says it holds more
// is broken, or meant to fill the memory.
inline constexpr std::size_t kMaxUnpackedBytes = std::size_t{2} << 30;

// gzip (several members too), zstd (several frames too), UTF-16 with a byte order mark, or UTF-8, which comes back as
// it is. Compressed twice, it is unpacked twice; deeper is refused.
Result<std::string> to_text(std::string bytes, std::size_t max_bytes = kMaxUnpackedBytes);

}  // namespace berth::codec
