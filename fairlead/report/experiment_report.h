// An experiment for people and scripts: what `fairlead experiment` prints and writes.
//
// JSON: {"experiment", "version", "command", "question", "paper", "refuted_by", "quick",
// "numbers": [{"name", "mean", "half_width", "count", "paper", "ratio", "verdict", "expected",
// "tolerance", "as_expected"}], "verdicts": {"holds", "open", "falls_short", "refuted"},
// "as_expected"}. `half_width` is of the 95 % interval, null with fewer than two values; what
// follows is null where no paper has the number, nothing is claimed or nothing is expected of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/report/experiment_results.h"

namespace fairlead {

// What we had before.
struct ExpectedNumber {
  std::string name;
  double value = 0;
  double tolerance = 0;  // in the number's own unit
};

// What a paper says of a number, or we do. `interval` is that of our mean, 95 % over seeds.
//   at_least, at_most: it holds if the interval reaches the bound, else it is refuted.
//   paper and none: it holds if the interval, or the mean within a share of it, reaches the paper's
//     number, or is beyond it, and is open if it reaches `none` too, the number without the effect;
//     it falls short if the interval lies between the two; else it is refuted.
//   paper alone: it holds if the interval, or the mean within a share of it, reaches the paper's.
// Where `interval` is false, the mean itself is compared: one seed is enough of a counter-example.
struct PaperClaim {
  std::string number;  // "*" in it stands for any text
  std::optional<double> paper{};
  std::optional<double> none{};
  std::optional<double> at_least{};
  std::optional<double> at_most{};
  std::optional<double> within{};  // nothing: 0 where `none` stands beside it, else 0.05
  bool interval = true;
};

enum class ClaimVerdict : std::uint8_t { kHolds, kOpen, kFallsShort, kRefuted };
inline constexpr std::array<std::string_view, 4> kClaimVerdicts = {"holds", "open", "falls short",
                                                                   "refuted"};
ClaimVerdict JudgeClaim(const Estimate& ours, const PaperClaim& claim);

struct ExperimentHeading {
  std::string name;
  std::string question;
  std::string paper;
  std::string refuted_by;
  std::string command;
  std::string version;
  bool quick = false;
};

struct JudgedExperiment {
  ExperimentHeading heading;
  ExperimentResults results;
  std::vector<ExpectedNumber> expected;
  std::vector<PaperClaim> claims;
};

// Numbers outside their tolerance, and such as were expected and are not there; claimed ones too,
// where the run was not quick.
std::vector<std::string> Surprises(const JudgedExperiment& experiment);
// Of all numbers that something is claimed of: how many have each verdict.
std::array<int, 4> CountVerdicts(const JudgedExperiment& experiment);

std::string FormatExperimentTable(const JudgedExperiment& experiment);
std::string FormatExperimentJson(const JudgedExperiment& experiment);
std::string FormatExperimentPage(const JudgedExperiment& experiment);
// Claims and figures of all, with the command under each.
std::string FormatExperimentsPage(const std::vector<JudgedExperiment>& experiments);

// Whether the text is the pattern, in which "*" stands for any text.
bool FitsPattern(std::string_view text, std::string_view pattern);

}  // namespace fairlead
