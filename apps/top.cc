// fairlead top
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "apps/files.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/report/server_view.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/http/http_caller.h"

namespace fairlead {
namespace {

constexpr std::string_view kClearScreen = "\033[H\033[2J";
constexpr std::size_t kOtherLines = 8;  // beside those of agreements and networks

// Agreements that a screen has room for; all where nobody looks at one.
std::size_t RoomFor(const ServerFigures& figures) {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
      size.ws_row == 0)
    return figures.agreements.size();
  const std::size_t taken = kOtherLines + figures.networks.size();
  return size.ws_row > taken + 3 ? size.ws_row - taken : 3;
}

class Watcher {
 public:
  Watcher(const TopOptions& options, HttpCaller& caller) : options_(options), caller_(caller) {}

  // What has come since the last look.
  Result<ServerFigures> Look() {
    HttpCall call{.target = "/metrics", .limit = std::chrono::seconds{10}};
    if (!options_.key.empty()) call.headers.push_back({"Authorization", "Bearer " + options_.key});
    const HttpReply reply = caller_.Ask(std::move(call));
    if (reply.status == 0) return Fail("{}: {}", options_.url, reply.body);
    if (reply.status == 401 || reply.status == 403)
      return Fail("{} wants an operator's key: --key fl-... (`fairlead tenant operator`)",
                  options_.url);
    if (reply.status != 200)
      return Fail("{} answers {}: {}", options_.url, reply.status, reply.body);
    ASSIGN_OR_RETURN(std::vector<MetricSample> now, ReadMetrics(reply.body));
    ASSIGN_OR_RETURN(ServerFigures figures, FiguresOfServer(before_, now));
    before_ = std::move(now);
    figures.url = options_.url;
    return figures;
  }

  Status Show(const ServerFigures& figures) const {
    if (options_.form == OutputForm::kJson) return PrintOut(ServerJson(figures));
    const bool screen = !options_.once && isatty(STDOUT_FILENO) != 0;
    return PrintOut(std::string(screen ? kClearScreen : "") +
                    FormatServer(figures, RoomFor(figures)) +
                    (screen || options_.once ? "" : "\n"));
  }

 private:
  const TopOptions& options_;
  HttpCaller& caller_;
  std::vector<MetricSample> before_;
};

// False: it is to stop.
bool WaitFor(Duration time, const std::stop_token& stop) {
  const RealClock clock;
  std::mutex mutex;
  std::condition_variable stopped;
  const std::stop_callback wake(stop, [&] {
    const std::lock_guard lock(mutex);
    stopped.notify_all();
  });
  const Instant end = clock.Now() + time;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested() && clock.Now() < end) clock.WaitUntil(stopped, lock, end);
  return !stop.stop_requested();
}

}  // namespace

int Run(const TopOptions& given) {
  TopOptions options = given;
  const auto key = ReadKey(given.key);
  if (!key.has_value()) return Complain(key.error(), kBadInput);
  options.key = *key;
  const auto interval = ParseDuration(options.interval);
  if (!interval.has_value() || *interval < std::chrono::milliseconds{100})
    return Complain(
        {fmt::format("--interval {}: expected a time from 100ms on, such as 2s", options.interval)},
        kBadInput);
  SignalWatch signals;
  ASSIGN_OR_COMPLAIN(
      const auto caller,
      HttpCaller::Start({.url = options.url, .authorities = options.authorities, .connections = 1}),
      kBadInput);
  signals.Arm();
  Watcher watcher(options, *caller);
  do {
    ASSIGN_OR_COMPLAIN(const auto figures, watcher.Look(), kCouldNotGoOn);
    COMPLAIN_IF_ERROR(watcher.Show(figures), kCouldNotGoOn);
  } while (!options.once && WaitFor(*interval, signals.token()));
  return kDone;
}

}  // namespace fairlead
