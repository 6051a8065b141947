// What each verb does. All return the exit status: 0 done; 1 done, and an objective asked for was
// not met; 2 bad input; 3 it could not go on; 4 done, and a claim does not hold; 128 and the
// signal's number: it was interrupted, and ended with what it had.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "apps/options.h"
#include "fairlead/base/result.h"

namespace fairlead {

inline constexpr int kDone = 0;
inline constexpr int kObjectiveNotMet = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kCouldNotGoOn = 3;
inline constexpr int kClaimDoesNotHold = 4;
inline constexpr int kInterrupted = 128;  // and the number of the signal

inline constexpr std::string_view kNoCoreLeft =
    "The partitions take every core: the thread that lets requests in takes its time from them. "
    "Leave a core to it.\n";

int Run(const SimulateOptions& options);
int Run(const SuiteOptions& options);
int Run(const QuoteCommandOptions& options);
int Run(const ProvisionCommandOptions& options);
int Run(const ShareOptions& options);
int Run(const TrainCommandOptions& options);
int Run(const ExperimentOptions& options);
int Run(const InterferenceOptions& options);
int Run(const AssignOptions& options);
int Run(const ReplayOptions& options);
int Run(const WhyOptions& options);
int Run(const CutOptions& options);
int Run(const CheckOptions& options);
int Run(const CostOptions& options);
int Run(const ProfileOptions& options);
int Run(const ImportOptions& options);
int Run(const ListOptions& options);
int Run(const ServeOptions& options);
int Run(const LoadOptions& options);
int Run(const TopOptions& options);
int Run(const TenantOptions& options);
int Run(const AgreementOptions& options);

// How the user called this program: what to type next begins with it.
void SetTypedCommand(std::string_view program);
const std::string& TypedCommand();

// Prints an error, once, and hands the status on. Errors about bad input become one line.
int Complain(const Error& error, int status);

// "1 tenant", "2 tenants".
inline std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// To standard error. That it can't be written changes nothing: there is nobody left to tell.
void TellText(std::string_view text);
template <typename... Args>
void Tell(fmt::format_string<Args...> format, Args&&... args) {
  TellText(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace fairlead
