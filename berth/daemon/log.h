// Structured logs as Kubernetes components write them: a constant message and named values, as klog's text or as
// component-base's JSON, so that what people have for reading kube-scheduler's logs reads Berth's.
//
//   log.info(2, "Pod is bound", {{"pod", LogObject{ns, name}}, {"node", node}});
//
//   I1116 08:04:07.123456   12345 binder.cc:77] "Pod is bound" pod="default/web" node="node-7"
//   {"ts":1763280247123.456,"caller":"daemon/binder.cc:77","msg":"Pod is bound","v":2,"pod":{...},"node":"node-7"}
//
// A message below the level costs a comparison; values are views and are formatted only when they are written. Where
// making a value costs something by itself, ask is_on() first. There is no global log: whoever logs is given a Log&.
// Time and destination are parameters. Times are UTC, also where klog would use the local zone.
//
// Thread safe; a line is written whole.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"

namespace berth::daemon {

// An object of the API by name: "namespace/name" in text, {"name":...,"namespace":...} in JSON. The namespace may be
// empty. Views only.
struct LogObject {
  std::string_view name_space;
  std::string_view name;

  LogObject(std::string_view object_name_space, std::string_view object_name)
      : name_space(object_name_space), name(object_name) {}
  LogObject(Symbol object_name_space, std::string_view object_name)
      : name_space(object_name_space.text()), name(object_name) {}
};

// What can be logged. It refers to texts and does not copy them: it is made in the call that logs.
class LogValue {
 public:
  using Variant = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool, Duration, Instant,
                               LogObject, std::string>;

  LogValue(const char* text) : value_(std::string_view(text)) {}
  LogValue(std::string_view text) : value_(text) {}
  LogValue(const std::string& text) : value_(std::string_view(text)) {}
  LogValue(Symbol symbol) : value_(symbol.text()) {}
  LogValue(const Error& error) : value_(error.message()) {}
  LogValue(bool value) : value_(value) {}
  LogValue(double value) : value_(value) {}
  LogValue(std::signed_integral auto value) : value_(static_cast<std::int64_t>(value)) {}
  LogValue(std::unsigned_integral auto value) : value_(static_cast<std::uint64_t>(value)) {}
  LogValue(Duration value) : value_(value) {}
  LogValue(Instant value) : value_(value) {}
  LogValue(LogObject object) : value_(object) {}

  const Variant& get() const { return value_; }

 private:
  Variant value_;
};

// Keys are words without spaces or quotes: "pod", "nodesEvaluated".
struct LogField {
  std::string_view key;
  LogValue value;
};

// Where lines go. Called by one thread at a time.
class LogSink {
 public:
  virtual ~LogSink() = default;
  // One or more lines, each with its line break.
  virtual void write(std::string_view lines) = 0;
  virtual void flush() {}
};

// An open file descriptor, which it does not own; unbuffered, so that the last words of a process that dies are there.
// What cannot be written is lost: there is no other place to say so.
class FdLogSink final : public LogSink {
 public:
  explicit FdLogSink(int fd) : fd_(fd) {}
  void write(std::string_view lines) override;

 private:
  int fd_;
};

enum class LogFormat : std::uint8_t { kText, kJson };
// "text" or "json".
Result<LogFormat> parse_log_format(std::string_view text);

enum class LogSeverity : std::uint8_t { kInfo, kWarning, kError };

// A level for the files whose name, without folder and ending, matches the pattern (with *, ? and [a-z]).
struct LogModule {
  std::string pattern;
  int level = 0;
};
// The value of --vmodule: "queue=5,bind*=4", with klog's errors.
Result<std::vector<LogModule>> parse_log_modules(std::string_view text);

struct LogOptions {
  LogFormat format = LogFormat::kText;
  int verbosity = 0;
  std::vector<LogModule> modules;
  int process_id = 0;
};

class Log {
 public:
  // Gives the time of day; called by the thread that logs.
  using Clock = std::function<Instant()>;

  // Errors go to `error_sink` if there is one (--log-text-split-stream); all else goes to `sink`. Both outlive this.
  Log(LogOptions options, Clock clock, LogSink& sink, LogSink* error_sink = nullptr);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool is_on(int level, const std::source_location& where = std::source_location::current()) const {
    return level <= verbosity_.load(std::memory_order_relaxed) || (!modules_.empty() && is_on_for_module(level, where));
  }

  // Level 0 is always written, 1 for the operator, 2 for the steady state (the level most clusters run at), 3 and more
  // for those who look for a fault.
  void info(int level, std::string_view message, std::initializer_list<LogField> fields = {},
            const std::source_location& where = std::source_location::current()) {
    if (is_on(level, where)) write(LogSeverity::kInfo, level, message, fields, where);
  }
  void warning(std::string_view message, std::initializer_list<LogField> fields = {},
               const std::source_location& where = std::source_location::current()) {
    write(LogSeverity::kWarning, 0, message, fields, where);
  }
  // The cause goes first, as field "err".
  void error(std::string_view message, std::initializer_list<LogField> fields = {},
             const std::source_location& where = std::source_location::current()) {
    write(LogSeverity::kError, 0, message, fields, where);
  }

  // Writes whatever the level. For fields whose number is known only at run time.
  void write(LogSeverity severity, int level, std::string_view message, std::span<const LogField> fields,
             const std::source_location& where);

  void flush();

  // For PUT /debug/flags/v; from any thread.
  int verbosity() const { return verbosity_.load(std::memory_order_relaxed); }
  void set_verbosity(int level) { verbosity_.store(level, std::memory_order_relaxed); }

 private:
  bool is_on_for_module(int level, const std::source_location& where) const;

  const LogFormat format_;
  const std::vector<LogModule> modules_;
  const int process_id_;
  const Clock clock_;
  std::atomic<int> verbosity_;

  std::mutex mutex_;  // of the sinks
  LogSink& sink_;
  LogSink* const error_sink_;
};

}  // namespace berth::daemon
