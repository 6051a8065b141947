// Ctrl-C and SIGTERM ask a verb to end with what it has, instead of ending the program.
//
// The first signal asks for the end, once the watch is armed; before that, and at the second one,
// the program ends as it does without a watch, but leaves no unfinished file. One at a time.
// Threads that libraries began when they were loaded (OpenBLAS does) may meet the signals too.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>
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

  // What a signal did before; those that were ignored are not watched.
  std::array<struct sigaction, 2> before_{};
  std::array<int, 2> pipe_ = {-1,
                              -1};  // from the handler to the thread, a byte a signal; 0: the end
  std::stop_source source_;
  std::atomic<bool> armed_ = false;
  std::atomic<int> signal_ = 0;
  std::thread thread_;  // not running where the system gives none: signals are as ever
};

}  // namespace fairlead
