#include "berth/serve/compression.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/client/inflater.h"

namespace berth::serve {

namespace {

bool prefers(std::string_view accept_encoding) {
  const std::string_view values[] = {accept_encoding};
  return prefers_gzip(values);
}

std::string unpacked(std::string_view packed) {
  client::Inflater inflater;
  std::string text;
  EXPECT_TRUE(inflater.unpack(packed, text, 10'000'000));
  EXPECT_TRUE(inflater.is_complete());
  return text;
}

Call asking(std::string accept_encoding) {
  Call call;
  call.method = "GET";
  call.headers.push_back({"accept-encoding", std::move(accept_encoding)});
  return call;
}

TEST(Compression, IsForThoseWhoAskForIt) {
  EXPECT_TRUE(prefers("gzip"));
  EXPECT_TRUE(prefers("deflate, GZIP;q=0.5 , br"));
  EXPECT_TRUE(prefers("gzip;q=0.8, identity;q=0.5"));
  EXPECT_TRUE(prefers("gzip, *;q=0"));
  EXPECT_FALSE(prefers(""));
  EXPECT_FALSE(prefers("zstd"));
  EXPECT_FALSE(prefers("xgzip"));
  EXPECT_FALSE(prefers("*")) << "takes both: plain comes first";
  EXPECT_FALSE(prefers("identity, gzip;q=0.5"));
}

TEST(Compression, IsNotForThoseWhoRefuseIt) {
  EXPECT_FALSE(prefers("gzip;q=0"));
  EXPECT_FALSE(prefers("gzip; q=0.000"));
  EXPECT_FALSE(prefers("gzip;q=x"));
}

TEST(Compression, CountsEveryHeaderOfThatName) {
  const std::string_view values[] = {"br", "gzip"};
  EXPECT_TRUE(prefers_gzip(values));
}

TEST(Compression, PacksWhatCanBeUnpacked) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "scheduler_pending_pods{queue=\"active\"} " + std::to_string(i) + "\n";
  const std::string packed = gzipped(text);
  EXPECT_LT(packed.size(), text.size() / 5);
  EXPECT_EQ(unpacked(packed), text);
  EXPECT_EQ(unpacked(gzipped("")), "");
}

TEST(Compression, SaysThatAnAnswerIsPacked) {
  const Handler handler = compressed([](const Call&) { return Reply::text("numbers"); });
  const Reply packed = handler(asking("gzip"));
  EXPECT_EQ(unpacked(packed.body), "numbers");
  EXPECT_TRUE(std::ranges::any_of(packed.headers, [](const client::Header& header) {
    return header.name == "Content-Encoding" && header.value == "gzip";
  }));
  const Reply plain = handler(asking("gzip;q=0"));
  EXPECT_EQ(plain.body, "numbers");
  EXPECT_TRUE(plain.headers.empty());
}

TEST(Compression, LeavesErrorsPlain) {
  const Handler handler = compressed([](const Call&) { return Reply::error(503, "stopping"); });
  EXPECT_EQ(handler(asking("gzip")).body, "stopping\n");
}

}  // namespace

}  // namespace berth::serve
