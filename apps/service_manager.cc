#include "apps/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fairlead/base/units.h"

namespace fairlead {

void NotifyServiceManager(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(path);
  if (length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';  // of no folder
  const int handle = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  sendto(handle, state.data(), state.size(), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address), size);  // who does not listen does not care
  close(handle);
}

std::optional<Duration> WatchdogInterval() {
  const char* const interval = std::getenv("WATCHDOG_USEC");
  if (interval == nullptr || std::getenv("NOTIFY_SOCKET") == nullptr) return std::nullopt;
  const char* const process = std::getenv("WATCHDOG_PID");
  if (process != nullptr && std::to_string(getpid()) != process) return std::nullopt;
  const auto microseconds = ParseInteger(interval);
  if (!microseconds.has_value() || *microseconds <= 0) return std::nullopt;
  return std::chrono::microseconds{*microseconds} / 2;
}

}  // namespace fairlead
