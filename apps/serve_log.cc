#include "apps/serve_log.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "apps/output_file.h"
#include "apps/service_manager.h"
#include "apps/verbs.h"
#include "fairlead/serving/clock.h"

namespace fairlead {

Result<std::unique_ptr<EventLog>> OpenLog(const ServeOptions& options) {
  if (options.log.empty()) return nullptr;
  EventLog::Sink sink = [](std::string_view lines) { TellText(lines); };
  if (options.log != kStandardOutput) {
    const auto file = std::make_shared<std::ofstream>(options.log, std::ios::app);
    if (!file->good()) return Fail("{}: cannot be written", options.log);
    // What a full disk does not take is lost; when there is room again it goes on.
    sink = [file](std::string_view lines) {
      file->clear();
      file->write(lines.data(), static_cast<std::streamsize>(lines.size()));
      file->flush();
    };
  }
  return std::make_unique<EventLog>(*FindLogLevel(options.log_level), &WallNanoseconds,
                                    std::move(sink));
}

void ServeLog::Starting(const std::string& scenario, const std::string& policy) const {
  Tell("loading networks; the first time takes seconds for each\n");
  if (log_ != nullptr)
    log_->Write(LogLevel::kInfo, "starting",
                {{"version", FAIRLEAD_VERSION}, {"scenario", scenario}, {"policy", policy}});
}

void ServeLog::Ready(const std::string& url) const {
  if (log_ != nullptr) log_->Write(LogLevel::kInfo, "ready", {{"url", url}});
  NotifyServiceManager(fmt::format("READY=1\nSTATUS=serves at {}", url));
}

void ServeLog::Trouble(const std::string& message) const {
  Tell("{}\n", message);
  if (log_ != nullptr) log_->Write(LogLevel::kWarning, "trouble", {{"message", message}});
}

void ServeLog::Draining() const {
  if (log_ != nullptr) log_->Write(LogLevel::kInfo, "draining");
  NotifyServiceManager("STOPPING=1\nSTATUS=draining");
}

void ServeLog::Drained() const {
  Tell("drained\n");
  if (log_ != nullptr) log_->Write(LogLevel::kInfo, "drained");
}

void ServeLog::Failed(const std::string& message) const {
  Complain({message}, kCouldNotGoOn);
  if (log_ != nullptr) log_->Write(LogLevel::kError, "failed", {{"message", message}});
}

}  // namespace fairlead
