#include "berth/serve/certificate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "berth/serve/openssl.h"

namespace berth::serve {

std::string openssl_error() {
  std::string text = "unknown error";
  while (const unsigned long code = ERR_get_error()) {
    std::array<char, 256> buffer{};
    ERR_error_string_n(code, buffer.data(), buffer.size());
    const char* reason = ERR_reason_error_string(code);
    text = reason != nullptr ? reason : buffer.data();
  }
  return text;
}

namespace {

BioPtr bio_of(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_of(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

// A key that is locked by a password would be asked for on the terminal otherwise.
int no_password(char*, int, int, void*) {
  return 0;
}

Result<std::string> read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return fail(fmt::format("open {}: {}", name, std::strerror(errno)));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) return fail(fmt::format("read {}: {}", name, std::strerror(errno)));
  return text;
}

std::time_t unix_seconds(Instant at) {
  return static_cast<std::time_t>(at.unix_nanoseconds() / 1'000'000'000);
}

Result<std::shared_ptr<const Identity>> parse(const KeyPair& pair) {
  auto certificates = certificates_from_pem(pair.certificates);
  if (!certificates) return fail(std::move(certificates).error());
  const BioPtr bio = bio_of(pair.key);
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr), EVP_PKEY_free);
  if (key == nullptr) return fail(fmt::format("cannot load private key: {}", openssl_error()));
  if (X509_check_private_key(certificates->front().get(), key.get()) != 1) {
    (void)openssl_error();
    return fail("tls: private key does not match public key");
  }
  auto identity = std::make_shared<Identity>();
  identity->leaf = certificates->front();
  identity->chain.assign(certificates->begin() + 1, certificates->end());
  identity->key = std::move(key);
  return identity;
}

// --- Making one ------------------------------------------------------------------------------------------------------

bool add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  const bool is_added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return is_added;
}

// A comma would begin a name of its own.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.find_first_of(",:\n") == std::string_view::npos;
}

std::string alternative_names(const SelfSignedOptions& options) {
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  if (is_plain_name(options.host_name) && options.host_name != "localhost") names += ",DNS:" + options.host_name;
  for (const std::string& address : options.addresses) {
    // What is no address (or bound to all of them) names nobody.
    ASN1_OCTET_STRING* parsed = a2i_IPADDRESS(address.c_str());
    if (parsed == nullptr) continue;
    ASN1_OCTET_STRING_free(parsed);
    if (address != "127.0.0.1" && address != "::1" && address != "0.0.0.0" && address != "::")
      names += ",IP:" + address;
  }
  ERR_clear_error();
  return names;
}

bool set_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] &= 0x7F;  // positive
  bytes[0] |= 0x40;  // and of full length
  const std::unique_ptr<BIGNUM, FreeWith<BN_free>> number(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  return number != nullptr && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool fill_in(X509* certificate, EVP_PKEY* key, const SelfSignedOptions& options) {
  constexpr std::time_t kDay = 24 * 3600;
  const std::time_t now = unix_seconds(options.now);
  const std::string name = is_plain_name(options.host_name) ? options.host_name : "localhost";
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* common_name = reinterpret_cast<const unsigned char*>(name.c_str());
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         // An hour back, for clients whose clocks are slow.
         ASN1_TIME_set(X509_getm_notBefore(certificate), now - 3600) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), now + 365 * kDay) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, common_name, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature,keyEncipherment,keyCertSign") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         add_extension(certificate, NID_subject_alt_name, alternative_names(options)) &&
         X509_sign(certificate, key, EVP_sha256()) != 0;
}

// The key is for the owner alone from the first byte on.
Result<void> write_file(const std::filesystem::path& file, std::string_view text, mode_t mode) {
  const std::filesystem::path fresh = file.string() + ".new";
  (void)::unlink(fresh.c_str());
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return fail(fmt::format("open {}: {}", fresh.string(), std::strerror(errno)));
  const bool is_written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int write_error = errno;
  ::close(fd);
  if (!is_written) return fail(fmt::format("write {}: {}", fresh.string(), std::strerror(write_error)));
  std::error_code error;
  std::filesystem::rename(fresh, file, error);
  if (error) return fail(fmt::format("rename {}: {}", fresh.string(), error.message()));
  return {};
}

Result<void> make_pair_in(const std::filesystem::path& certificate_file, const std::filesystem::path& key_file,
                          const SelfSignedOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(certificate_file.parent_path(), error);
  if (error) return fail(fmt::format("mkdir {}: {}", certificate_file.parent_path().string(), error.message()));
  const auto pair = make_self_signed(options);
  if (!pair) return fail(pair.error());
  if (auto written = write_file(key_file, pair->key, 0600); !written) return written;
  return write_file(certificate_file, pair->certificates, 0644);
}

}  // namespace

