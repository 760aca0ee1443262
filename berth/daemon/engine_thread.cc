#include "berth/daemon/engine_thread.h"

#include <pthread.h>

#include <utility>

#include "berth/base/check.h"

namespace berth::daemon {

Result<std::unique_ptr<EngineThread>> EngineThread::make(engine::Options options, EngineStep::Send send,
                                                         EngineLimits limits) {
  std::unique_ptr<EngineThread> made(new EngineThread(std::move(send)));
  if (auto done = made->set_up(std::move(options), limits); !done) return std::unexpected(done.error());
  made->thread_ = std::thread([engine = made.get()] { engine->run(); });
  return made;
}

EngineThread::EngineThread(EngineStep::Send send) : send_(std::move(send)), metrics_([this] { return clock_.now(); }) {}

Result<void> EngineThread::set_up(engine::Options options, EngineLimits limits) {
  options.metrics = &metrics_;
  auto scheduler = engine::Scheduler::make(std::move(options));
  if (!scheduler) return std::unexpected(scheduler.error());
  scheduler_ = *std::move(scheduler);
  step_ = std::make_unique<EngineStep>(*scheduler_, clock_, send_, limits);
  return {};
}

EngineThread::~EngineThread() {
  stop();
}

bool EngineThread::ask(FunctionRef<void(engine::Scheduler&)> ask) {
  BERTH_CHECK(std::this_thread::get_id() != thread_.get_id(), "a question from the engine's own thread");
  bool is_answered = false;
  std::unique_lock lock(mutex_);
  if (is_stopping_) return false;
  // Both references live until the thread has answered or ended: this function waits for that.
  add(Question{[this, &ask, &is_answered](engine::Scheduler& scheduler) {
    ask(scheduler);
    const std::lock_guard answer_lock(mutex_);
    is_answered = true;
    progress_.notify_all();
  }});
  progress_.wait(lock, [&] { return is_answered || has_ended_; });
  return is_answered;
}

void EngineThread::end_work() {
  put(EndWork{});
  settle();
}

void EngineThread::settle() {
  // The answer to the second question comes in a turn after that of the first, whose commands are sent.
  if (ask([](engine::Scheduler&) {})) (void)ask([](engine::Scheduler&) {});
}

void EngineThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    something_to_do_.notify_one();
    has_room_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void EngineThread::put(EngineMessage message) {
  const std::lock_guard lock(mutex_);
  if (!is_stopping_) add(std::move(message));
}

void EngineThread::put_objects(EngineMessage message, std::size_t objects) {
  std::unique_lock lock(mutex_);
  if (mailbox_objects_ >= kMaxMailboxObjects) {
    // The engine's own thread would wait for itself.
    BERTH_CHECK(std::this_thread::get_id() != thread_.get_id(), "an object from the engine's own thread");
    has_room_.wait(lock, [&] { return is_stopping_ || mailbox_objects_ < kMaxMailboxObjects; });
  }
  if (is_stopping_) return;
  mailbox_objects_ += objects;
  add(std::move(message));
}

void EngineThread::add(EngineMessage message) {
  mailbox_.push_back(std::move(message));
  if (is_blocked_) something_to_do_.notify_one();
}

void EngineThread::run() {
  (void)::pthread_setname_np(::pthread_self(), "engine");  // for those who look with top -H
  std::vector<EngineMessage> messages;
  while (wait_for_messages(messages)) step_->run(messages);
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  progress_.notify_all();
}

bool EngineThread::wait_for_messages(std::vector<EngineMessage>& messages) {
  const bool has_work = step_->has_work();
  const Instant due = step_->next_due();
  std::unique_lock lock(mutex_);
  const auto is_awake = [&] { return is_stopping_ || !mailbox_.empty(); };
  if (!has_work && !is_awake()) {
    is_blocked_ = true;
    if (due.is_set()) {
      something_to_do_.wait_until(lock, clock_.monotonic(due), is_awake);
    } else {
      something_to_do_.wait(lock, is_awake);
    }
    is_blocked_ = false;
  }
  // The two vectors take turns, so that neither allocates in the long run.
  mailbox_.swap(messages);
  if (std::exchange(mailbox_objects_, 0) >= kMaxMailboxObjects) has_room_.notify_all();
  return !is_stopping_;
}

}  // namespace berth::daemon
