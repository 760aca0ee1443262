#include "berth/daemon/log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "berth/codec/json.h"

namespace berth::daemon {
namespace {

class TextSink final : public LogSink {
 public:
  void write(std::string_view lines) override { text += lines; }
  void flush() override { ++flushes; }

  std::string text;
  int flushes = 0;
};

// 2024-11-16 08:04:07.123456789 UTC
constexpr Instant kNow = Instant::from_unix_nanoseconds(1'731'744'247'123'456'789);

struct Fixture {
  explicit Fixture(LogFormat format = LogFormat::kText, int verbosity = 2, std::vector<LogModule> modules = {})
      : log(
            {.format = format, .verbosity = verbosity, .modules = std::move(modules), .process_id = 12345},
            [] { return kNow; }, sink) {}

  // The line written since the last call, without the header.
  std::string body() {
    const std::size_t begin = sink.text.find("] ");
    std::string result = begin == std::string::npos ? sink.text : sink.text.substr(begin + 2);
    sink.text.clear();
    return result;
  }

  TextSink sink;
  Log log;
};

TEST(Log, WritesALineAsKlogDoes) {
  Fixture f;
  const auto where = std::source_location::current();
  f.log.info(2, "Pod is bound", {{"pod", LogObject("default", "web")}, {"attempts", 3}}, where);
  EXPECT_EQ(f.sink.text, fmt::format("I1116 08:04:07.123456   12345 log_test.cc:{}] \"Pod is bound\" "
                                     "pod=\"default/web\" attempts=3\n",
                                     where.line()));
}

TEST(Log, NamesTheSeverityByItsFirstLetter) {
  Fixture f;
  f.log.info(0, "a");
  f.log.warning("b");
  f.log.error("c");
  std::string letters;
  for (std::size_t at = 0; at < f.sink.text.size(); at = f.sink.text.find('\n', at) + 1) letters += f.sink.text[at];
  EXPECT_EQ(letters, "IWE");
}

TEST(Log, WritesALineAsComponentBaseDoesInJson) {
  Fixture f(LogFormat::kJson);
  const auto where = std::source_location::current();
  f.log.info(2, "Pod is bound", {{"pod", LogObject("default", "web")}, {"node", "n1"}, {"attempts", 3}}, where);
  EXPECT_EQ(f.sink.text,
            fmt::format(R"({{"ts":1731744247123.4568,"caller":"daemon/log_test.cc:{}","msg":"Pod is bound","v":2,)"
                        R"("pod":{{"name":"web","namespace":"default"}},"node":"n1","attempts":3}})"
                        "\n",
                        where.line()));
}

TEST(Log, LeavesOutTheLevelOfAnErrorInJson) {
  Fixture f(LogFormat::kJson);
  f.log.error("Failed to bind", {{"err", "refused"}});
  EXPECT_TRUE(f.sink.text.ends_with(R"("msg":"Failed to bind","err":"refused"})"
                                    "\n"))
      << f.sink.text;
}

TEST(Log, FormatsEachKindOfValue) {
  struct Case {
    LogValue value;
    std::string_view text;
    std::string_view json;
  };
  const std::string made = "made";
  const Case cases[] = {
      {"plain", R"("plain")", R"("plain")"},
      {made, R"("made")", R"("made")"},
      {Symbol("interned"), R"("interned")", R"("interned")"},
      {"say \"hi\"\\", R"("say \"hi\"\\")", R"("say \"hi\"\\")"},
      {"tab\tbell\a", R"("tab\tbell\a")", R"("tab\tbell\u0007")"},
      {"caf\u00e9 <&>", "\"caf\u00e9 <&>\"", "\"caf\u00e9 <&>\""},
      {"cut \xc3", R"("cut \xc3")", R"("cut \ufffd")"},
      {"one\ntwo", "<\n\tone\n\ttwo\n >", R"("one\ntwo")"},
      {"one\n\ntwo\n", "<\n\tone\n\t\n\ttwo\n >", R"("one\n\ntwo\n")"},
      {-7, "-7", "-7"},
      {std::numeric_limits<std::uint64_t>::max(), "18446744073709551615", "18446744073709551615"},
      {0.25, "0.25", "0.25"},
      {std::numeric_limits<double>::infinity(), R"("+Inf")", R"("+Inf")"},
      {true, "true", "true"},
      {Duration::milliseconds(1500), R"("1.5s")", R"("1.5s")"},
      {kNow, R"("2024-11-16T08:04:07.123456789Z")", R"("2024-11-16T08:04:07.123456789Z")"},
      {LogObject("", "node-1"), R"("node-1")", R"({"name":"node-1"})"},
      {Error("refused").in("spec"), R"("spec: refused")", R"("spec: refused")"},
  };
  for (const Case& c : cases) {
    Fixture text;
    text.log.info(0, "m", {{"key", c.value}});
    EXPECT_EQ(text.body(), fmt::format("\"m\" key={}\n", c.text));
    Fixture json(LogFormat::kJson);
    json.log.info(0, "m", {{"key", c.value}});
    EXPECT_TRUE(json.sink.text.ends_with(fmt::format("\"key\":{}}}\n", c.json))) << json.sink.text;
  }
}

TEST(Log, QuotesTheMessageEvenOverSeveralLines) {
  Fixture f;
  f.log.info(0, "one\ntwo");
  EXPECT_EQ(f.body(), "\"one\\ntwo\"\n");
}

TEST(Log, LeavesOutWhatIsBelowTheLevel) {
  Fixture f(LogFormat::kText, 2);
  f.log.info(3, "detail");
  EXPECT_EQ(f.sink.text, "");
  EXPECT_FALSE(f.log.is_on(3));
  f.log.set_verbosity(3);
  f.log.info(3, "detail");
  EXPECT_EQ(f.body(), "\"detail\"\n");
}

TEST(Log, RaisesTheLevelForFilesThatMatch) {
  struct Case {
    std::string_view modules;
    bool is_on;
  };
  const Case cases[] = {
      {"log_test=4", true},  {"log_test=3", false},        {"log*=4", true},
      {"lo?_test=5", true},  {"[k-m]og_test=4", true},     {"other=9,log_*=4", true},
      {"log_test=0", false}, {"log_test=1,log*=9", false}, {"log=9", false},
  };
  for (const Case& c : cases) {
    const auto modules = parse_log_modules(c.modules);
    ASSERT_TRUE(modules.has_value()) << c.modules;
    Fixture f(LogFormat::kText, 0, *modules);
    EXPECT_EQ(f.log.is_on(4), c.is_on) << c.modules;
  }
}

TEST(Log, NeverLowersTheLevelForAFile) {
  Fixture f(LogFormat::kText, 5, {{.pattern = "log_test", .level = 1}});
  EXPECT_TRUE(f.log.is_on(5));
}

TEST(Log, RefusesModulesThatMakeNoSense) {
  EXPECT_TRUE(parse_log_modules("")->empty());
  EXPECT_EQ(parse_log_modules("a=1,,b=2,")->size(), 2u);
  for (const std::string_view bad : {"a", "=1", "a=", "a=x", "a=1=2", "a=99999999999"}) {
    const auto parsed = parse_log_modules(bad);
    ASSERT_FALSE(parsed.has_value()) << bad;
    EXPECT_EQ(parsed.error().what(), "syntax error: expect comma-separated list of filename=N");
  }
  EXPECT_EQ(parse_log_modules("a=-1").error().what(), "negative value for vmodule level");
}

TEST(Log, KnowsTwoFormats) {
  EXPECT_EQ(*parse_log_format("text"), LogFormat::kText);
  EXPECT_EQ(*parse_log_format("json"), LogFormat::kJson);
  EXPECT_FALSE(parse_log_format("xml").has_value());
}

TEST(Log, SendsErrorsElsewhereWhenToldTo) {
  TextSink out;
  TextSink errors;
  Log log({}, [] { return kNow; }, out, &errors);
  log.info(0, "fine");
  log.warning("odd");
  log.error("broken");
  log.flush();
  EXPECT_NE(out.text.find("\"odd\""), std::string::npos);
  EXPECT_EQ(out.text.find("\"broken\""), std::string::npos);
  EXPECT_NE(errors.text.find("\"broken\""), std::string::npos);
  EXPECT_EQ(out.flushes + errors.flushes, 2);
}

TEST(Log, KeepsLinesOfSeveralThreadsApart) {
  constexpr int kThreads = 4;
  constexpr int kLines = 500;
  Fixture f(LogFormat::kJson);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&f, t] {
      for (int i = 0; i < kLines; ++i) f.log.info(1, "line", {{"thread", t}, {"number", i}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  int lines = 0;
  for (std::size_t at = 0; at < f.sink.text.size(); ++lines) {
    const std::size_t end = f.sink.text.find('\n', at);
    const std::string_view line = std::string_view(f.sink.text).substr(at, end - at);
    ASSERT_TRUE(codec::from_json<api::RawJson>(line).has_value()) << line;
    at = end + 1;
  }
  EXPECT_EQ(lines, kThreads * kLines);
}

TEST(FdLogSink, WritesToTheDescriptor) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  FdLogSink(ends[1]).write("a line\n");
  char read[16];
  EXPECT_EQ(std::string_view(read, static_cast<std::size_t>(::read(ends[0], read, sizeof(read)))), "a line\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(FdLogSink, SurvivesAClosedDescriptor) {
  FdLogSink(-1).write("nobody reads this\n");
}

}  // namespace
}  // namespace berth::daemon
