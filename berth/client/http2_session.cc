#include "berth/client/http2_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "berth/base/check.h"

namespace berth::client {

namespace {

// kube-apiserver allows 250 streams; who allows more is not asked for more, further ones make another connection.
constexpr std::uint32_t kMaxStreams = 250;
// How much may be under way to us: of one answer, and of all.
constexpr std::int32_t kStreamWindowBytes = 4 << 20;
constexpr std::int32_t kConnectionWindowBytes = 64 << 20;

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

nghttp2_nv pair_of(const Header& header) {
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {.name = bytes(header.name),
          .value = bytes(header.value),
          .namelen = header.name.size(),
          .valuelen = header.value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

void Http2Stream::rewind() {
  connection = nullptr;
  id = 0;
  body_sent = 0;
  is_sent = false;
  has_end = false;
  inflater.reset();
}

Http2Session::Http2Session(WireNews& news, std::size_t max_body_bytes) : news_(news), max_body_bytes_(max_body_bytes) {
  nghttp2_session_callbacks* callbacks = nullptr;
  BERTH_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0, "nghttp2 has no memory");
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &on_frame_received);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &on_bytes);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &on_stream_closed);
  nghttp2_session_callbacks_set_before_frame_send_callback(callbacks, &before_frame_is_sent);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, &on_frame_not_sent);
  nghttp2_session* session = nullptr;
  const int made = nghttp2_session_client_new(&session, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  BERTH_CHECK(made == 0, "nghttp2: {}", nghttp2_strerror(made));
  session_.reset(session);
  const std::array<nghttp2_settings_entry, 2> settings{
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes}}};
  const int submitted = nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  const int widened = nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
  BERTH_CHECK(submitted == 0 && widened == 0, "nghttp2 has no memory");
}

bool Http2Session::has_room() const {
  // nghttp2 allows no more when it is out of numbers for streams, and when it has found the server at fault.
  if (!has_settings_ || is_draining_ || nghttp2_session_check_request_allowed(session_.get()) == 0) return false;
  const std::uint32_t allowed =
      nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return streams_.size() < std::min(allowed, kMaxStreams);
}

bool Http2Session::is_over() const {
  return nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0;
}

void Http2Session::submit(Http2Stream& stream, std::span<const Header> headers) {
  std::vector<nghttp2_nv> pairs;
  pairs.reserve(headers.size());
  for (const Header& header : headers) pairs.push_back(pair_of(header));
  const nghttp2_data_provider body{.source = {}, .read_callback = &read_body};
  const bool has_body = !stream.transfer.request.body.empty();
  stream.id =
      nghttp2_submit_request(session_.get(), nullptr, pairs.data(), pairs.size(), has_body ? &body : nullptr, nullptr);
  BERTH_CHECK(stream.id > 0, "nghttp2: {}", nghttp2_strerror(stream.id));
  streams_.emplace(stream.id, &stream);
}

void Http2Session::cancel(Http2Stream& stream) {
  std::erase_if(ended_, [&](const Ended& ended) { return ended.stream == &stream; });  // and nobody was told yet
  if (streams_.erase(stream.id) == 0) return;
  (void)nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_CANCEL);
}

Http2Stream* Http2Session::find(std::int32_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

void Http2Session::end_stream(std::int32_t id, Ended::How how, std::string error) {
  Http2Stream* stream = find(id);
  if (stream == nullptr) return;
  streams_.erase(id);
  ended_.push_back({.stream = stream, .how = how, .error = std::move(error)});
}

void Http2Session::end_all(const std::string& why) {
  while (!streams_.empty()) {
    const auto& [id, stream] = *streams_.begin();
    end_stream(id, stream->is_sent ? Ended::How::kBroken : Ended::How::kRefused, why);
  }
}

// --- Bytes -----------------------------------------------------------------------------------------------------------

std::optional<std::string> Http2Session::receive(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ssize_t taken = nghttp2_session_mem_recv(session_.get(), data, bytes.size());
  if (taken >= 0) return std::nullopt;
  return fmt::format("HTTP/2 protocol error: {}", nghttp2_strerror(static_cast<int>(taken)));
}

std::optional<std::string> Http2Session::fill(std::string& output, std::size_t enough_bytes) {
  while (output.size() < enough_bytes) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) return fmt::format("nghttp2: {}", nghttp2_strerror(static_cast<int>(size)));
    if (size == 0) return std::nullopt;
    output.append(text_of(bytes, static_cast<std::size_t>(size)));
  }
  return std::nullopt;
}

// --- What nghttp2 calls ----------------------------------------------------------------------------------------------

