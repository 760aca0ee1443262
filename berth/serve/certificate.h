// X.509 as the server needs it: its own certificate, those of its clients, and CA bundles.
//
// The certificate that the server shows comes from files that may be rotated (a given pair), from --cert-dir, or is
// made in memory. A CertificateSource looks at its files at every new connection, so a rotated certificate is in use at
// once and without a restart; a pair that cannot be read or does not belong together is not used, and the old one
// stays.
//
// Keys and certificates are PEM texts in this interface. All functions are thread safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/time.h"

struct x509_st;
struct x509_store_st;

namespace berth::serve {

struct KeyPair {
  std::string certificates;  // the server's first, then those that signed it
  std::string key;
};

struct SelfSignedOptions {
  std::string host_name;               // of the machine; "localhost" is added
  std::vector<std::string> addresses;  // further ones; 127.0.0.1 is added
  Instant now;
};
// ECDSA P-256, valid for a year.
Result<KeyPair> make_self_signed(const SelfSignedOptions& options);

// The errors name the file, as kube-scheduler's flags do: "unable to load server certificate: ...".
Result<KeyPair> load_key_pair(const std::string& certificate_file, const std::string& key_file);

// A parsed key pair; openssl.h has its parts.
struct Identity;

class CertificateSource {
 public:
  // Never changes.
  static Result<std::shared_ptr<CertificateSource>> fixed(const KeyPair& pair);
  static Result<std::shared_ptr<CertificateSource>> files(std::string certificate_file, std::string key_file);
  // --cert-dir: <folder>/kube-scheduler.crt and .key, which are made if either is missing.
  static Result<std::shared_ptr<CertificateSource>> folder(const std::string& folder, const SelfSignedOptions& options);

  ~CertificateSource();

  // What new connections get. Looks at the files.
  std::shared_ptr<const Identity> current();
  // Why the files, as they are now, are not used; empty if they are.
  std::string problem() const;

 private:
  struct Stamp;
  CertificateSource(std::string certificate_file, std::string key_file);
  Result<void> reload(const Stamp& stamp);
  Stamp stamp_files() const;

  const std::string certificate_file_;  // empty: fixed
  const std::string key_file_;
  mutable std::mutex mutex_;
  std::unique_ptr<Stamp> stamp_;
  std::shared_ptr<const Identity> identity_;
  std::string problem_;
};

// What a client showed: its certificate and those that it sent along.
class ClientCertificate {
 public:
  // Takes over the references. `leaf` is not null.
  ClientCertificate(std::shared_ptr<x509_st> leaf, std::vector<std::shared_ptr<x509_st>> others);
  // For tests and tools: the first of the PEM text is the client's own.
  static Result<std::shared_ptr<const ClientCertificate>> from_pem(std::string_view pem);

  const std::string& common_name() const { return common_name_; }
  const std::vector<std::string>& organizations() const { return organizations_; }
  // Of the DER form, in hex.
  std::string sha256() const;

 private:
  friend class CertificateAuthorities;
  std::shared_ptr<x509_st> leaf_;
  std::vector<std::shared_ptr<x509_st>> others_;
  std::string common_name_;
  std::vector<std::string> organizations_;
};

// Whose signature under a client certificate counts.
class CertificateAuthorities {
 public:
  // A bundle. The error: a text without certificates, or with something that is none.
  static Result<std::shared_ptr<const CertificateAuthorities>> from_pem(std::string_view bundle);

  // Signed by one of these, valid at `now`, and for use by clients.
  Result<void> verify(const ClientCertificate& certificate, Instant now) const;

 private:
  explicit CertificateAuthorities(std::shared_ptr<x509_store_st> store) : store_(std::move(store)) {}
  std::shared_ptr<x509_store_st> store_;
};

}  // namespace berth::serve
