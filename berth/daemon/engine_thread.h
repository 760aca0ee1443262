// The engine on a thread of its own. Other threads talk to it through a mailbox; what the engine wants done leaves
// through `send`, which is called on the engine's thread, a batch of commands at a time.
//
// The thread blocks until there is a message, a pod to try or something due; it never polls. Messages are processed in
// the order of the calls.
//
// The mailbox is bounded: a thread that reports an object waits while kMaxMailboxObjects objects are in it. The
// informers' loop then reads nothing more from its connection, so HTTP/2 flow control holds the API server back, and
// memory does not grow with an engine that is slower than the watches. Results, questions and the start never wait:
// there are no more results than commands in flight (EngineLimits).
//
// Thread safe, but for start-up and the end: make() and stop() belong to whoever owns it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/function_ref.h"
#include "berth/base/time.h"
#include "berth/daemon/clock.h"
#include "berth/daemon/engine_inbox.h"
#include "berth/daemon/engine_step.h"
#include "berth/engine/command.h"
#include "berth/engine/metrics.h"
#include "berth/engine/scheduler.h"

namespace berth::daemon {

class EngineThread final : public EngineInbox {
 public:
  // Objects in the mailbox above which those who report objects wait; a list counts as many as it has, and a whole list
  // is let in whenever there is room at all. A turn takes out the whole mailbox, so at most twice as many, and two
  // lists, are in memory before the engine has processed them. Enough for some seconds of a busy cluster's watches.
  static constexpr std::size_t kMaxMailboxObjects = 16'384;

  // `options.metrics` is set here. The thread runs when this returns; pods are tried after start(). The error: a
  // profile that cannot be built.
  static Result<std::unique_ptr<EngineThread>> make(engine::Options options, EngineStep::Send send,
                                                    EngineLimits limits = {});
  // As stop().
  ~EngineThread() override;
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;

  // --- What happened -------------------------------------------------------------------------------------------------

  // These three wait while the mailbox is full. Not from within `send` or a question.
  void observe(api::AnyObject object) override { put_objects(Observe{std::move(object)}, 1); }
  void observe_deleted(api::AnyObject object) override { put_objects(ObserveDeleted{std::move(object)}, 1); }
  void observe_list(const api::ObjectKind& kind, std::vector<api::AnyObject> objects) override {
    const std::size_t count = objects.size();
    put_objects(ObserveList{&kind, std::move(objects)}, count);
  }
  void complete(engine::CommandId id, engine::Outcome outcome) override { put(Complete{id, std::move(outcome)}); }
  void start() override { put(Start{}); }

  // --- Asking --------------------------------------------------------------------------------------------------------

  // Runs `ask` on the engine's thread, between two turns, and waits for it. False if it was not run because the thread
  // has stopped. Not from within `send` or another question.
  bool ask(FunctionRef<void(engine::Scheduler&)> ask);

  // What is counted. Only to be read from within a question.
  const engine::SchedulerMetrics& metrics() const { return metrics_; }

  // --- The end -------------------------------------------------------------------------------------------------------

  // Tries no further pods. When this returns the last command of an attempt has been sent; results are still taken in.
  void end_work();
  // Returns when what was reported before has been taken in, and the commands that followed from it have been sent.
  void settle();
  // Ends the thread. What is in the mailbox is dropped, questions are answered with false, and those who wait for room
  // return.
  void stop();

 private:
  explicit EngineThread(EngineStep::Send send);
  Result<void> set_up(engine::Options options, EngineLimits limits);

  void put(EngineMessage message);
  void put_objects(EngineMessage message, std::size_t objects);
  void add(EngineMessage message);  // with mutex_ held
  void run();
  // Waits for something to do. The messages, or nothing if the thread has to end.
  bool wait_for_messages(std::vector<EngineMessage>& messages);

  EngineStep::Send send_;
  MachineClock clock_;
  engine::SchedulerMetrics metrics_;
  std::unique_ptr<engine::Scheduler> scheduler_;  // of the thread, once it runs
  std::unique_ptr<EngineStep> step_;              // likewise

  std::mutex mutex_;  // guards what follows
  std::condition_variable something_to_do_;
  std::condition_variable progress_;  // a question is answered, or the thread has ended
  std::condition_variable has_room_;  // there is room for objects, or the thread has to end
  std::vector<EngineMessage> mailbox_;
  std::size_t mailbox_objects_ = 0;
  bool is_blocked_ = false;  // the thread waits for something to do
  bool is_stopping_ = false;
  bool has_ended_ = false;

  std::thread thread_;
};

}  // namespace berth::daemon
