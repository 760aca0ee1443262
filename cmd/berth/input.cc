#include "cmd/berth/input.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>
#include <utility>

#include "berth/codec/input_bytes.h"

namespace berth::cmd {

namespace {

Result<std::string> read_bytes(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return fail("is a directory");
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(std::strerror(errno));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::string shown_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

Result<std::string> read_whole(const std::string& file) {
  auto bytes = read_bytes(file);
  auto text = bytes ? codec::to_text(*std::move(bytes)) : std::move(bytes);
  if (!text) return fail(Error(text.error()).in_file(shown_name(file)));
  return text;
}

}  // namespace berth::cmd
