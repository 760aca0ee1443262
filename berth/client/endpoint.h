// How to reach one API server, and who we are there: what a kubeconfig (kubeconfig.h) or a pod's surroundings
// (in_cluster.h) say. A plain value; HttpLoop (http_loop.h) acts on it.
//
// Certificates, keys and tokens may be given in place or as files. Files may be replaced while the program runs, as
// kubelets and cert-manager do when something expires: they are read again when they have changed
// (credential_source.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::client {

// PEM text, in place or in a file; the text counts if both are set.
struct Pem {
  std::string text;
  std::string file;

  bool is_set() const { return !text.empty() || !file.empty(); }
  bool operator==(const Pem&) const = default;
};

struct TlsSettings {
  Pem ca;  // unset: the certificates that the machine trusts
  Pem client_certificate;
  Pem client_key;
  std::string server_name;  // what the server's certificate must be for; empty: the host of the URL
  bool insecure_skip_verify = false;
  bool operator==(const TlsSettings&) const = default;
};

// A program that prints credentials, as cloud providers have them.
struct ExecPlugin {
  enum class Interactive : std::uint8_t { kNever, kIfAvailable, kAlways };

  std::string api_version;  // "client.authentication.k8s.io/v1"
  std::string command;      // a name to look up in $PATH, or a path
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // on top of our own
  Interactive interactive = Interactive::kIfAvailable;
  bool provide_cluster_info = false;
  std::string cluster_config_json;  // what the kubeconfig has for the plugin in the cluster's extensions; may be empty
  std::string install_hint;         // what to tell the user if the program is not there
  bool operator==(const ExecPlugin&) const = default;
};

// Impersonation: the server treats requests as those of another user.
struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;

  bool is_set() const { return !user.empty(); }
  bool operator==(const Impersonation&) const = default;
};

// A token file counts before a token, and both before a password. Where there is one of them or a client certificate,
// kubeconfigs' plugins are not asked, so there is none here.
struct Credentials {
  std::string bearer_token;
  std::string token_file;
  std::string username;
  std::string password;
  std::optional<ExecPlugin> exec;
  Impersonation impersonation;
  bool operator==(const Credentials&) const = default;
};

struct Endpoint {
  std::string server;  // "https://10.0.0.1:6443", possibly with a path
  TlsSettings tls;
  std::string proxy_url;  // empty: as the environment says
  bool disable_compression = false;
  Credentials credentials;
  std::string name_space;  // that a user means who gives none; empty: "default"
  bool operator==(const Endpoint&) const = default;
};

}  // namespace berth::client
