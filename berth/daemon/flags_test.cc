#include "berth/daemon/flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/daemon/flag_table.h"
#include "berth/daemon/settings.h"

namespace berth::daemon {
namespace {

using Texts = std::vector<std::string>;

RunFlags read(const Texts& words) {
  auto flags = parse_run_flags(words);
  if (!flags) {
    ADD_FAILURE() << flags.error().message();
    return {};
  }
  return *std::move(flags);
}

std::string problem(const Texts& words) {
  const auto flags = parse_run_flags(words);
  return flags ? "" : flags.error().message();
}

TEST(RunFlags, OfKubeadmsManifestAreRead) {
  const RunFlags flags = read({"--authentication-kubeconfig=/etc/kubernetes/scheduler.conf",
                               "--authorization-kubeconfig=/etc/kubernetes/scheduler.conf", "--bind-address=127.0.0.1",
                               "--kubeconfig=/etc/kubernetes/scheduler.conf", "--leader-elect=true"});
  EXPECT_EQ(flags.authentication.kubeconfig, "/etc/kubernetes/scheduler.conf");
  EXPECT_EQ(flags.authorization.kubeconfig, "/etc/kubernetes/scheduler.conf");
  EXPECT_EQ(flags.serving.bind_address, "127.0.0.1");
  EXPECT_EQ(flags.deprecated.kubeconfig, "/etc/kubernetes/scheduler.conf");
  EXPECT_EQ(flags.leader_election.leader_elect, true);
  EXPECT_EQ(flags.warnings.size(), 1u);  // --kubeconfig
}

TEST(RunFlags, NameFurtherCertificatesWithOrWithoutTheirNames) {
  const auto named = read({"--tls-sni-cert-key=a.crt,a.key", "--tls-sni-cert-key=b.crt, b.key : b.example.com,*.b.org"})
                         .serving.tls_sni_cert_keys;
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0].certificate_file, "a.crt");
  EXPECT_EQ(named[0].names, Texts());
  EXPECT_EQ(named[1].key_file, "b.key");
  EXPECT_EQ(named[1].names, (Texts{"b.example.com", "*.b.org"}));
  for (const char* wrong : {"a.crt", "a.crt,a.key,more", "a.crt:name"}) {
    EXPECT_NE(problem({"--tls-sni-cert-key", wrong}).find("expected comma separated certificate and key file paths"),
              std::string::npos)
        << wrong;
  }
  EXPECT_NE(problem({"--tls-sni-cert-key=a.crt,a.key:"}).find("empty names list is not allowed"), std::string::npos);
}

TEST(RunFlags, TakeTheirValueFromTheSameWordOrTheNext) {
  EXPECT_EQ(read({"--config=a.yaml"}).config_file, "a.yaml");
  EXPECT_EQ(read({"--config", "a.yaml"}).config_file, "a.yaml");
  EXPECT_EQ(read({"--config", "--odd"}).config_file, "--odd");
  EXPECT_EQ(read({"--config="}).config_file, "");
  EXPECT_EQ(read({"--write_config_to=x"}).write_config_to, "x");
}

TEST(RunFlags, OfTwoUsesTheLastCountsButListsGrow) {
  EXPECT_EQ(read({"--master=a", "--master=b"}).master, "b");
  EXPECT_EQ(read({"--authorization-always-allow-paths=/a,/b", "--authorization-always-allow-paths=/c"})
                .authorization.always_allow_paths,
            (Texts{"/a", "/b", "/c"}));
  EXPECT_EQ(read({}).authorization.always_allow_paths, (Texts{"/healthz", "/readyz", "/livez"}));
  EXPECT_EQ(read({"--feature-gates=A=true,B=false", "--feature-gates=C=true"}).feature_gates,
            (Texts{"A=true,B=false", "C=true"}));
}

TEST(RunFlags, BooleansNeverTakeTheNextWord) {
  EXPECT_EQ(read({"--leader-elect"}).leader_election.leader_elect, true);
  EXPECT_EQ(read({"--leader-elect=false"}).leader_election.leader_elect, false);
  EXPECT_EQ(read({"--leader-elect=F"}).leader_election.leader_elect, false);
  EXPECT_EQ(read({}).leader_election.leader_elect, std::nullopt);
  EXPECT_EQ(problem({"--leader-elect", "false"}), R"("berth run" does not take any arguments, got ["false"])");
}

TEST(RunFlags, HaveTheVerbosityAsALetterToo) {
  EXPECT_EQ(read({"-v2"}).log.verbosity, 2);
  EXPECT_EQ(read({"-v=3"}).log.verbosity, 3);
  EXPECT_EQ(read({"-v", "4"}).log.verbosity, 4);
  EXPECT_EQ(read({"--v=5"}).log.verbosity, 5);
  EXPECT_TRUE(read({"-h"}).help);
}

