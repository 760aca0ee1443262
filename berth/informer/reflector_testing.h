// What the tests of Reflector share: a reflector of pods at a fake API server, and a sink that writes down what it
// hears. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/codec/protobuf.h"
#include "berth/informer/reflector.h"
#include "berth/informer/testing.h"

namespace berth::informer::testing {

using Texts = std::vector<std::string>;

inline const api::ObjectKind& pods() {
  return api::kind_of<api::Pod>();
}

// What the sink hears, as short lines.
class Heard final : public Sink {
 public:
  void observe_list(const api::ObjectKind& kind, std::vector<api::AnyObject> objects) override {
    Texts names;
    for (const api::AnyObject& object : objects) names.push_back(object.metadata().name);
    std::ranges::sort(names);
    std::string line = "all:";
    for (const std::string& name : names) line += " " + name;
    lines.push_back(line);
    store.observe_list(kind, std::move(objects));
    if (on_call) on_call();
  }
  void observe(api::AnyObject object) override {
    lines.push_back("+" + object.metadata().name);
    store.observe(std::move(object));
    if (on_call) on_call();
  }
  void observe_deleted(api::AnyObject object) override {
    lines.push_back("-" + object.metadata().name);
    store.observe_deleted(std::move(object));
    if (on_call) on_call();
  }
  Texts take() { return std::exchange(lines, {}); }

  Texts lines;
  ObjectStore store;
  std::function<void()> on_call;
};

class ReflectorTest : public ::testing::Test {
 protected:
  Reflector& start(ReflectorOptions options = {}) {
    options.log = [this](const LogLine& line) { log.push_back(fmt::format("{} {}", line.message, line.error)); };
    reflector = std::make_unique<Reflector>(pods(), loop, server, heard, Rng(7), std::move(options));
    reflector->start();
    return *reflector;
  }
  Reflector& start_synced(ReflectorOptions options = {}) {
    start(std::move(options));
    advance(1);
    EXPECT_TRUE(reflector->is_synced());
    heard.take();
    return *reflector;
  }
  void advance(std::int64_t seconds) { loop.advance(Duration::seconds(seconds)); }
  // Requests since the last call.
  Texts requests() {
    const Texts& all = server.log();
    Texts fresh(all.begin() + static_cast<std::ptrdiff_t>(requests_seen_), all.end());
    requests_seen_ = all.size();
    return fresh;
  }
  void expect_same_as_server() {
    const auto truth = server.list(pods());
    EXPECT_EQ(heard.store.differences(pods(), truth), Texts());
  }
  std::size_t logged(std::string_view text) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(log, [&](const std::string& line) { return line.find(text) != std::string::npos; }));
  }

  client::FakeLoop loop;
  FakeApiServer server{loop, Rng(1)};
  Heard heard;
  Texts log;
  std::unique_ptr<Reflector> reflector;

 private:
  std::size_t requests_seen_ = 0;
};

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline api::ObjectList list_at(std::string_view resource_version) {
  api::ObjectList list;
  list.metadata.resource_version = resource_version;
  return list;
}

// A frame whose object is not one: wire type 7 does not exist.
inline std::string unreadable_frame() {
  std::string frame = codec::watch_event_to_protobuf_frame(
      {codec::WatchEvent::Type::kAdded, api::AnyObject(std::make_shared<const api::Pod>(pod("broken")))});
  const std::size_t at = frame.find("broken");
  frame.replace(at - 2, 2, "\x0f\x0f");
  return frame;
}

}  // namespace berth::informer::testing
