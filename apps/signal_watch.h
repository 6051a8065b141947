// Ctrl-C and SIGTERM ask a verb to end with what it has, instead of ending the program.
//
// The first signal asks for the end, once the watch is armed; before that, and at the second one,
// the program ends as it does without a watch, but leaves no unfinished file. One at a time; made
// before any other thread, which all leave the signals to it.
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace fairlead {

class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // From now on there is something to end with.
  void Arm() { armed_ = true; }
  std::stop_token token() const { return source_.get_token(); }
  // The signal that came, or 0.
  int signal() const { return signal_; }

 private:
  void Watch();

  sigset_t watched_{};
  sigset_t before_{};  // the signals that were blocked
  std::stop_source source_;
  std::atomic<bool> armed_ = false;
  std::atomic<bool> over_ = false;
  std::atomic<int> signal_ = 0;
  std::thread thread_;  // not running where the system gives none: signals are as ever
};

}  // namespace fairlead