TEST(RunFlags, ThatAreWrongAreNamed) {
  const std::vector<std::pair<Texts, std::string>> cases = {
      {{"--leader-elekt=true"}, "unknown flag: --leader-elekt (did you mean --leader-elect?)"},
      {{"--nonsense-altogether-else"}, "unknown flag: --nonsense-altogether-else"},
      {{"--config"}, "flag needs an argument: --config"},
      {{"--"}, ""},
      {{"---x"}, "bad flag syntax: ---x"},
      {{"-config=x"}, "unknown shorthand flag: 'c' in -config=x (did you mean --config?)"},
      {{"x", "y"}, R"("berth run" does not take any arguments, got ["x" "y"])"},
      {{"--", "--config=x"}, R"("berth run" does not take any arguments, got ["--config=x"])"},
      {{"--secure-port=http"},
       R"(invalid argument "http" for "--secure-port" flag: strconv.ParseInt: parsing "http": invalid syntax)"},
      {{"--secure-port=70000"},
       R"(invalid argument "70000" for "--secure-port" flag: must be between 0 and 65535, inclusive. 0 for turning )"
       "off secure port"},
      {{"--leader-elect=maybe"},
       R"(invalid argument "maybe" for "--leader-elect" flag: strconv.ParseBool: parsing "maybe": invalid syntax)"},
      {{"--leader-elect-lease-duration=15"},
       R"(invalid argument "15" for "--leader-elect-lease-duration" flag: time: missing unit in duration "15")"},
      {{"--bind-address=here"}, R"(invalid argument "here" for "--bind-address" flag: failed to parse IP: "here")"},
  };
  for (const auto& [words, expected] : cases) EXPECT_EQ(problem(words), expected) << words[0];
}

TEST(RunFlags, WithoutMeaningAreAcceptedWithAWarning) {
  const RunFlags flags = read({"--contention-profiling=false", "--http2-max-streams-per-connection=10",
                               "--log-flush-frequency=5s", "--emulated-version=1.36"});
  ASSERT_EQ(flags.warnings.size(), 4u);
  EXPECT_EQ(flags.warnings[1], "Flag --http2-max-streams-per-connection has no effect: Berth serves HTTP/1.1.");
  EXPECT_NE(problem({"--http2-max-streams-per-connection=many"}), "");
}

TEST(RunFlags, WithoutMeaningMustHaveValuesThatKubeSchedulerTakes) {
  for (const char* word :
       {"--emulated-version=1.35", "--emulated-version=kube=1.34", "--emulated-version=v1.36.0",
        "--emulated-version=", "--min-compatibility-version=1.33", "--show-hidden-metrics-for-version=1.35",
        "--show-hidden-metrics-for-version=", "--allow-metric-labels=scheduler_pending_pods,queue=active,backoff",
        R"(--allow-metric-labels="a,b=c","d,e=f")", "--tls-curve-preferences=23,4588", "--log-flush-frequency=1s",
        "--log-json-info-buffer-size=1M", "--log-text-info-buffer-size=0"}) {
    EXPECT_EQ(problem({word}), "") << word;
  }
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--emulated-version=abc", R"(could not parse "abc" as version, expected 1.33 to 1.36)"},
      {"--emulated-version=1", R"(could not parse "1" as version, expected 1.33 to 1.36)"},
      {"--emulated-version=1.20", "version 1.20 is not between [1.33, 1.36]"},
      {"--emulated-version=1.35.2", "patch version not allowed, got: 1.35.2"},
      {"--emulated-version=wardle=1.35", "component not registered: wardle, only kube is supported"},
      {"--emulated-version=1.35,1.34", "more than one version"},
      {"--min-compatibility-version=1.37", "version 1.37 is not between [1.33, 1.36]"},
      {"--show-hidden-metrics-for-version=x",
       "must be omitted or have the value '1.35'; only the previous minor version is allowed"},
      {"--allow-metric-labels=a", "a must be formatted as key=value: METRIC,LABEL=VALUE,..."},
      {"--allow-metric-labels=a=b", R"("a" must have the form METRIC,LABEL)"},
      {"--allow-metric-labels=a,b=c,d,e=f", "a must be formatted as key=value: METRIC,LABEL=VALUE,..."},
      {"--allow-metric-labels=\"a,b=c\",\"d=e", "unterminated quote"},
      {"--tls-curve-preferences=a", R"("a" is not a number, expected one of 23, 24, 25, 29, 4587, 4588, 4589)"},
      {"--tls-curve-preferences=99",
       "curve preference 99 is not supported, expected one of 23, 24, 25, 29, 4587, 4588, 4589"},
      {"--tls-curve-preferences=23,23", "duplicate curve preference 23"},
      {"--log-flush-frequency=0s", "must be greater than zero"},
      {"--log-json-info-buffer-size=xyz",
       "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
  };
  for (const auto& [word, expected] : cases) {
    const std::size_t equals = word.find('=');
    EXPECT_EQ(problem({word}), "invalid argument \"" + word.substr(equals + 1) + "\" for \"" + word.substr(0, equals) +
                                   "\" flag: " + expected);
  }
}

