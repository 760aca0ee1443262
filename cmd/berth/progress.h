// Says what a command is busy with, if it takes a while and somebody watches: one line on standard error, on a terminal
// only, that is gone when the work is done.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace berth::cmd {

// Starts a thread of its own. What is printed meanwhile would be mixed with the line: end it first.
class Progress {
 public:
  // "Reading cluster.yaml"
  explicit Progress(const std::string& doing);
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // What it is busy with from now on.
  void now(const std::string& doing);
  // Takes the line away.
  void end();

 private:
  void show();

  std::string doing_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
  std::thread thread_;
};

}  // namespace berth::cmd
