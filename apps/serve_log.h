// What a server says of itself: to people, as lines on standard error; to programs, as events in a
// log; and to the service manager that started it.
#pragma once

#include <memory>
#include <string>

#include "apps/options.h"
#include "fairlead/base/result.h"
#include "fairlead/serving/event_log.h"

namespace fairlead {

// None where none is asked for.
Result<std::unique_ptr<EventLog>> OpenLog(const ServeOptions& options);

// From any thread.
class ServeLog {
 public:
  explicit ServeLog(EventLog* log) : log_(log) {}

  void Starting(const std::string& scenario, const std::string& policy) const;
  void Ready(const std::string& url) const;
  void Trouble(const std::string& message) const;
  void Draining() const;
  void Drained() const;
  void Failed(const std::string& message) const;

 private:
  EventLog* const log_;  // may be none
};

}  // namespace fairlead
