#include "apps/signal_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

#include "apps/files.h"
#include "fairlead/base/stopwatch.h"

namespace fairlead {
namespace {

constexpr std::array kWatched = {SIGINT, SIGTERM};

// A shell or a supervisor may send one signal to a process and to its group: that is one.
constexpr double kOneSignal = 0.5;  // seconds

std::atomic<int> news_pipe = -1;  // where the handler writes

void NoteSignal(int signal) {
  const int kept = errno;
  const auto byte = static_cast<char>(signal);
  // A full pipe has told already.
  [[maybe_unused]] const auto written = write(news_pipe, &byte, 1);
  errno = kept;
}

// Ends the program, as the signal does where nobody watches.
void EndBy(int signal) {
  RemoveUnfinishedOutputs();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

SignalWatch::SignalWatch() {
  if (pipe2(pipe_.data(), O_CLOEXEC) != 0) return;
  fcntl(pipe_[1], F_SETFL, O_NONBLOCK);
  try {
    thread_ = std::thread([this] { Watch(); });
  } catch (const std::system_error&) {
    return;
  }
  news_pipe = pipe_[1];
  struct sigaction tell = {};
  tell.sa_handler = NoteSignal;
  tell.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kWatched.size(); ++i) {
    sigaction(kWatched[i], nullptr, &before_[i]);
    // What is ignored (nohup, a shell's background) stays so.
    if (before_[i].sa_handler != SIG_IGN) sigaction(kWatched[i], &tell, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (thread_.joinable()) {
    for (std::size_t i = 0; i < kWatched.size(); ++i) sigaction(kWatched[i], &before_[i], nullptr);
    NoteSignal(0);
    thread_.join();
    news_pipe = -1;
  }
  for (const int end : pipe_) close(end);
}

void SignalWatch::Watch() {
  std::optional<Stopwatch> since;  // the first signal
  while (true) {
    char signal = 0;
    if (read(pipe_[0], &signal, 1) != 1) continue;
    if (signal == 0) return;
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
