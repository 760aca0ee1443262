// From text to statements: what is wrong is said with its place, and what is right can be printed again.
#include <gtest/gtest.h>

#include "berth/scenario/quirk_names.h"
#include "berth/scenario/scenario.h"
#include "berth/scenario/statements.h"

namespace berth::scenario {
namespace {

// The first mistake, without the file.
std::string mistake_in(std::string_view text) {
  const auto scenario = parse(text, {.file = "t", .read = [](const std::string&) -> Result<std::string> {
                                       return fail("No such file or directory");
                                     }});
  return scenario ? "nothing" : scenario.error().front().message();
}

struct Wrong {
  std::string_view text;
  std::string_view message;
};

class ParseMistake : public testing::TestWithParam<Wrong> {};

TEST_P(ParseMistake, IsNamedWithItsPlace) {
  EXPECT_EQ(mistake_in(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Statements, ParseMistake,
    testing::ValuesIn(std::vector<Wrong>{
        {"nod n1",
         "t:1:1: expected a statement such as node, pod, run or expect, found \"nod\" (did you mean "
         "\"node\"?)"},
        {"node", "t:1:5: expected a name for the node, found the end of the line"},
        {"node n1 cup=2", "t:1:9: there is no field \"cup\" here (did you mean \"cpu\"?)"},
        {"node n1 cpu=two", "t:1:13: expected an amount such as 2, 500m or 8Gi, found \"two\""},
        {"node n1 cpu", "t:1:9: \"cpu\" needs a value (cpu=AMOUNT)"},
        {"node n1 unschedulable=yes", "t:1:9: \"unschedulable\" takes no value"},
        {"node n1 taint=gpu",
         "t:1:15: expected a taint such as gpu=true:NoSchedule (or PreferNoSchedule, NoExecute), "
         "found \"gpu\""},
        {"nodes many n", "t:1:7: expected how many nodes, found \"many\""},
        {"pod p runs=fast", "t:1:12: expected a duration such as 30s, 1h30m or 2d, found \"fast\""},
        {"pod p namespaces=a", "t:1:18: expected near=, away=, prefers-near= or prefers-away= before it, found \"a\""},
        {"pod p near=app=web@", "t:1:12: expected zone, region, node or a label's name, found \"app=web@\""},
        {"pod p spread=zone:0", "t:1:14: expected the greatest skew, at least 1, after the colon, found \"zone:0\""},
        {"pod p preemption=maybe", "t:1:18: expected never or lower, found \"maybe\""},
        {"pdb b min-available=many", "t:1:21: expected a number such as 2 or a percentage such as 50%, found \"many\""},
        {"apply missing.yaml", "t:1:7: cannot read missing.yaml: No such file or directory"},
        {"config missing.yaml", "t:1:8: cannot read missing.yaml: No such file or directory"},
        {"quirks upsteam",
         "t:1:8: expected \"upstream\" or the name of a quirk, found \"upsteam\" (did you mean "
         "\"upstream\"?)"},
        {"compatibility v1.2",
         "t:1:15: expected a release of kube-scheduler: v1.17, v1.20, v1.28 or v1.36, found "
         "\"v1.2\""},
        {"node n1\nseed 4",
         "t:2:1: \"seed\" has to stand before the first statement that does something (that is in "
         "line 1)"},
        {"delete pdo p",
         "t:1:8: expected a kind of object such as pod, node or deployment, found \"pdo\" (did you mean "
         "\"pod\"?)"},
        {"scale job j 3", "t:1:7: expected deployment, replicaset or statefulset, found \"job\""},
        {"label node n1 disk", "t:1:15: expected a label such as disk=ssd, found \"disk\""},
        {"taint n1 gpu:NoSchedule", "t:1:7: expected \"node\", found \"n1\""},
        {"crash node", "t:1:7: expected \"scheduler\", found \"node\""},
        {"run", "t:1:4: expected a duration such as 30s, or \"until\", found the end of the line"},
        {"run 5s more", "t:1:8: expected the end of the line, found \"more\""},
        {"run until", "t:1:10: expected a time such as 45s, \"idle\" or a condition, found the end of the line"},
        {"run until idel",
         "t:1:11: expected a time such as 45s, \"idle\" or a condition, found \"idel\" (did you mean \"idle\"?)"},
        {"run until 45s within 5s", "t:1:11: \"within\" is for a condition or \"idle\", not for a time"},
        {"run until idle within soon", "t:1:23: expected a duration such as 30s, 1h30m or 2d, found \"soon\""},
        {"at noon pod p", "t:1:4: expected a duration such as 30s, 1h30m or 2d, found \"noon\""},
        {"at 5s", "t:1:6: expected a statement, found the end of the line"},
        {"at 5s run 3s", "t:1:7: \"run\" cannot have a time of its own"},
        {"at 5s seed 3", "t:1:7: \"seed\" cannot have a time of its own"},
        {"at 5s expect within 3s pod p bound",
         "t:1:7: an expectation at a time of its own cannot have \"within\" or \"for\""},
        {"every 5s pod p", "t:1:10: expected how many times, such as x5, found \"pod\""},
        {"latency bnd 5ms",
         "t:1:9: expected bind, write, watch, attempt, controller, start, provision or termination, "
         "found \"bnd\" (did you mean \"bind\"?)"},
        {"latency bind fast",
         "t:1:14: expected a duration such as 5ms, a range such as 1ms..20ms, or ~MEAN..MOST, "
         "found \"fast\""},
        {"faults errors=5", "t:1:15: expected a rate such as 5% or 0.1%, found \"5\""},
        {"hold p at filter", "t:1:11: expected \"permit\", found \"filter\""},
        {"reject web-* at permit", "t:1:8: expected the name of a pod, or * alone"},
        {"reject p at permt",
         "t:1:13: expected pre-enqueue, filter, reserve, permit or pre-bind, found \"permt\" (did "
         "you mean \"permit\"?)"},
        {"expect", "t:1:7: expected something to expect: a pod, a node, a number, found the end of the line"},
        {"expect pdo p bound",
         "t:1:8: expected something to expect: a pod, a node, a number, found \"pdo\" (did you "
         "mean \"pod\"?)"},
        {"expect pod p buond",
         "t:1:14: expected a condition on pods such as \"on\", \"bound\" or \"unschedulable\", "
         "found \"buond\" (did you mean \"bound\"?)"},
        {"expect pod p",
         "t:1:13: expected a condition on pods such as \"on\", \"bound\" or \"unschedulable\", found the "
         "end of the line"},
        {"expect pod p attempts 3", "t:1:23: expected a comparison: =, !=, <, <=, > or >=, found \"3\""},
        {"expect pod p attempts>=many", "t:1:24: expected a whole number, found \"many\""},
        {"expect 3 nodes bound", "t:1:10: expected \"pods\", found \"nodes\""},
        {"expect node n1 free cpu > lots", "t:1:27: expected an amount such as 2, 500m or 8Gi, found \"lots\""},
        {"node n1 mem=4Gi", "t:1:9: there is no field \"mem\" here (did you mean \"memory\"?)"},
        {"pod p anti-affinity=app=web", "t:1:7: there is no field \"anti-affinity\" here (did you mean \"away\"?)"},
        {"pod p labels=app=web", "t:1:7: there is no field \"labels\" here (did you mean \"label.KEY\"?)"},
        {"namespace shop team=x",
         "t:1:16: there is no field \"team\" here (a label is written label.team=x; the fields are label.)"},
        {"pod p gpu=1.5", "t:1:11: expected a whole number, found \"1.5\""},
        {"pods 100000000 p", "t:1:6: expected how many pods, from 0 to 10000000, found \"100000000\""},
        {"pods 3 p label.n={n}/x", "t:1:18: expected a label's value (letters, digits, - _ .), found \"1/x\""},
        {"run idle", "t:1:5: expected a duration such as 30s, or \"until\", found \"idle\" (write: run until idle)"},
        {"expect pods bound = 3",
         "t:1:8: expected how many before \"pods\" (such as: 3 pods web-* bound, or >= 3 pods bound)"},
        {"expect pod p scheduled",
         "t:1:14: expected a condition on pods such as \"on\", \"bound\" or \"unschedulable\", found \"scheduled\" "
         "(did you mean \"bound\"?)"},
        {"expect pod p unschedulable by NodeResourceFit",
         "t:1:31: there is no plugin \"NodeResourceFit\" (did you mean \"NodeResourcesFit\"?)"},
        {"expect pod p woken by NodeAdded",
         "t:1:23: expected the label of an event such as AssignedPodDelete or NodeAdd, found \"NodeAdded\" (did you "
         "mean \"NodeAdd\"?)"},
        {"expect node n1 free cpus > 1", "t:1:21: there is no resource \"cpus\" (did you mean \"cpu\"?)"},
        {"apply <<END\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\nEND",
         "t:1:7: there are no objects of a kind that matters here: only v1 Secret in t"},
        {"apply <<END\nkind: Pod\n", "t:1:7: the document that begins here has no end (put a line \"END\" behind it)"},
        {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n",
         "t:1:1: this looks like YAML or JSON of Kubernetes objects, and a scenario has one statement a line (\"apply "
         "FILE\" in a scenario takes them; berth inspect and berth what-if read them alone)"},
        {"node n1\n\xff\xfe", "t:1:1: this is not a text file, and so no scenario"},
        {"pod p \"quoted", "t:1:7: the text that begins here has no end (put a \" behind it)"},
    }));

TEST(Parse, ReportsAllWrongStatements) {
  const auto scenario = parse("node n1 cpu=x\npod ok\nrun soon\nexpect nothing\n", {.file = "all.berth"});
  ASSERT_FALSE(scenario);
  ASSERT_EQ(scenario.error().size(), 3U);
  EXPECT_EQ(scenario.error()[0].where(), "all.berth:1:13");
  EXPECT_EQ(scenario.error()[1].where(), "all.berth:3:5");
  EXPECT_EQ(scenario.error()[2].where(), "all.berth:4:8");
}

TEST(Parse, ReadsFilesBesideTheScenario) {
  std::vector<std::string> read;
  ParseOptions options;
  options.file = "some/folder/s.berth";
  options.read = [&](const std::string& path) -> Result<std::string> {
    read.push_back(path);
    return "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n";
  };
  EXPECT_TRUE(parse("apply nodes.yaml", options));
  EXPECT_EQ(read, std::vector<std::string>{"some/folder/nodes.yaml"});
}

TEST(Parse, NamesTheLineOfAWrongDocument) {
  EXPECT_EQ(mistake_in("node n1\napply <<END\napiVersion: v1\nkind: Pod\nspec: {priority: high}\nEND\n").substr(0, 12),
            "t:2:7: t:5: ");
}

TEST(Parse, ChecksTheConfigurationAsAWhole) {
  const std::string text = R"(config <<END
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 0
END
)";
  const std::string mistake = mistake_in(text);
  EXPECT_NE(mistake.find("t:1:1: "), std::string::npos) << mistake;
  EXPECT_NE(mistake.find("parallelism"), std::string::npos) << mistake;
  EXPECT_NE(mistake_in("config gates=NoSuchGate=true").find("NoSuchGate"), std::string::npos);
}

TEST(Parse, NotesWhatItLeavesOut) {
  const auto scenario = parse(
      "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\","
      "\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"}},{\"apiVersion\":\"v1\",\"kind\":\"Node\","
      "\"metadata\":{\"name\":\"n\"}}]}\nEND\n",
      {.file = "t"});
  ASSERT_TRUE(scenario);
  ASSERT_EQ(scenario->notes.size(), 1U);
  EXPECT_EQ(scenario->notes[0], "t: 1 of kind v1 Secret left out");
}

// One of each, in a form that prints as it is written.
constexpr std::string_view kEverything =
    R"(config backoff=1s..10s unschedulable-timeout=5m gates=SchedulerQueueingHints=true
quirks cleared-nomination-stays works-when-closed
compatibility v1.36
extender requires=disk=ssd prefers=fast manages=example.com/fpga ignorable
seed 42
node n1 cpu=2 memory=8Gi pods=10 gpu=1 example.com/fpga=2 zone=a region=r label.disk=ssd taint=gpu=true:NoSchedule
nodes 3 worker-{n} zones=a,b
pool big count=2 cpu=16 image=nginx@200Mi unschedulable
autoscaler delay=2m expander=least-waste
nodegroup spot max=5 min=0 cpu=4 zones=a,b
pod shop/p cpu=1 memory=1Gi priority=5 class=high preemption=never runs=40s terminates-in=5s fails
pod q label.app=web annotation.note="two words" node-selector.disk=ssd requires=disk=ssd,cores>4 prefers=gpu@50
pod r tolerates=gpu=true:NoSchedule near=app=web@zone namespaces=a,b away=app=r namespace-selector=team=x
pod s prefers-near=app=web@zone@10 prefers-away=app=s spread=zone:1 spread-selector=app=s min-domains=2
pod t spread=node node-affinity-policy=Ignore node-taints-policy=Honor gate=wait port=8080 port=53/UDP claim=data
pods 100 w resource-claim=dev image=nginx namespace=x scheduler=other node=n1 nominated=n1 prefers-spread=zone
deployment web replicas=3 max-surge=1 max-unavailable=25% cpu=1
statefulset db replicas=2 parallel claim-template=data:10Gi:fast
job sum replicas=2 completions=4 runs=1m
replicaset rs replicas=2
daemonset agent cpu=100m
pdb web selector=app=web min-available=50%
priorityclass high value=1000 preemption=lower default
namespace shop label.team=x
service web selector=app=web
storageclass fast wait provisioner=none zones=a,b
storageclass now immediate
pv v1 size=5Gi class=fast modes=rwo,rox zone=a node=n1 claim=shop/data driver=csi.example.com label.a=b
pvc data size=5Gi class=fast modes=rwop volume=v1 selector=a=b
quota small pods=10 requests.cpu=4 limits.memory=8Gi count/jobs.batch=2 scope=NotBestEffort class=high
limitrange limits max.cpu=2 default-request.cpu=100m type=pod max.memory=4Gi
csinode n1 driver=csi.example.com:16 driver=other
delete pod web-* shop/p
scale deployment web 5
set node n1 cpu=4 label.x=y
set pod q label.app=api tolerates=*
label node n1 disk=ssd
unlabel pod q app
label namespace shop team=y
taint node n1 a=b:NoSchedule c:NoExecute
untaint node n1 a c:NoExecute
cordon n1
uncordon n*
drain n1 worker-1
fail-node n1
recover-node n1
ungate t wait
recreate pod q
finish pod q failed
bind pod q to n1
crash scheduler
start scheduler
restart scheduler
latency bind 5ms
latency watch 1ms..20ms
latency attempt ~5ms..1s
faults errors=5% conflicts=1% lost-answers=1% lost-requests=1% doubled-answers=1% lost-watches=1% relist-after=5s
faults reordered-watches=0.5%
faults none
break watch pods
break watch all
clock jump -1h
hold q at permit for 10m
hold q at permit
allow q
delay q at pre-bind 60s
reject q at filter on n1 "no" times 3
reject * at pre-enqueue
fail q at reserve times 1
release q at reserve
release q
run 5s
run until 45s
run until idle
run until idle within 10m
run until pending = 0 within 10m
run until pod q bound
at 30s pod late
after 5s delete pod late
every 10s x5 pod tick-{n} cpu=1
at 1m expect pod late gone
expect pod q on n1,n2 bound not pending not gone not terminating not succeeded not failed
expect pod q unschedulable by NodePorts,Script gated by SchedulingGates in backoff nominated to n1 not nominated
expect pod q woken by NodeAdd not woken flushed preempted attempts >= 2 wake-ups < 3 wasted = 0 evictions = 1
expect pod q waited < 3s message contains "no node" event FailedScheduling contains "0/1" not event Scheduled
expect 5 pods on n1
expect >= 3 pods web-* bound
expect node n1 pods = 3 free cpu >= 500m not tainted a cordoned
expect node n2 gone
expect pvc data bound to v1
expect deployment web cannot create pods contains "exceeded quota"
expect pvc shop/data pending
expect time < 10s
expect invariants
expect attempts <= 10
expect in-flight-events = 0
expect within 10s pod q bound
expect for 10s pod q pending
)";

TEST(Parse, PrintsAScenarioAsItWasWritten) {
  const auto scenario = parse(kEverything);
  if (!scenario) {
    for (const Error& error : scenario.error()) ADD_FAILURE() << error.message();
    return;
  }
  EXPECT_EQ(to_text(*scenario), kEverything);
}

TEST(Parse, TestsEveryStatementWord) {
  const std::string everything = "\n" + std::string(kEverything) + "apply <<END\n";
  for (const StatementSpec& statement : all_statements()) {
    EXPECT_NE(everything.find("\n" + std::string(statement.word) + " "), std::string::npos) << statement.word;
  }
}

TEST(Parse, StopsAfterTwentyMistakes) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "nonsense\n";
  const auto scenario = parse(text, {.file = "t"});
  ASSERT_FALSE(scenario);
  EXPECT_EQ(scenario.error().size(), 21U);
  EXPECT_EQ(scenario.error().back().message(), "t: and 30 more mistakes");
}