TEST(RunFlags, MayNameTheVersionToReport) {
  EXPECT_TRUE(read({"--version"}).version);
  EXPECT_TRUE(read({"--version=raw"}).version);
  EXPECT_EQ(read({"--version=false"}).reported_version, "v1.36.3");
  const RunFlags flags = read({"--version=v1.36.3-mine.1+2"});
  EXPECT_FALSE(flags.version);
  EXPECT_EQ(flags.reported_version, "v1.36.3-mine.1+2");
  for (const char* wrong : {"v1.36.4", "v1.36.3x", "v1.36.3-", "v1.36.3-a b", "v1", "mine"}) {
    EXPECT_NE(problem({std::string("--version=") + wrong}), "") << wrong;
  }
}

TEST(RunFlags, ThatAskForHelpMayHaveArguments) {
  EXPECT_TRUE(read({"--help", "x"}).help);
  EXPECT_EQ(problem({"--help", "--nonsense-altogether-else"}), "unknown flag: --nonsense-altogether-else");
}

TEST(RunFlags, AreAllInTheHelp) {
  const std::string help = run_help();
  for (const Flag& flag : run_flag_table()) {
    EXPECT_NE(help.find("--" + std::string(flag.name)), std::string::npos) << flag.name;
  }
  for (std::size_t begin = 0; begin < help.size();) {
    const std::size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 80u) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

// --- Settings --------------------------------------------------------------------------------------------------------

constexpr const char* kHeader = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

std::expected<Settings, std::vector<Error>> settings_of(const Texts& words, const std::string& file = "") {
  return make_settings(read(words), [file](const std::string& name) -> Result<std::string> {
    if (name != "sched.yaml") return fail(name + ": no such file");
    return kHeader + file;
  });
}

TEST(Settings, WithoutAFileComeFromDeprecatedFlags) {
  const auto settings = settings_of({"--kubeconfig=k.conf", "--leader-elect=false", "--profiling=false"});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->kubeconfig, "k.conf");
  EXPECT_FALSE(settings->config.config.leader_election.leader_elect);
  EXPECT_FALSE(settings->config.config.enable_profiling);
}

TEST(Settings, OfAFileAreOverriddenByLeaderElectionFlagsOnly) {
  const auto settings =
      settings_of({"--config=sched.yaml", "--profiling=false", "--leader-elect-resource-name=b", "--kube-api-qps=7"},
                  "leaderElection: {resourceName: a, leaderElect: true}\n");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->config.config.leader_election.resource_name, "b");
  EXPECT_TRUE(settings->config.config.enable_profiling);
  EXPECT_FALSE(settings->limit);
  EXPECT_EQ(settings->warnings, (Texts{"Flag --profiling is ignored because of --config",
                                       "Flag --kube-api-qps is ignored because of --config"}));
}