int Http2Session::on_frame_received(nghttp2_session*, const nghttp2_frame* frame, void* session) {
  Http2Session& self = Http2Session::self(session);
  if (frame->hd.type == NGHTTP2_GOAWAY) {
    self.is_draining_ = true;
    return 0;
  }
  if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
    self.has_settings_ = true;
    return 0;
  }
  Http2Stream* stream = self.find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  if (frame->hd.type == NGHTTP2_HEADERS && !stream->transfer.has_headers) self.begin_answer(*stream);
  const bool may_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (may_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) stream->has_end = true;
  return 0;
}

void Http2Session::begin_answer(Http2Stream& stream) {
  Transfer& transfer = stream.transfer;
  if (transfer.response.status < 200) return;  // "100 Continue": the answer is still to come
  transfer.has_headers = true;
  if (transfer.response.header("content-encoding") == "gzip") stream.inflater = std::make_unique<Inflater>();
  news_.touch(transfer);
}

int Http2Session::on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                            std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                            std::uint8_t /*flags*/, void* session) {
  Http2Stream* stream = self(session).find(frame->hd.stream_id);
  if (stream == nullptr || stream->transfer.has_headers) return 0;  // what comes after the body tells us nothing
  Response& response = stream->transfer.response;
  const std::string_view name_text = text_of(name, name_size);
  const std::string_view value_text = text_of(value, value_size);
  if (name_text == ":status") {
    response.headers.clear();
    std::from_chars(value_text.data(), value_text.data() + value_text.size(), response.status);
  } else {
    response.headers.push_back({std::string(name_text), std::string(value_text)});
  }
  return 0;
}

int Http2Session::on_bytes(nghttp2_session* nghttp2, std::uint8_t /*flags*/, std::int32_t id, const std::uint8_t* bytes,
                           std::size_t size, void* session) {
  Http2Session& self = Http2Session::self(session);
  Http2Stream* stream = self.find(id);
  if (stream == nullptr || !stream->error.empty()) return 0;
  std::string& body = stream->transfer.body();
  if (stream->inflater) {
    if (!stream->inflater->unpack(text_of(bytes, size), body, self.max_body_bytes_)) {
      stream->error = "response exceeds the size limit or is not valid gzip";
    }
  } else if (body.size() + size > self.max_body_bytes_) {
    stream->error = fmt::format("response exceeds the limit of {} bytes", self.max_body_bytes_);
  } else {
    body.append(text_of(bytes, size));
  }
  if (!stream->error.empty()) {
    (void)nghttp2_submit_rst_stream(nghttp2, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
  self.news_.touch(stream->transfer);
  return 0;
}

int Http2Session::on_stream_closed(nghttp2_session*, std::int32_t id, std::uint32_t code, void* session) {
  Http2Session& self = Http2Session::self(session);
  Http2Stream* stream = self.find(id);
  if (stream == nullptr) return 0;
  using How = Ended::How;
  if (!stream->error.empty()) {
    self.end_stream(id, How::kBroken, stream->error);
  } else if (stream->has_end && stream->inflater && !stream->inflater->is_complete()) {
    self.end_stream(id, How::kBroken, "unexpected end of gzip stream");
  } else if (stream->has_end && stream->transfer.has_headers) {
    self.end_stream(id, How::kComplete, {});
  } else {
    const bool is_refused = code == NGHTTP2_REFUSED_STREAM && stream->transfer.response.status == 0;
    self.end_stream(id, is_refused ? How::kRefused : How::kBroken,
                    fmt::format("stream reset by the server: {}", nghttp2_http2_strerror(code)));
  }
  return 0;
}

int Http2Session::before_frame_is_sent(nghttp2_session*, const nghttp2_frame* frame, void* session) {
  Http2Stream* stream = self(session).find(frame->hd.stream_id);
  if (stream != nullptr) stream->is_sent = true;
  return 0;
}

int Http2Session::on_frame_not_sent(nghttp2_session*, const nghttp2_frame* frame, int code, void* session) {
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  self(session).end_stream(frame->hd.stream_id, Ended::How::kRefused, nghttp2_strerror(code));
  return 0;
}

ssize_t Http2Session::read_body(nghttp2_session*, std::int32_t id, std::uint8_t* buffer, std::size_t size,
                                std::uint32_t* flags, nghttp2_data_source*, void* session) {
  Http2Stream* stream = self(session).find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::string& body = stream->transfer.request.body;
  const std::size_t length = body.copy(reinterpret_cast<char*>(buffer), size, stream->body_sent);
  stream->body_sent += length;
  if (stream->body_sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(length);
}

}  // namespace berth::client