TEST(Parse, ReadsWhatOtherEditorsWrite) {
  EXPECT_TRUE(parse("\xEF\xBB\xBFnode n1\r\n\tpod p\r\nrun 1s"));
}

TEST(Parse, ReadsDays) {
  for (const std::string_view text : {"run 2d", "run until 1d12h", "pod p runs=1d"}) {
    EXPECT_TRUE(parse_statement(text)) << text;
  }
  EXPECT_FALSE(parse_statement("run 1.5d"));
  EXPECT_FALSE(parse_statement("run -1d"));
}

TEST(Parse, ReadsComparisonsWithAndWithoutBlanks) {
  for (const std::string_view text : {"expect attempts>=2", "expect attempts >=2", "expect attempts>= 2",
                                      "expect >=2 pods bound", "expect pod p waited<3s", "expect attempts == 2"}) {
    EXPECT_TRUE(parse_statement(text)) << text;
  }
}

TEST(Parse, ReadsOneStatement) {
  const auto statement = parse_statement("pod  p   cpu=1");
  ASSERT_TRUE(statement);
  EXPECT_EQ(to_text(*statement), "pod p cpu=1");
  EXPECT_FALSE(parse_statement("pod p\npod q"));
  EXPECT_FALSE(parse_statement("pdo p"));
}

TEST(QuirkNames, NameEveryQuirkOnce) {
  for (const std::string_view name : quirk_names()) {
    const auto quirks = parse_quirks(name);
    ASSERT_TRUE(quirks) << name;
    EXPECT_EQ(name.find('_'), std::string_view::npos);
  }
  EXPECT_TRUE(parse_quirks("cleared-nomination-stays,works-when-closed")->queue.works_when_closed);
  EXPECT_TRUE(parse_quirks("upstream")->queue.cleared_nomination_stays);
  EXPECT_FALSE(parse_quirks("none")->queue.cleared_nomination_stays);
  const auto wrong = parse_quirks("cleared-nomination-stay");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message(),
            "there is no quirk \"cleared-nomination-stay\" (did you mean \"cleared-nomination-stays\"?)");
}

}  // namespace
}  // namespace berth::scenario
