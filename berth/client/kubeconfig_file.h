// A kubeconfig file as it stands on disk. Internal to kubeconfig.cc, which gives it its meaning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/api/schema.h"

namespace berth::client {

struct KubeconfigExtension {
  std::string name;
  api::RawJson extension;
};

struct KubeconfigCluster {
  std::string server;
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority;       // a file
  std::string certificate_authority_data;  // base64
  std::string proxy_url;
  bool disable_compression = false;
  std::vector<KubeconfigExtension> extensions;
};

struct KubeconfigExecVariable {
  std::string name;
  std::string value;
};

struct KubeconfigExec {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<KubeconfigExecVariable> env;
  std::string install_hint;
  bool provide_cluster_info = false;
  std::string interactive_mode;
};

struct KubeconfigAuthProvider {
  std::string name;
};

struct KubeconfigUser {
  std::string client_certificate;       // a file
  std::string client_certificate_data;  // base64
  std::string client_key;               // a file
  std::string client_key_data;          // base64
  std::string token;
  std::string token_file;
  std::string username;
  std::string password;
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
  FlatMap<std::vector<std::string>> as_user_extra;
  std::optional<KubeconfigExec> exec;
  std::optional<KubeconfigAuthProvider> auth_provider;
};

struct KubeconfigContext {
  std::string cluster;
  std::string user;
  std::string name_space;
};

template <typename T>
struct KubeconfigNamed {
  std::string name;
  T value;
  std::string file;  // where it stands; not part of the text
};

struct KubeconfigFile {
  std::string kind;
  std::string api_version;
  std::string current_context;
  std::vector<KubeconfigNamed<KubeconfigCluster>> clusters;
  std::vector<KubeconfigNamed<KubeconfigContext>> contexts;
  std::vector<KubeconfigNamed<KubeconfigUser>> users;
};

}  // namespace berth::client

namespace berth::api {
BERTH_HAS_SCHEMA(client::KubeconfigFile);
}  // namespace berth::api
