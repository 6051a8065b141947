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

struct Scenario;

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

// What a server runs with a scenario: the policy that is asked for, if any.
Result<std::string> ServedPolicy(std::string policy, const Scenario& scenario);

// How the user called this program: what to type next begins with it.
void SetTypedCommand(std::string_view program);
const std::string& TypedCommand();

// Prints an error, once, and hands the status on. Errors about bad input become one line.
int Complain(const Error& error, int status);

// What an option's text comes to; an error names the option.
template <typename Value>
Result<Value> OfOption(std::string_view option, Result<Value> result) {
  if (!result.has_value()) return Fail("{}: {}", option, result.error().message);
  return result;
}

// Assigns what a Result has, or ends a verb with its error.
#define ASSIGN_OR_COMPLAIN(target, expression, status)                        \
  auto FAIRLEAD_CONCAT(result_at_, __LINE__) = (expression);                  \
  if (!FAIRLEAD_CONCAT(result_at_, __LINE__).has_value())                     \
    return Complain(FAIRLEAD_CONCAT(result_at_, __LINE__).error(), (status)); \
  target = std::move(*FAIRLEAD_CONCAT(result_at_, __LINE__))
#define COMPLAIN_IF_ERROR(expression, status)                              \
  if (const ::fairlead::Status failed = (expression); !failed.has_value()) \
  return Complain(failed.error(), (status))

// How many runs may go on at a time: as many as asked for; 0: one per core.
int ThreadsFor(int jobs);

// To standard error. That it can't be written changes nothing: there is nobody left to tell.
void TellText(std::string_view text);
template <typename... Args>
void Tell(fmt::format_string<Args...> format, Args&&... args) {
  TellText(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace fairlead
