#include "cmd/berth/input.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

namespace berth::cmd {

std::string shown_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

Result<std::string> read_whole(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return fail(Error("is a directory").in_file(file));
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(Error(std::strerror(errno)).in_file(file));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace berth::cmd
