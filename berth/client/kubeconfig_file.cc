#include "berth/client/kubeconfig_file.h"

namespace berth::api {

template <>
const Schema& schema_of<client::KubeconfigExtension>() {
  using E = client::KubeconfigExtension;
  static const Schema schema("NamedExtension", {
                                                   field<&E::name>("name", 0, kAlways),
                                                   field<&E::extension>("extension", 0, kAlways),
                                               });
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigCluster>() {
  using C = client::KubeconfigCluster;
  static const Schema schema("Cluster", {
                                            field<&C::server>("server", 0, kAlways),
                                            field<&C::tls_server_name>("tls-server-name", 0),
                                            field<&C::insecure_skip_tls_verify>("insecure-skip-tls-verify", 0),
                                            field<&C::certificate_authority>("certificate-authority", 0),
                                            field<&C::certificate_authority_data>("certificate-authority-data", 0),
                                            field<&C::proxy_url>("proxy-url", 0),
                                            field<&C::disable_compression>("disable-compression", 0),
                                            field<&C::extensions>("extensions", 0),
                                        });
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigExecVariable>() {
  using V = client::KubeconfigExecVariable;
  static const Schema schema("ExecEnvVar", {
                                               field<&V::name>("name", 0, kAlways),
                                               field<&V::value>("value", 0, kAlways),
                                           });
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigExec>() {
  using E = client::KubeconfigExec;
  static const Schema schema("ExecConfig", {
                                               field<&E::command>("command", 0, kAlways),
                                               field<&E::args>("args", 0),
                                               field<&E::env>("env", 0),
                                               field<&E::api_version>("apiVersion", 0),
                                               field<&E::install_hint>("installHint", 0),
                                               field<&E::provide_cluster_info>("provideClusterInfo", 0),
                                               field<&E::interactive_mode>("interactiveMode", 0),
                                           });
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigAuthProvider>() {
  using P = client::KubeconfigAuthProvider;
  static const Schema schema("AuthProviderConfig", {field<&P::name>("name", 0, kAlways)});
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigUser>() {
  using U = client::KubeconfigUser;
  static const Schema schema("AuthInfo", {
                                             field<&U::client_certificate>("client-certificate", 0),
                                             field<&U::client_certificate_data>("client-certificate-data", 0),
                                             field<&U::client_key>("client-key", 0),
                                             field<&U::client_key_data>("client-key-data", 0),
                                             field<&U::token>("token", 0),
                                             field<&U::token_file>("tokenFile", 0),
                                             field<&U::as>("as", 0),
                                             field<&U::as_uid>("as-uid", 0),
                                             field<&U::as_groups>("as-groups", 0),
                                             field<&U::as_user_extra>("as-user-extra", 0),
                                             field<&U::username>("username", 0),
                                             field<&U::password>("password", 0),
                                             field<&U::auth_provider>("auth-provider", 0),
                                             field<&U::exec>("exec", 0),
                                         });
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigContext>() {
  using C = client::KubeconfigContext;
  static const Schema schema("Context", {
                                            field<&C::cluster>("cluster", 0, kAlways),
                                            field<&C::user>("user", 0, kAlways),
                                            field<&C::name_space>("namespace", 0),
                                        });
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigNamed<client::KubeconfigCluster>>() {
  using N = client::KubeconfigNamed<client::KubeconfigCluster>;
  static const Schema schema("NamedCluster",
                             {field<&N::name>("name", 0, kAlways), field<&N::value>("cluster", 0, kAlways)});
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigNamed<client::KubeconfigContext>>() {
  using N = client::KubeconfigNamed<client::KubeconfigContext>;
  static const Schema schema("NamedContext",
                             {field<&N::name>("name", 0, kAlways), field<&N::value>("context", 0, kAlways)});
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigNamed<client::KubeconfigUser>>() {
  using N = client::KubeconfigNamed<client::KubeconfigUser>;
  static const Schema schema("NamedAuthInfo",
                             {field<&N::name>("name", 0, kAlways), field<&N::value>("user", 0, kAlways)});
  return schema;
}

template <>
const Schema& schema_of<client::KubeconfigFile>() {
  using F = client::KubeconfigFile;
  static const Schema schema("Config", {
                                           field<&F::kind>("kind", 0),
                                           field<&F::api_version>("apiVersion", 0),
                                           field<&F::clusters>("clusters", 0, kAlways),
                                           field<&F::users>("users", 0, kAlways),
                                           field<&F::contexts>("contexts", 0, kAlways),
                                           field<&F::current_context>("current-context", 0, kAlways),
                                       });
  return schema;
}

}  // namespace berth::api
