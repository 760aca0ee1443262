// A file that may be replaced at any time: a mounted token, a certificate that is renewed. Asking costs one
// stat() as long as nothing has changed.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "berth/base/error.h"

namespace berth::client {

// No certificate, key or token comes near; a path that leads to something else should not fill the memory.
inline constexpr std::size_t kMaxCredentialFileBytes = std::size_t{4} << 20;

// The error names the file.
Result<std::string> read_small_file(const std::string& path);

class WatchedFile {
 public:
  explicit WatchedFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // As of the last look that went well.
  const std::string& content() const { return content_; }

  // Reads the file if it is not the one that was read last. True if the content is another now. After an error the
  // content is as before.
  Result<bool> look();
  // The next look reads the file whatever stat() says.
  void distrust() { stamp_ = {}; }

 private:
  // Changes whenever the file is written or replaced, also if that happens twice within a second.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = -1;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };

  std::string path_;
  Stamp stamp_;
  std::string content_;
};

}  // namespace berth::client