Result<std::vector<X509Ptr>> certificates_from_pem(std::string_view pem) {
  const BioPtr bio = bio_of(pem);
  std::vector<X509Ptr> result;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr)) {
    result.push_back(own(certificate));
  }
  const unsigned long code = ERR_peek_last_error();
  const bool at_end = ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
  const std::string error = openssl_error();
  if (!at_end) return fail(fmt::format("cannot parse certificate: {}", error));
  if (result.empty()) return fail("data does not contain any valid RSA or ECDSA certificates");
  return result;
}

Result<KeyPair> make_self_signed(const SelfSignedOptions& options) {
  const KeyPtr key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const X509Ptr certificate = own(X509_new());
  if (key == nullptr || certificate == nullptr || !fill_in(certificate.get(), key.get(), options)) {
    return fail(fmt::format("cannot create self-signed certificate: {}", openssl_error()));
  }
  const BioPtr certificate_text(BIO_new(BIO_s_mem()));
  const BioPtr key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return fail(fmt::format("cannot encode self-signed certificate: {}", openssl_error()));
  }
  return KeyPair{.certificates = text_of(certificate_text.get()), .key = text_of(key_text.get())};
}

Result<KeyPair> load_key_pair(const std::string& certificate_file, const std::string& key_file) {
  auto certificates = read_file(certificate_file);
  if (!certificates) return fail("unable to load server certificate: " + certificates.error().message());
  auto key = read_file(key_file);
  if (!key) return fail("unable to load server certificate: " + key.error().message());
  KeyPair pair{.certificates = *std::move(certificates), .key = *std::move(key)};
  if (const auto parsed = parse(pair); !parsed) {
    return fail(fmt::format("unable to load server certificate from {} and {}: {}", certificate_file, key_file,
                            parsed.error().message()));
  }
  return pair;
}

// --- CertificateSource -----------------------------------------------------------------------------------------------

// Tells whether a file is still the same. Links are followed: that is how Kubernetes swaps mounted secrets.
struct CertificateSource::Stamp {
  struct File {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const File&) const = default;
  };
  File certificate;
  File key;
  bool operator==(const Stamp&) const = default;

  static File of(const std::string& name) {
    struct ::stat status{};
    if (::stat(name.c_str(), &status) != 0) return {};
    return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  }
};

CertificateSource::CertificateSource(std::string certificate_file, std::string key_file)
    : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}
CertificateSource::~CertificateSource() = default;

CertificateSource::Stamp CertificateSource::stamp_files() const {
  return {Stamp::of(certificate_file_), Stamp::of(key_file_)};
}

Result<void> CertificateSource::reload(const Stamp& stamp) {
  const auto pair = load_key_pair(certificate_file_, key_file_);
  if (!pair) return fail(pair.error());
  auto identity = parse(*pair);
  if (!identity) return fail(std::move(identity).error());
  identity_ = *std::move(identity);
  stamp_ = std::make_unique<Stamp>(stamp);
  return {};
}

Result<std::shared_ptr<CertificateSource>> CertificateSource::fixed(const KeyPair& pair) {
  auto identity = parse(pair);
  if (!identity) return fail(std::move(identity).error());
  std::shared_ptr<CertificateSource> source(new CertificateSource("", ""));
  source->identity_ = *std::move(identity);
  return source;
}

Result<std::shared_ptr<CertificateSource>> CertificateSource::files(std::string certificate_file,
                                                                    std::string key_file) {
  std::shared_ptr<CertificateSource> source(new CertificateSource(std::move(certificate_file), std::move(key_file)));
  if (auto loaded = source->reload(source->stamp_files()); !loaded) return fail(std::move(loaded).error());
  return source;
}

Result<std::shared_ptr<CertificateSource>> CertificateSource::folder(const std::string& folder,
                                                                     const SelfSignedOptions& options) {
  const std::filesystem::path certificate_file = std::filesystem::path(folder) / "kube-scheduler.crt";
  const std::filesystem::path key_file = std::filesystem::path(folder) / "kube-scheduler.key";
  std::error_code error;  // what cannot be looked at is found out when it is read
  if (!std::filesystem::exists(certificate_file, error) || !std::filesystem::exists(key_file, error)) {
    if (auto made = make_pair_in(certificate_file, key_file, options); !made) {
      return fail("error creating self-signed certificates: " + made.error().message());
    }
  }
  return files(certificate_file.string(), key_file.string());
}

std::shared_ptr<const Identity> CertificateSource::current() {
  const std::lock_guard lock(mutex_);
  if (certificate_file_.empty()) return identity_;
  // The stamp is taken before reading, so what changes meanwhile is seen the next time.
  if (const Stamp stamp = stamp_files(); stamp != *stamp_) {
    const auto loaded = reload(stamp);
    problem_ = loaded ? "" : loaded.error().message();
  }
  return identity_;
}

std::string CertificateSource::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace berth::serve
