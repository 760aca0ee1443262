#include "berth/daemon/log.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "berth/api/names.h"
#include "berth/base/overloaded.h"
#include "berth/base/utf8.h"

namespace berth::daemon {
namespace {

// A line is put together here, mostly without asking for memory.
using Buffer = fmt::memory_buffer;

void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// "daemon/log.cc": the name with the folder it is in, as zap names a caller.
std::string_view name_with_folder(std::string_view path) {
  const std::size_t last = path.rfind('/');
  if (last == std::string_view::npos || last == 0) return path;
  return path.substr(path.rfind('/', last - 1) + 1);
}

std::string_view module_of(std::string_view path) {
  const std::string_view file = base_name(path);
  return file.substr(0, file.rfind('.'));
}

// The shortest digits that read back the same, never with an exponent.
void append_fixed(Buffer& out, double value) {
  char digits[400];  // the largest double has 309 before the point, the smallest 324 zeros after it and its digits
  const auto end = std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::fixed);
  append(out, std::string_view(digits, end.ptr));
}

void append_double(Buffer& out, double value) {
  // JSON has no words for these.
  if (std::isnan(value)) return append(out, R"("NaN")");
  if (std::isinf(value)) return append(out, value > 0 ? R"("+Inf")" : R"("-Inf")");
  append_fixed(out, value);
}

// With zap's escapes, which are fewer than those of Go's own JSON.
void append_json_string(Buffer& out, std::string_view text) {
  out.push_back('"');
  const auto append_valid = [&](std::string_view valid) {
    for (const char c : valid) {
      switch (c) {
        case '"': append(out, "\\\""); break;
        case '\\': append(out, "\\\\"); break;
        case '\n': append(out, "\\n"); break;
        case '\r': append(out, "\\r"); break;
        case '\t': append(out, "\\t"); break;
        default:
          if (static_cast<unsigned char>(c) < 0x20) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
          } else {
            out.push_back(c);
          }
      }
    }
  };
  while (const auto bad = first_invalid_utf8(text)) {
    append_valid(text.substr(0, *bad));
    append(out, "\\ufffd");
    text.remove_prefix(*bad + 1);
  }
  append_valid(text);
  out.push_back('"');
}

// klog shows a text of several lines as it is, each line after a tab.
void append_text_lines(Buffer& out, std::string_view text) {
  append(out, "<\n");
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back('\t');
    append(out, text.substr(0, end));
    out.push_back('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  append(out, " >");
}

void append_text_string(Buffer& out, std::string_view text) {
  if (text.find('\n') != std::string_view::npos) return append_text_lines(out, text);
  append(out, api::quoted(text));
}

// The values that look alike in both formats.
void append_plain(Buffer& out, std::int64_t value) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}
void append_plain(Buffer& out, std::uint64_t value) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}
void append_plain(Buffer& out, bool value) {
  append(out, value ? "true" : "false");
}
void append_plain(Buffer& out, double value) {
  append_double(out, value);
}

void append_text_value(Buffer& out, const LogValue& value) {
  std::visit(Overloaded{
                 [&](std::string_view text) { append_text_string(out, text); },
                 [&](const std::string& text) { append_text_string(out, text); },
                 [&](Duration duration) { append_text_string(out, duration.str()); },
                 [&](Instant instant) { append_text_string(out, instant.rfc3339_nano()); },
                 [&](const LogObject& object) {
                   const std::string_view slash = object.name_space.empty() ? "" : "/";
                   append_text_string(out, fmt::format("{}{}{}", object.name_space, slash, object.name));
                 },
                 [&](auto plain) { append_plain(out, plain); },
             },
             value.get());
}

void append_json_value(Buffer& out, const LogValue& value) {
  std::visit(Overloaded{
                 [&](std::string_view text) { append_json_string(out, text); },
                 [&](const std::string& text) { append_json_string(out, text); },
                 [&](Duration duration) { append_json_string(out, duration.str()); },
                 [&](Instant instant) { append_json_string(out, instant.rfc3339_nano()); },
                 [&](const LogObject& object) {
                   append(out, R"({"name":)");
                   append_json_string(out, object.name);
                   if (!object.name_space.empty()) {
                     append(out, R"(,"namespace":)");
                     append_json_string(out, object.name_space);
                   }
                   out.push_back('}');
                 },
                 [&](auto plain) { append_plain(out, plain); },
             },
             value.get());
}

char letter_of(LogSeverity severity) {
  switch (severity) {
    case LogSeverity::kInfo: return 'I';
    case LogSeverity::kWarning: return 'W';
    case LogSeverity::kError: return 'E';
  }
  return 'I';
}

