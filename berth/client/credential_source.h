// Who we are right now: the token, certificate and CA that the next request is sent with. Files are looked at again at
// most once a second, on demand, so rotation needs no thread and no timer; a plugin's answer is kept until it expires.
//
// A file that is gone or half written while it is being replaced does not hurt: what was read before stays valid until
// the new content makes sense, and the other files are taken over meanwhile. A certificate is taken over only together
// with the key that belongs to it.
//
// Not thread safe. The exec plugin is run by the caller (http_loop.cc), who can wait for it without blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/client/endpoint.h"
#include "berth/client/exec_plugin.h"
#include "berth/client/watched_file.h"

namespace berth::client {

// Files are looked at again when a request starts this long after the last look.
inline constexpr Duration kCredentialFileInterval = Duration::seconds(1);

// What a request is sent with. Shared: a transfer keeps what it was started with.
struct Identity {
  std::uint64_t generation = 0;  // another one means that something below is different
  std::string authorization;     // the header's value; empty: none
  std::string ca;                // PEM; empty: the machine's own
  std::string certificate;       // PEM; empty: none
  std::string key;               // PEM
};

class CredentialSource {
 public:
  using Warn = std::function<void(std::string_view)>;

  // Reads all files; the error names the one that cannot be read or is invalid. A token file may be missing if
  // there is a token as well.
  static Result<CredentialSource> make(const Endpoint& endpoint, Warn warn);

  // True if a plugin has to be run before identity() means anything.
  bool needs_plugin(Instant wall_now) const;
  // The error: it is invalid, and the previous credentials stay.
  Result<void> set_plugin_credential(ExecCredential credential);
  // There is no new answer of the plugin. Its last one, even if the server has refused it, counts again until it
  // expires: a server that was wrong once may be right the next time, and without any there would be no next time.
  void keep_plugin_credential() { is_plugin_refused_ = false; }

  // `now` is of a clock that never goes back.
  const std::shared_ptr<const Identity>& identity(Instant now);

  // The server refused the identity of this generation. True if there is another one to try, or, if there is a plugin,
  // may be once it has run again (see needs_plugin).
  bool refused(std::uint64_t generation, Instant now);

 private:
  CredentialSource(const Endpoint& endpoint, Warn warn);

  // Each looks at its files and takes over what they hold; after an error what was there before stays.
  Result<void> look_at_token();
  Result<void> look_at_ca();
  Result<void> look_at_certificate();
  // All of them, whatever is wrong with one; the first error.
  Result<void> look_at_files();
  void rebuild();

  Credentials credentials_;
  TlsSettings tls_;
  Warn warn_;
  std::optional<WatchedFile> token_file_;
  std::optional<WatchedFile> ca_file_;
  std::optional<WatchedFile> certificate_file_;
  std::optional<WatchedFile> key_file_;
  // What of the files is in use.
  std::string file_token_;
  std::string ca_bundle_;  // as it was given
  std::string ca_;         // what can be read of it
  std::string certificate_;
  std::string key_;
  std::string last_warning_;
  std::optional<ExecCredential> plugin_credential_;
  bool is_plugin_refused_ = false;  // the server has refused what the plugin gave last
  std::shared_ptr<const Identity> identity_;
  std::uint64_t last_generation_ = 0;
  Instant next_look_;
};

// Whether the PEM texts are a certificate and the key that belongs to it. The error says what is wrong with them.
Result<void> check_certificate_and_key(const std::string& certificate, const std::string& key);

}  // namespace berth::client
