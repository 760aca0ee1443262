#include "berth/client/kubeconfig.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "berth/base/base64.h"
#include "berth/client/in_cluster.h"
#include "berth/client/test_folder.h"

namespace berth::client {
namespace {

// A file with one context "c" of the given cluster and user, each in flow style.
std::string kubeconfig(const std::string& cluster, const std::string& user, const std::string& current = "c") {
  return "apiVersion: v1\nkind: Config\ncurrent-context: '" + current +
         "'\n"
         "contexts:\n- {name: c, context: {cluster: k, user: u, namespace: shop}}\n"
         "clusters:\n- name: k\n  cluster: " +
         cluster + "\nusers:\n- name: u\n  user: " + user + "\n";
}

class KubeconfigTest : public testing::Test {
 protected:
  Result<Endpoint> read(const std::string& text, std::string_view context = {}) {
    return read_kubeconfig({folder_.write("config", text)}, context);
  }
  // The message without the folder, which is another one each time.
  std::string error_of(const std::string& text, std::string_view context = {}) {
    const auto endpoint = read(text, context);
    if (endpoint) return "(no error)";
    std::string message = endpoint.error().message();
    const std::string prefix = folder_.path() + "/";
    for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
      message.erase(at, prefix.size());
    }
    return message;
  }

  TestFolder folder_;
};

TEST_F(KubeconfigTest, ReadsAClusterAndAUserWithEverythingInPlace) {
  const auto endpoint = read(kubeconfig(
      "{server: 'https://10.0.0.1:6443', certificate-authority-data: " + base64_of("the CA") +
          ", tls-server-name: kubernetes, proxy-url: 'http://proxy:3128', disable-compression: true}",
      "{client-certificate-data: " + base64_of("cert") + ", client-key-data: " + base64_of("key") +
          ", token: secret, as: jane, as-uid: '7', as-groups: [dev, ops], as-user-extra: {scopes: [view, edit]}}"));
  ASSERT_TRUE(endpoint) << endpoint.error().message();
  Endpoint expected;
  expected.server = "https://10.0.0.1:6443";
  expected.tls.ca.text = "the CA";
  expected.tls.server_name = "kubernetes";
  expected.tls.client_certificate.text = "cert";
  expected.tls.client_key.text = "key";
  expected.proxy_url = "http://proxy:3128";
  expected.disable_compression = true;
  expected.credentials.bearer_token = "secret";
  expected.credentials.impersonation = {
      .user = "jane", .uid = "7", .groups = {"dev", "ops"}, .extra = {{"scopes", {"view", "edit"}}}};
  expected.name_space = "shop";
  EXPECT_EQ(*endpoint, expected);
}

TEST_F(KubeconfigTest, FilesStartAtTheFolderOfTheKubeconfig) {
  folder_.write("pki/ca.crt", "ca");
  folder_.write("pki/client.crt", "cert");
  folder_.write("pki/client.key", "key");
  folder_.write("token", "t");
  const auto endpoint = read(kubeconfig(
      "{server: 'https://a', certificate-authority: pki/ca.crt}",
      "{client-certificate: ./pki/client.crt, client-key: " + (folder_ / "pki/client.key") + ", tokenFile: token}"));
  ASSERT_TRUE(endpoint) << endpoint.error().message();
  EXPECT_EQ(endpoint->tls.ca.file, folder_ / "pki/ca.crt");
  EXPECT_EQ(endpoint->tls.client_certificate.file, folder_ / "pki/client.crt");
  EXPECT_EQ(endpoint->tls.client_key.file, folder_ / "pki/client.key");
  EXPECT_EQ(endpoint->credentials.token_file, folder_ / "token");
}

TEST_F(KubeconfigTest, BesideATokenItsFileMayBeMissing) {
  const auto endpoint = read(kubeconfig("{server: 'https://a'}", "{token: t, tokenFile: nowhere}"));
  ASSERT_TRUE(endpoint) << endpoint.error().message();
  EXPECT_EQ(endpoint->credentials.bearer_token, "t");
  EXPECT_EQ(endpoint->credentials.token_file, folder_ / "nowhere");
}

TEST_F(KubeconfigTest, ReadsJsonAsWell) {
  const auto endpoint = read(
      R"({"kind": "Config", "apiVersion": "v1", "current-context": "c", "preferences": {},
          "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
          "clusters": [{"name": "k", "cluster": {"server": "https://a:1", "insecure-skip-tls-verify": true}}],
          "users": [{"name": "u", "user": {"username": "admin", "password": "p"}}]})");
  ASSERT_TRUE(endpoint) << endpoint.error().message();
  EXPECT_EQ(endpoint->server, "https://a:1");
  EXPECT_TRUE(endpoint->tls.insecure_skip_verify);
  EXPECT_EQ(endpoint->credentials.username, "admin");
  EXPECT_EQ(endpoint->credentials.password, "p");
}

