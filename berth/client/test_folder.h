// A folder for a test's files, gone when the test is.
#pragma once

#include <stdlib.h>  // mkdtemp

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "berth/base/check.h"

namespace berth::client {

class TestFolder {
 public:
  TestFolder() : path_((std::filesystem::temp_directory_path() / "berth-client-XXXXXX").string()) {
    BERTH_CHECK(::mkdtemp(path_.data()) != nullptr, "no temporary folder");
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Makes or replaces a file, as those who rotate credentials do: by renaming a new one over it. Returns its path.
  std::string write(std::string_view name, std::string_view content) const {
    const std::string file = *this / name;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file + ".new", std::ios::binary) << content;
    std::filesystem::rename(file + ".new", file);
    return file;
  }
  std::string write_program(std::string_view name, std::string_view content) const {
    std::string file = write(name, content);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  std::string read(std::string_view name) const {
    std::ifstream stream(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  std::string path_;
};

}  // namespace berth::client
