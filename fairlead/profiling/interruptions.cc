#include "fairlead/profiling/interruptions.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace fairlead {

namespace {

rusage Usage(int whose = RUSAGE_SELF) {
  rusage usage{};
  getrusage(whose, &usage);
  return usage;
}

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double SecondsOf(const rusage& usage) {
  return SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime);
}

}  // namespace

std::int64_t InvoluntarySwitches() { return Usage().ru_nivcsw; }

CoreTime ParseCoreTime(std::string_view text, std::span<const int> cores) {
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  CoreTime time;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft_irq = 0, steal = 0;
    words >> name;
    if (std::ranges::none_of(cores, [&](int core) { return name == "cpu" + std::to_string(core); }))
      continue;
    words >> user >> nice >> system >> idle >> waiting >> irq >> soft_irq >> steal;
    time.used += (user + nice + system + irq + soft_irq) / ticks_per_second;
    time.stolen += steal / ticks_per_second;
  }
  return time;
}

CoreTime ReadCoreTime(std::span<const int> cores) {
  std::ifstream file("/proc/stat");
  std::ostringstream text;
  text << file.rdbuf();
  return ParseCoreTime(text.str(), cores);
}

double OwnProcessorTime() { return SecondsOf(Usage()); }

double OwnThreadTime() { return SecondsOf(Usage(RUSAGE_THREAD)); }

LoadOfOthers::LoadOfOthers(std::vector<int> cores)
    : cores_(std::move(cores)), before_(ReadCoreTime(cores_)), own_before_(OwnProcessorTime()) {}

void LoadOfOthers::Write(MachineProfile& profile) const {
  const CoreTime now = ReadCoreTime(cores_);
  const double all = std::max(profile.seconds * static_cast<double>(cores_.size()), 1e-9);
  const double others = now.used - before_.used - (OwnProcessorTime() - own_before_);
  profile.others_share = std::clamp(others / all, 0.0, 1.0);
  profile.stolen_share = std::clamp((now.stolen - before_.stolen) / all, 0.0, 1.0);
}

}  // namespace fairlead
