// For tests: an authority that issues client certificates, an HTTPS client (libcurl, so that another implementation
// speaks with the server), and reviews that the test answers. The library must not include it.
#pragma once

#include <curl/curl.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/serve/certificate.h"
#include "berth/serve/openssl.h"
#include "berth/serve/reviews.h"

namespace berth::serve::testing {

// Long before the machine's clock is wrong, and after: certificates of tests are valid for all of it.
inline constexpr Instant kNow = Instant::from_unix_seconds(1'800'000'000);

struct Names {
  std::string common_name;
  std::vector<std::string> organizations;
};

class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name) : key_(EVP_EC_gen("P-256"), EVP_PKEY_free) {
    certificate_ = make({name, {}}, key_.get(), nullptr, nullptr, "critical,CA:TRUE");
  }

  std::string pem() const { return text_of(certificate_.get()); }

  // A client certificate, valid from 2001 to 2033 unless said otherwise.
  KeyPair issue(const Names& names, std::int64_t valid_until = 2'000'000'000) const {
    const KeyPtr key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const X509Ptr certificate =
        make(names, key.get(), certificate_.get(), key_.get(), "critical,CA:FALSE", valid_until);
    const BioPtr bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return {text_of(certificate.get()), contents(bio.get())};
  }

 private:
  static std::string contents(BIO* bio) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(bio, &bytes);
    return {bytes, static_cast<std::size_t>(size)};
  }
  static std::string text_of(X509* certificate) {
    const BioPtr bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), certificate);
    return contents(bio.get());
  }
  static void add_name(X509_NAME* subject, const char* field, const std::string& value) {
    X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.c_str()), -1,
                               -1, 0);
  }
  static X509Ptr make(const Names& names, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key, const char* constraints,
                      std::int64_t valid_until = 2'000'000'000) {
    X509Ptr certificate = own(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    ASN1_TIME_set(X509_getm_notBefore(certificate.get()), 1'000'000'000);
    ASN1_TIME_set(X509_getm_notAfter(certificate.get()), static_cast<std::time_t>(valid_until));
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    for (const std::string& organization : names.organizations) add_name(subject, "O", organization);
    if (!names.common_name.empty()) add_name(subject, "CN", names.common_name);
    X509_set_issuer_name(certificate.get(), issuer == nullptr ? subject : X509_get_subject_name(issuer));
    X509_set_pubkey(certificate.get(), key);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, constraints);
    X509_add_ext(certificate.get(), extension, -1);
    X509_EXTENSION_free(extension);
    X509_sign(certificate.get(), issuer_key == nullptr ? key : issuer_key, EVP_sha256());
    return certificate;
  }

  KeyPtr key_;
  X509Ptr certificate_;
};

// --- A client --------------------------------------------------------------------------------------------------------

struct FetchOptions {
  std::string method = "GET";
  std::string body = {};
  std::vector<std::string> headers = {};
  std::string server_ca = {};  // empty: the server is not checked
  KeyPair client = {};         // empty: no certificate
  std::string host = {};       // whom to ask for, at 127.0.0.1; empty: nobody in particular
  long max_tls = CURL_SSLVERSION_MAX_DEFAULT;
};
struct Fetched {
  long status = 0;
  std::string body;
  std::string headers;
  std::string error;  // of the transfer
};

inline std::size_t append_to(char* bytes, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(bytes, size * count);
  return size * count;
}

inline curl_blob blob_of(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

// One or more requests over one connection where the server allows it.
class Client {
 public:
  Client() : curl_(curl_easy_init()) {}
  ~Client() { curl_easy_cleanup(curl_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Fetched fetch(std::uint16_t port, const std::string& path, const FetchOptions& options = {}) {
    Fetched result;
    curl_easy_reset(curl_);
    const std::string address = ":" + std::to_string(port);
    const std::string url = "https://" + (options.host.empty() ? "127.0.0.1" : options.host) + address + path;
    curl_slist* connect_to = curl_slist_append(nullptr, ("::127.0.0.1" + address).c_str());
    curl_easy_setopt(curl_, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl_, CURLOPT_CONNECT_TO, connect_to);
    curl_easy_setopt(curl_, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl_, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT, 60L);
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_SSLVERSION, options.max_tls);
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, append_to);
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &result.body);
    curl_easy_setopt(curl_, CURLOPT_HEADERFUNCTION, append_to);
    curl_easy_setopt(curl_, CURLOPT_HEADERDATA, &result.headers);
    if (options.method == "HEAD") {
      curl_easy_setopt(curl_, CURLOPT_NOBODY, 1L);
    } else {
      curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, options.method.c_str());
    }
    if (!options.body.empty()) {
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE, static_cast<long>(options.body.size()));
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, options.body.c_str());
    }
    set_certificates(options);
    curl_slist* headers = nullptr;
    for (const std::string& header : options.headers) headers = curl_slist_append(headers, header.c_str());
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers);
    const CURLcode code = curl_easy_perform(curl_);
    curl_slist_free_all(headers);
    curl_slist_free_all(connect_to);
    if (code != CURLE_OK) result.error = curl_easy_strerror(code);
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &result.status);
    curl_easy_getinfo(curl_, CURLINFO_NUM_CONNECTS, &new_connections_);
    return result;
  }

  // Of the last request: 0 if it went over a connection that was there.
  long new_connections() const { return new_connections_; }

 private:
  void set_certificates(const FetchOptions& options) {
    if (options.server_ca.empty()) {
      curl_easy_setopt(curl_, CURLOPT_SSL_VERIFYPEER, 0L);
      curl_easy_setopt(curl_, CURLOPT_SSL_VERIFYHOST, 0L);
    } else {
      curl_blob ca = blob_of(options.server_ca);
      curl_easy_setopt(curl_, CURLOPT_CAINFO_BLOB, &ca);
    }
    if (options.client.key.empty()) return;
    curl_blob certificate = blob_of(options.client.certificates);
    curl_blob key = blob_of(options.client.key);
    curl_easy_setopt(curl_, CURLOPT_SSLCERT_BLOB, &certificate);
    curl_easy_setopt(curl_, CURLOPT_SSLCERTTYPE, "PEM");
    curl_easy_setopt(curl_, CURLOPT_SSLKEY_BLOB, &key);
    curl_easy_setopt(curl_, CURLOPT_SSLKEYTYPE, "PEM");
  }

  CURL* curl_;
  long new_connections_ = 0;
};

inline Fetched fetch(std::uint16_t port, const std::string& path, const FetchOptions& options = {}) {
  return Client().fetch(port, path, options);
}

// --- An API server that says what the test wants ---------------------------------------------------------------------

class StubReviews final : public Reviews {
 public:
  std::function<Result<std::string>(const std::string& path, const std::string& body)> answer;

  Result<std::string> post(std::string path, std::string body) override {
    const std::lock_guard lock(mutex_);
    bodies_.push_back(body);
    return answer(path, body);
  }
  // What was asked so far.
  std::vector<std::string> bodies() const {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> bodies_;
};

}  // namespace berth::serve::testing