TEST_F(KubeconfigTest, ReadsAnExecPlugin) {
  const auto endpoint = read(kubeconfig(
      "{server: 'https://a', extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]}",
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [a, b],"
      " env: [{name: NAME, value: v}],"
      " interactiveMode: Never, provideClusterInfo: true, installHint: ask us}}"));
  ASSERT_TRUE(endpoint) << endpoint.error().message();
  ASSERT_TRUE(endpoint->credentials.exec);
  const ExecPlugin expected{.api_version = "client.authentication.k8s.io/v1",
                            .command = folder_ / "login",
                            .args = {"a", "b"},
                            .env = {{"NAME", "v"}},
                            .interactive = ExecPlugin::Interactive::kNever,
                            .provide_cluster_info = true,
                            .cluster_config_json = R"({"audience":"x"})",
                            .install_hint = "ask us"};
  EXPECT_EQ(*endpoint->credentials.exec, expected);
}

TEST_F(KubeconfigTest, AKubeconfigGivenWithoutAFolderHasOneAllTheSame) {
  folder_.write("token", "t");
  folder_.write("config", kubeconfig("{server: 'https://a'}",
                                     "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login,"
                                     " interactiveMode: Never}}"));
  folder_.write("config-with-token", kubeconfig("{server: 'https://a'}", "{tokenFile: token}"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const auto with_plugin = read_kubeconfig({"config"});
  const auto with_token = read_kubeconfig({"config-with-token"});
  std::filesystem::current_path(before);
  ASSERT_TRUE(with_plugin) << with_plugin.error().message();
  EXPECT_EQ(with_plugin->credentials.exec->command, folder_ / "login") << "not one in $PATH";
  ASSERT_TRUE(with_token) << with_token.error().message();
  EXPECT_EQ(with_token->credentials.token_file, folder_ / "token");
}

TEST_F(KubeconfigTest, APluginIsNotAskedIfThereIsAnotherWayToLogIn) {
  folder_.write("token", "t");
  const std::string exec = "exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Never}";
  for (const std::string other : {"token: t", "tokenFile: token", "username: a, password: b",
                                  "client-certificate-data: YQ==, client-key-data: YQ=="}) {
    const auto endpoint = read(kubeconfig("{server: 'https://a'}", "{" + other + ", " + exec + "}"));
    ASSERT_TRUE(endpoint) << endpoint.error().message();
    EXPECT_FALSE(endpoint->credentials.exec) << other;
  }
  const auto without_name = read(kubeconfig("{server: 'https://a'}", "{password: b, " + exec + "}"));
  ASSERT_TRUE(without_name) << without_name.error().message();
  EXPECT_TRUE(without_name->credentials.exec) << "a password alone is no way to log in";
  EXPECT_EQ(error_of(kubeconfig("{server: 'https://a'}", "{token: t, exec: {command: ''}}")),
            "config: user 'u': exec.command: must not be empty");
}

TEST_F(KubeconfigTest, KnowsTheProxiesThatKubectlKnows) {
  for (const std::string url : {"http://p:3128", "https://p", "socks5://p:1080", "SOCKS5://user:secret@p:1080"}) {
    const auto endpoint = read(kubeconfig("{server: 'https://a', proxy-url: '" + url + "'}", "{}"));
    ASSERT_TRUE(endpoint) << endpoint.error().message();
    EXPECT_EQ(endpoint->proxy_url, url);
  }
}

TEST_F(KubeconfigTest, ChoosesAContext) {
  const std::string text =
      "current-context: first\n"
      "contexts:\n- {name: first, context: {cluster: a}}\n- {name: second, context: {cluster: b}}\n"
      "clusters:\n- {name: a, cluster: {server: 'http://a'}}\n- {name: b, cluster: {server: 'http://b'}}\n";
  EXPECT_EQ(read(text)->server, "http://a");
  EXPECT_EQ(read(text, "second")->server, "http://b");
}

TEST_F(KubeconfigTest, OfSeveralFilesTheFirstToSaySomethingCounts) {
  const std::string first = folder_.write("one/config",
                                          "clusters:\n- {name: k, cluster: {server: 'http://first'}}\n"
                                          "users:\n- {name: u, user: {tokenFile: token}}\n");
  const std::string second = folder_.write("two/config", kubeconfig("{server: 'http://second'}", "{token: t}"));
  folder_.write("one/token", "t");
  const auto endpoint = read_kubeconfig({first, second});
  ASSERT_TRUE(endpoint) << endpoint.error().message();
  EXPECT_EQ(endpoint->server, "http://first");
  EXPECT_EQ(endpoint->credentials.token_file, folder_ / "one/token");
  EXPECT_EQ(endpoint->name_space, "shop");
}

TEST_F(KubeconfigTest, ErrorsNameFileAndFieldAndWhatToDo) {
  const std::string cluster = "{server: 'https://a'}";
  const struct {
    std::string text;
    std::string context;
    std::string error;
  } kCases[] = {
      {kubeconfig(cluster, "{}", ""), "",
       "config: no context is selected (set current-context or give --context; defined are: c)"},
      {kubeconfig(cluster, "{}"), "d", "config: context 'd' does not exist (defined are: c)"},
      {"current-context: c\n", "", "config: context 'c' does not exist (none are defined)"},
      {"current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n", "",
       "config: context 'c' names cluster 'k', which does not exist (none are defined)"},
      {"current-context: c\ncontexts: [{name: c, context: {cluster: k, user: v}}]\n"
       "clusters: [{name: k, cluster: {server: 'http://a'}}]\nusers: [{name: u, user: {}}]\n",
       "", "config: context 'c' names user 'v', which does not exist (defined are: u)"},
      {kubeconfig("{server: ''}", "{}"), "", "config: cluster 'k': server: must not be empty"},
      {kubeconfig("{server: 'ftp://a'}", "{}"), "",
       "config: cluster 'k': server: server URL 'ftp://a' has an unsupported scheme, expected https or http "
       "(give one such as https://10.0.0.1:6443)"},
      {kubeconfig("{server: 'https://a', proxy-url: 'socks4://user:secret@p'}", "{}"), "",
       "config: cluster 'k': proxy-url: 'socks4://***@p' is neither http nor https nor socks5 "
       "(give one such as http://10.0.0.1:3128)"},
      {kubeconfig("{server: 'https://a', proxy-url: 'p:3128'}", "{}"), "",
       "config: cluster 'k': proxy-url: 'p:3128' is neither http nor https nor socks5 "
       "(give one such as http://10.0.0.1:3128)"},
      {kubeconfig("{server: 'https://a', certificate-authority-data: '%%'}", "{}"), "",
       "config: cluster 'k': certificate-authority-data: is not valid base64"},
      {kubeconfig("{server: 'https://a', certificate-authority: ca.crt}", "{}"), "",
       "config: cluster 'k': certificate-authority: file 'ca.crt' does not exist "
       "(paths are relative to the directory of the kubeconfig)"},
      {kubeconfig("{server: 'https://a', certificate-authority-data: YQ==, insecure-skip-tls-verify: true}", "{}"), "",
       "config: cluster 'k': insecure-skip-tls-verify: cannot be used together with a certificate authority "
       "(remove one of them)"},
      {kubeconfig(cluster, "{client-certificate-data: YQ==}"), "",
       "config: user 'u': client-certificate without client-key (set both)"},
      {kubeconfig(cluster, "{tokenFile: nowhere}"), "", "config: user 'u': tokenFile: file 'nowhere' does not exist"},
      {kubeconfig(cluster, "{token: t, username: a, password: b}"), "",
       "config: user 'u': more than one authentication method: token, username and password (keep one of them)"},
      {kubeconfig(cluster, "{auth-provider: {name: gcp}}"), "",
       "config: user 'u': auth-provider: auth provider 'gcp' has been removed from Kubernetes (use an exec plugin)"},
      {kubeconfig(cluster, "{as-groups: [dev]}"), "",
       "config: user 'u': as: required with as-uid, as-groups and as-user-extra (set it)"},
      {kubeconfig(cluster, "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}"), "",
       "config: user 'u': exec.command: must not be empty"},
      {kubeconfig(cluster, "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}"), "",
       "config: user 'u': exec.apiVersion: is 'client.authentication.k8s.io/v1alpha1' "
       "(use client.authentication.k8s.io/v1, and a plugin that knows it)"},
      {kubeconfig(cluster, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x}}"), "",
       "config: user 'u': exec.interactiveMode: is required with client.authentication.k8s.io/v1 "
       "(use Never, IfAvailable or Always)"},
      {"kind: Pod\napiVersion: v1\n", "", "config: kind 'Pod' is invalid (a kubeconfig has kind Config)"},
      {"users: [{name: u, user: {}}, {name: u, user: {}}]\n", "",
       "config: users[1].name: 'u' is duplicated (rename or remove one)"},
  };
  for (const auto& [text, context, error] : kCases) EXPECT_EQ(error_of(text, context), error) << text;
}

TEST_F(KubeconfigTest, ErrorsDoNotShowSecrets) {
  const std::string error = error_of(kubeconfig("{server: 'https://a'}", "{token: 12345678}"));
  EXPECT_EQ(error, "config: line 11: users[0].user.token: must be a string (quote the value)");
}

TEST_F(KubeconfigTest, SaysWhichFileCannotBeRead) {
  const auto endpoint = read_kubeconfig({folder_ / "nowhere"});
  ASSERT_FALSE(endpoint);
  EXPECT_EQ(endpoint.error().message(), (folder_ / "nowhere") + ": cannot read file: No such file or directory");
}

class FindEndpointTest : public KubeconfigTest {
 protected:
  FindEndpointTest() {
    environment_.home = folder_ / "home";
    environment_.root = folder_.path();
  }
  std::string file(const std::string& name) {
    return folder_.write(name, kubeconfig("{server: 'http://" + name + "'}", "{}"));
  }
  void be_a_pod() {
    environment_.service_host = "10.96.0.1";
    environment_.service_port = "443";
    folder_.write("var/run/secrets/kubernetes.io/serviceaccount/token", "t");
    folder_.write("var/run/secrets/kubernetes.io/serviceaccount/ca.crt", "ca");
    folder_.write("var/run/secrets/kubernetes.io/serviceaccount/namespace", "kube-system");
  }
  std::string server(const EndpointChoice& choice) {
    const auto endpoint = find_endpoint(choice, environment_);
    return endpoint ? endpoint->server : endpoint.error().message();
  }

  ClientEnvironment environment_;
};

TEST_F(FindEndpointTest, LooksInOneOrder) {
  EXPECT_EQ(server({}),
            "no kubeconfig found: $KUBECONFIG and ~/.kube/config do not exist, and this process does not run in a pod "
            "(give --kubeconfig FILE)");
  file("home/.kube/config");
  EXPECT_EQ(server({}), "http://home/.kube/config");
  be_a_pod();
  EXPECT_EQ(server({}), "https://10.96.0.1:443");
  // A pod has no contexts.
  EXPECT_EQ(server({.kubeconfig = "", .context = "c"}), "http://home/.kube/config");
  environment_.kubeconfig = (folder_ / "nowhere") + "::" + file("second");
  EXPECT_EQ(server({}), "http://second");
  EXPECT_EQ(server({.kubeconfig = file("chosen"), .context = ""}), "http://chosen");
  environment_.kubeconfig = folder_ / "nowhere";
  EXPECT_EQ(server({}), (folder_ / "nowhere") + ": none of the files in $KUBECONFIG exists");
}

TEST_F(FindEndpointTest, InAPodTheServiceAccountCounts) {
  be_a_pod();
  const auto endpoint = in_cluster_endpoint(environment_);
  ASSERT_TRUE(endpoint) << endpoint.error().message();
  Endpoint expected;
  expected.server = "https://10.96.0.1:443";
  expected.tls.ca.file = folder_ / "var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
  expected.credentials.token_file = folder_ / "var/run/secrets/kubernetes.io/serviceaccount/token";
  expected.name_space = "kube-system";
  EXPECT_EQ(*endpoint, expected);

  environment_.service_host = "fd00::1";
  EXPECT_EQ(in_cluster_endpoint(environment_)->server, "https://[fd00::1]:443");
}

TEST_F(FindEndpointTest, SaysWhatAPodLacks) {
  EXPECT_EQ(
      in_cluster_endpoint(environment_).error().message(),
      "not running in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set (give a kubeconfig)");
  environment_.service_host = "10.96.0.1";
  environment_.service_port = "443";
  EXPECT_EQ(in_cluster_endpoint(environment_).error().message(),
            (folder_ / "var/run/secrets/kubernetes.io/serviceaccount/token") +
                ": the pod has no service account token (enable automountServiceAccountToken, or give a "
                "kubeconfig)");
}

}  // namespace
}  // namespace berth::client
