#include "berth/serve/health.h"

#include <gtest/gtest.h>

namespace berth::serve {

namespace {

class Health : public ::testing::Test {
 protected:
  Health() {
    add_health(routes_, "/livez", {}, counts_);
    add_health(routes_, "/readyz",
               {{"shutdown", [] { return std::optional<std::string>(); }},
                {"sched-handler-sync",
                 [this] {
                   return is_synced_ ? std::nullopt : std::optional<std::string>("handlers are not fully synchronized");
                 }}},
               counts_);
  }

  Reply get(std::string path, std::string_view query = "") {
    Call call;
    call.method = "GET";
    call.path = std::move(path);
    call.query = parse_query(query);
    return routes_(call);
  }

  bool is_synced_ = true;
  Routes routes_;
  std::shared_ptr<HealthCounts> counts_ = std::make_shared<HealthCounts>();
};

TEST_F(Health, SaysOkWhenAllIsWell) {
  EXPECT_EQ(get("/livez").body, "ok");
  EXPECT_EQ(get("/livez/ping").body, "ok");
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_EQ(get("/readyz", "verbose").body, "[+]shutdown ok\n[+]sched-handler-sync ok\nreadyz check passed\n");
  EXPECT_EQ(get("/readyz/nothing").status, 404);
}

TEST_F(Health, WithholdsTheReasonFromTheSum) {
  is_synced_ = false;
  const Reply sum = get("/readyz");
  EXPECT_EQ(sum.status, 500);
  EXPECT_EQ(sum.body, "[+]shutdown ok\n[-]sched-handler-sync failed: reason withheld\nreadyz check failed\n");
  const Reply one = get("/readyz/sched-handler-sync");
  EXPECT_EQ(one.status, 500);
  EXPECT_EQ(one.body, "internal server error: handlers are not fully synchronized\n");
}

TEST_F(Health, LeavesOutChecks) {
  is_synced_ = false;
  EXPECT_EQ(get("/readyz", "exclude=sched-handler-sync").body, "ok");
  EXPECT_EQ(get("/readyz", "verbose&exclude=sched-handler-sync&exclude=x").body,
            "[+]shutdown ok\n[+]sched-handler-sync excluded: ok\n"
            "warn: some health checks cannot be excluded: no matches for \"x\"\nreadyz check passed\n");
}

TEST_F(Health, CountsWhatItFound) {
  (void)get("/readyz");
  is_synced_ = false;
  (void)get("/readyz");
  const auto counts = counts_->all();
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0].name, "sched-handler-sync");
  EXPECT_EQ(counts[0].type, "readyz");
  EXPECT_EQ(counts[0].successes, 1u);
  EXPECT_EQ(counts[0].errors, 1u);
  EXPECT_FALSE(counts[0].is_well);
  EXPECT_TRUE(counts[1].is_well);
}

TEST_F(Health, AnswersEveryMethod) {
  for (const char* method : {"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    for (const char* path : {"/livez", "/livez/ping", "/readyz", "/readyz/shutdown"}) {
      Call call;
      call.method = method;
      call.path = path;
      const Reply reply = routes_(call);
      EXPECT_EQ(reply.status, 200) << method << " " << path;
      EXPECT_EQ(reply.body, "ok") << method << " " << path;
    }
  }
}

}  // namespace

}  // namespace berth::serve
