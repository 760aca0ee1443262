#include "berth/client/base64.h"

#include <openssl/evp.h>

#include <algorithm>
#include <iterator>

namespace berth::client {

std::string base64_of(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '\0');
  // OpenSSL ends the text with a zero, for which a string has room.
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string digits;
  digits.reserve(text.size());
  std::ranges::copy_if(text, std::back_inserter(digits),
                       [](char c) { return c != '\n' && c != '\r' && c != ' ' && c != '\t'; });
  if (digits.size() % 4 != 0) return std::nullopt;
  const std::size_t first_padding = digits.find('=');
  const std::size_t padding = first_padding == std::string::npos ? 0 : digits.size() - first_padding;
  if (padding > 2 || digits.find_first_not_of('=', std::min(first_padding, digits.size())) != std::string::npos) {
    return std::nullopt;
  }
  std::string bytes(digits.size() / 4 * 3, '\0');
  const int count =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(digits.data()), static_cast<int>(digits.size()));
  if (count < 0) return std::nullopt;
  // OpenSSL counts the padding as bytes.
  bytes.resize(static_cast<std::size_t>(count) - padding);
  return bytes;
}

}  // namespace berth::client
