#include "apps/signal_watch.h"

#include <pthread.h>

#include <optional>
#include <system_error>

#include "apps/output_file.h"
#include "fairlead/base/stopwatch.h"

namespace fairlead {
namespace {

// A shell or a supervisor may send one signal to a process and to its group: that is one.
constexpr double kOneSignal = 0.5;  // seconds

// Ends the program, as the signal does where nobody watches.
void EndBy(int signal) {
  RemoveUnfinishedOutputs();
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(signal);
}

}  // namespace

SignalWatch::SignalWatch() {
  sigemptyset(&watched_);
  for (int signal : {SIGINT, SIGTERM}) {
    // What is ignored (nohup, a shell's background) stays so.
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&watched_, signal);
  }
  sigaddset(&watched_, SIGUSR1);  // wakes the thread at the end
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  try {
    thread_ = std::thread([this] { Watch(); });
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (!thread_.joinable()) return;
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalWatch::Watch() {
  std::optional<Stopwatch> since;  // the first signal
  while (true) {
    int signal = 0;
    if (sigwait(&watched_, &signal) != 0) continue;
    if (over_) return;
    if (signal == SIGUSR1) continue;
    if (!armed_) return EndBy(signal);
    if (signal_ == 0) {
      since.emplace();
      signal_ = signal;
      source_.request_stop();
    } else if (since->ElapsedSeconds() > kOneSignal) {
      return EndBy(signal);
    }
  }
}

}  // namespace fairlead