// "I1116 08:04:07.123456   12345 log.cc:77] "
void append_text_header(Buffer& out, LogSeverity severity, Instant now, int process_id,
                        const std::source_location& where) {
  const std::chrono::sys_time<std::chrono::nanoseconds> at(std::chrono::nanoseconds(now.unix_nanoseconds()));
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::microseconds>(at) - day);
  fmt::format_to(std::back_inserter(out), "{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:7} {}:{}] ", letter_of(severity),
                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                 time.minutes().count(), time.seconds().count(), time.subseconds().count(), process_id,
                 base_name(where.file_name()), where.line());
}

void append_text_line(Buffer& out, std::string_view message, std::span<const LogField> fields) {
  append(out, api::quoted(message));
  for (const LogField& field : fields) {
    out.push_back(' ');
    append(out, field.key);
    out.push_back('=');
    append_text_value(out, field.value);
  }
  out.push_back('\n');
}

void append_json_line(Buffer& out, LogSeverity severity, int level, Instant now, std::string_view message,
                      std::span<const LogField> fields, const std::source_location& where) {
  append(out, R"({"ts":)");
  append_fixed(out, static_cast<double>(now.unix_nanoseconds()) / 1e6);
  fmt::format_to(std::back_inserter(out), R"(,"caller":"{}:{}","msg":)", name_with_folder(where.file_name()),
                 where.line());
  append_json_string(out, message);
  // Only its absence tells an error from the rest, as upstream has it.
  if (severity != LogSeverity::kError) fmt::format_to(std::back_inserter(out), R"(,"v":{})", level);
  for (const LogField& field : fields) {
    out.push_back(',');
    append_json_string(out, field.key);
    out.push_back(':');
    append_json_value(out, field.value);
  }
  append(out, "}\n");
}

// The texts between the separators, the last one too.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

void FdLogSink::write(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t written = ::write(fd_, lines.data(), lines.size());
    if (written >= 0) {
      lines.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // Somebody made it non-blocking: wait, as a blocking one would.
      pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
      if (::poll(&ready, 1, -1) < 0 && errno != EINTR) return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

Result<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::kText;
  if (text == "json") return LogFormat::kJson;
  return fail(Error(fmt::format("unsupported log format {}", api::quoted(text))).with_fix("use \"text\" or \"json\""));
}

Result<std::vector<LogModule>> parse_log_modules(std::string_view text) {
  std::vector<LogModule> modules;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) continue;
    const std::vector<std::string_view> sides = split(part, '=');
    if (sides.size() != 2 || sides[0].empty()) {
      return fail("syntax error: expect comma-separated list of filename=N");
    }
    const auto level = api::parse_integer(sides[1]);
    if (!level || *level > std::numeric_limits<std::int32_t>::max()) {
      return fail("syntax error: expect comma-separated list of filename=N");
    }
    if (*level < 0) return fail("negative value for vmodule level");
    if (*level > 0) modules.push_back({.pattern = std::string(sides[0]), .level = static_cast<int>(*level)});
  }
  return modules;
}

Log::Log(LogOptions options, Clock clock, LogSink& sink, LogSink* error_sink)
    : format_(options.format),
      modules_(std::move(options.modules)),
      process_id_(options.process_id),
      clock_(std::move(clock)),
      verbosity_(options.verbosity),
      sink_(sink),
      error_sink_(error_sink) {}

bool Log::is_on_for_module(int level, const std::source_location& where) const {
  const std::string module(module_of(where.file_name()));
  for (const LogModule& candidate : modules_) {
    if (::fnmatch(candidate.pattern.c_str(), module.c_str(), 0) == 0) return level <= candidate.level;
  }
  return false;
}

void Log::write(LogSeverity severity, int level, std::string_view message, std::span<const LogField> fields,
                const std::source_location& where) {
  const Instant now = clock_();
  Buffer line;
  switch (format_) {
    case LogFormat::kText:
      append_text_header(line, severity, now, process_id_, where);
      append_text_line(line, message, fields);
      break;
    case LogFormat::kJson: append_json_line(line, severity, level, now, message, fields, where); break;
  }
  LogSink& sink = severity == LogSeverity::kError && error_sink_ != nullptr ? *error_sink_ : sink_;
  const std::scoped_lock lock(mutex_);
  sink.write(std::string_view(line.data(), line.size()));
}

void Log::flush() {
  const std::scoped_lock lock(mutex_);
  sink_.flush();
  if (error_sink_ != nullptr) error_sink_->flush();
}

}  // namespace berth::daemon