TEST(Settings, SayThatNoOtherVersionIsEmulatedWhereThatMatters) {
  const auto refused = settings_of({"--emulated-version=1.33", "--feature-gates=SchedulerQueueingHints=false"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().front().message(),
            "--feature-gates: cannot set feature gate SchedulerQueueingHints to false, feature is locked to true "
            "(--emulated-version has no effect: feature gates and their defaults are those of v1.36.3)");
  EXPECT_TRUE(settings_of({"--emulated-version=1.33"})) << "accepted, with a warning that it has no effect";
}

TEST(Settings, LimitRequestsOnlyIfTheUserAsksForIt) {
  EXPECT_FALSE(settings_of({})->limit);
  EXPECT_FALSE(settings_of({"--config=sched.yaml"})->limit);
  EXPECT_FALSE(settings_of({"--config=sched.yaml"}, "clientConnection: {qps: 0}\n")->limit);
  EXPECT_FALSE(settings_of({"--config=sched.yaml"}, "clientConnection: {qps: -1}\n")->limit);
  const auto file = settings_of({"--config=sched.yaml"}, "clientConnection: {qps: 50}\n");
  ASSERT_TRUE(file->limit);
  EXPECT_EQ(file->limit->per_second, 50);
  EXPECT_EQ(file->limit->burst, 100);
  const auto flag = settings_of({"--kube-api-qps=20", "--kube-api-burst=30"});
  ASSERT_TRUE(flag->limit);
  EXPECT_EQ(flag->limit->per_second, 20);
  EXPECT_EQ(flag->limit->burst, 30);
}

TEST(Settings, TakeTheKubeconfigOfTheFileFirst) {
  EXPECT_EQ(
      settings_of({"--config=sched.yaml", "--kubeconfig=flag"}, "clientConnection: {kubeconfig: file}\n")->kubeconfig,
      "file");
  EXPECT_EQ(settings_of({"--config=sched.yaml", "--kubeconfig=flag"})->kubeconfig, "flag");
  EXPECT_EQ(settings_of({})->kubeconfig, "");
}

Texts wrong(const Texts& words, const std::string& file = "") {
  const auto settings = settings_of(words, file);
  Texts texts;
  if (!settings) {
    for (const Error& error : settings.error()) texts.push_back(error.message());
  }
  return texts;
}

TEST(Settings, OfAnElectionThatCannotWorkAreRefusedUnlessOnlyWritten) {
  EXPECT_EQ(wrong({"--leader-elect-retry-period=9s"}),
            (Texts{"leaderElection.renewDeadline: renewDeadline 10s must be greater than retryPeriod*JitterFactor, "
                   "which is 10.8s (raise it, or lower retryPeriod; the flags are --leader-elect-renew-deadline and "
                   "--leader-elect-retry-period)"}));
  EXPECT_EQ(wrong({"--leader-elect-retry-period=12s"}).size(), 1u);
  EXPECT_EQ(wrong({"--leader-elect-renew-deadline=2s"}).size(), 1u);
  EXPECT_EQ(wrong({"--leader-elect-renew-deadline=2400ms"}).size(), 1u);  // as long as the longest wait
  EXPECT_EQ(wrong({"--config=sched.yaml"}, "leaderElection: {renewDeadline: 1s, retryPeriod: 2s}\n").size(), 1u);

  EXPECT_EQ(wrong({"--leader-elect-renew-deadline=2401ms"}), Texts());
  EXPECT_EQ(wrong({"--leader-elect-retry-period=12s", "--leader-elect=false"}), Texts());
  EXPECT_EQ(wrong({"--leader-elect-retry-period=12s", "--write-config-to=f"}), Texts());
}

TEST(Settings, LookIntoAManifestOfMetricLabels) {
  const auto with = [](const std::string& manifest) {
    const auto settings = make_settings(read({"--allow-metric-labels-manifest=m.yaml"}),
                                        [&](const std::string&) -> Result<std::string> { return manifest; });
    return settings ? "" : settings.error()[0].message();
  };
  EXPECT_EQ(with("\"a,b\": c,d\n"), "");
  EXPECT_EQ(with("a: b\n"), R"(--allow-metric-labels-manifest: m.yaml: "a" must have the form METRIC,LABEL)");
  EXPECT_NE(with("\"a,b\": [c]\n"), "");
  EXPECT_NE(with("- a\n"), "");
  EXPECT_NE(with("a: ["), "");
  EXPECT_EQ(wrong({"--allow-metric-labels-manifest=nope"}),
            (Texts{"--allow-metric-labels-manifest: nope: no such file"}));
  EXPECT_EQ(wrong({"--allow-metric-labels-manifest=sched.yaml", "--allow-metric-labels=a,b=c"}).size(), 1u);
}

TEST(Settings, ThatAreWrongAreAllReported) {
  EXPECT_EQ(wrong({"--config=other.yaml"}), (Texts{"cannot read --config: other.yaml: no such file"}));
  EXPECT_EQ(wrong({"--config=sched.yaml"}, "paralelism: 3\n"),
            (Texts{R"(sched.yaml:3: unknown field "paralelism" (did you mean parallelism?))"}));
  EXPECT_EQ(wrong({"--leader-elect-lease-duration=1s"}).size(), 1u);  // less than the deadline for renewing
  EXPECT_EQ(wrong({"--feature-gates=NoSuchGate=true"}).size(), 1u);
  EXPECT_EQ(wrong({"--disabled-metrics=a b"}),
            (Texts{R"(--disabled-metrics: "a b" is not the full name of a metric)"}));
  EXPECT_EQ(wrong({"--logging-format=xml", "--tls-cert-file=a"}).size(), 2u);
}

}  // namespace
}  // namespace berth::daemon
