#include "berth/client/curl_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace berth::client {

namespace {

// What libcurl reads at a time; every request has such a buffer, and most answers are short.
constexpr long kStreamBufferBytes = 16 * 1024;
constexpr long kAnswerBufferBytes = 2 * 1024;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' || text.back() == '\n')) {
    text.remove_suffix(1);
  }
  return text;
}

int status_of(CURL* handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

// The connection was never there: name, socket, proxy or TLS failed.
bool is_about_connecting(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_PROXY:
    case CURLE_NO_CONNECTION_AVAILABLE: return true;
    default: return false;
  }
}

}  // namespace

void HeaderList::add(std::string_view name, std::string_view value) {
  // With libcurl, "Name:" takes a header away and "Name;" is one without a value.
  lines_.push_back(value.empty() ? fmt::format("{};", name) : fmt::format("{}: {}", name, value));
}

void HeaderList::suppress(std::string_view name) {
  lines_.push_back(fmt::format("{}:", name));
}

const curl_slist* HeaderList::get() {
  nodes_.resize(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    nodes_[i] = {.data = lines_[i].data(), .next = i + 1 < lines_.size() ? &nodes_[i + 1] : nullptr};
  }
  return nodes_.empty() ? nullptr : nodes_.data();
}

void CurlTransfer::rewind() {
  handle = nullptr;
  headers.clear();
  body_sent = 0;
  local_port = 0;
  response = {};
  pieces.clear();
  has_headers = false;
  is_whole = false;
}

void CurlTransfer::attach(CURL* with_handle, const std::string& url_prefix) {
  handle = with_handle;
  const std::string url = url_prefix + request.path;
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PRIVATE, this);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, curl_error.data());
  curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, is_stream() ? kStreamBufferBytes : kAnswerBufferBytes);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, &CurlTransfer::on_connected);
  curl_easy_setopt(handle, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, nullptr);
  if (request.body.empty() && request.method != Method::kPost) {
    curl_easy_setopt(handle, CURLOPT_HTTPGET, 1L);
  } else {
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    // The body comes from a function that cannot go back. When a connection that has been used before dies, libcurl
    // sends the request once more on a new one; but the server may have acted on it already, and a second binding would
    // come back as a conflict with our own first one. So it must not be able to.
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.empty() ? "" : nullptr);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, &CurlTransfer::on_send);
    curl_easy_setopt(handle, CURLOPT_READDATA, this);
  }
  if (request.method != Method::kGet && request.method != Method::kPost) {
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, std::string(to_string(request.method)).c_str());
  }
}

void CurlTransfer::touch() {
  if (is_touched) return;
  is_touched = true;
  touched->push_back(id);
}

std::size_t CurlTransfer::on_header(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  auto& self = *static_cast<CurlTransfer*>(transfer);
  const std::string_view line(bytes, size * count);
  if (line.starts_with("HTTP/")) {
    // A new answer: the one before was a "100 Continue".
    self.response.headers.clear();
  } else if (const std::string_view text = trimmed(line); !text.empty()) {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
      self.response.headers.push_back(
          {std::string(text.substr(0, colon)), std::string(trimmed(text.substr(colon + 1)))});
    }
  } else {
    self.response.status = status_of(self.handle);
    self.has_headers = self.response.status >= 200;
  }
  self.touch();
  return line.size();
}

std::size_t CurlTransfer::on_body(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  auto& self = *static_cast<CurlTransfer*>(transfer);
  const std::size_t length = size * count;
  std::string& target = self.is_stream() && self.is_success_status() ? self.pieces : self.response.body;
  if (target.size() + length > kMaxBodyBytes) {
    self.is_too_long = true;
    return 0;
  }
  target.append(bytes, length);
  self.touch();
  return length;
}

std::size_t CurlTransfer::on_send(char* buffer, std::size_t size, std::size_t count, void* transfer) {
  auto& self = *static_cast<CurlTransfer*>(transfer);
  const std::size_t length = std::min(size * count, self.request.body.size() - self.body_sent);
  std::memcpy(buffer, self.request.body.data() + self.body_sent, length);
  self.body_sent += length;
  return length;
}

// Before the request is sent, on a new connection or on one that is used again.
int CurlTransfer::on_connected(void* transfer, char* /*remote*/, char* /*local*/, int /*remote_port*/, int local_port) {
  static_cast<CurlTransfer*>(transfer)->local_port = local_port;
  return CURL_PREREQFUNC_OK;
}

Response::Transfer judge(CURLcode code, CURL* handle) {
  // What went out for this request, also on an earlier connection that broke and to a proxy.
  long request_bytes = 0;
  curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &request_bytes);
  if (request_bytes > 0) return Response::Transfer::kBroken;
  const bool is_certain = is_about_connecting(code) || code == CURLE_OPERATION_TIMEDOUT;
  return is_certain ? Response::Transfer::kNotSent : Response::Transfer::kBroken;
}

}  // namespace berth::client
