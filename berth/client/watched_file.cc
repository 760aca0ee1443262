#include "berth/client/watched_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace berth::client {

namespace {

std::unexpected<Error> cannot_read(const std::string& path, int error) {
  // strerror's text of a known error is constant, so threads do not disturb each other.
  return fail(Error(fmt::format("cannot read file: {}", std::strerror(error))).in_file(path));  // NOLINT
}

std::int64_t in_nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return cannot_read(path, errno);
  std::string content;
  char buffer[16 * 1024];
  while (true) {
    const std::size_t count = std::fread(buffer, 1, sizeof(buffer), file.get());
    content.append(buffer, count);
    if (content.size() > kMaxCredentialFileBytes) {
      return fail(Error(fmt::format("exceeds the limit of {} bytes", kMaxCredentialFileBytes)).in_file(path));
    }
    if (count < sizeof(buffer)) break;
  }
  if (std::ferror(file.get()) != 0) return cannot_read(path, errno);
  return content;
}

Result<bool> WatchedFile::look() {
  struct stat found{};
  if (::stat(path_.c_str(), &found) != 0) return cannot_read(path_, errno);
  const Stamp stamp{.device = found.st_dev,
                    .inode = found.st_ino,
                    .size = found.st_size,
                    .modified_ns = in_nanoseconds(found.st_mtim),
                    .changed_ns = in_nanoseconds(found.st_ctim)};
  if (stamp == stamp_) return false;
  auto content = read_small_file(path_);
  if (!content) return fail(std::move(content).error());
  stamp_ = stamp;
  if (*content == content_) return false;
  content_ = *std::move(content);
  return true;
}

}  // namespace berth::client
