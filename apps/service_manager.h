// Tells systemd how a server fares, where it was started by it (Type=notify): sd_notify's protocol,
// a datagram on the socket that NOTIFY_SOCKET names. Nothing happens elsewhere.
#pragma once

#include <optional>
#include <string_view>

#include "fairlead/base/time.h"

namespace fairlead {

// "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=..."
void NotifyServiceManager(std::string_view state);

// How often it wants to hear WATCHDOG=1; none: never.
std::optional<Duration> WatchdogInterval();

}  // namespace fairlead
