// fairlead quote: can this agreement be signed?
//
// Three kinds of evidence, the cheapest first:
//   1. Some hundred traffics are drawn, not simulated. If no schedule could keep all promises on a
//      traffic than which at most one in a hundred is heavier, that is a proof.
//   2. Two of the heaviest are simulated: harsher than what is to be expected.
//   3. Others are simulated, and the worst margin of all promises on a new traffic is predicted
//      (quote_prediction.h). Yes takes a predicted margin of at least 0, with the confidence, and
//      no broken promise on any simulated traffic.
// Where that fails, the same traffics without what is asked for say whom it would hurt; and a lower
// rate and a lower target are looked for, each judged in the same way as if it had been asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/report/quote_report.h"
#include "fairlead/running/quote_evidence.h"
#include "fairlead/running/quote_trial.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/world.h"

namespace fairlead {

// How far a search has come whose runs are not all known beforehand: when more are needed than were
// expected, the share falls back.
class QuoteProgress {
 public:
  // `expected` runs in all, perhaps fewer. `progressed` may be empty.
  QuoteProgress(std::size_t expected, std::function<void(double share)> progressed)
      : shares_(expected), progressed_(std::move(progressed)) {}

  // So many more, perhaps fewer. Not while runs are under way.
  void Expect(std::size_t more) {
    std::vector<std::atomic<double>> shares(begun_ + more);
    for (std::size_t i = 0; i < begun_; ++i) shares[i] = 1;
    shares_.swap(shares);
  }

  // For the next `runs` runs: takes their number and share, from any thread.
  std::function<void(std::size_t, double)> Next(std::size_t runs) {
    const std::size_t first = begun_;
    begun_ += runs;
    return [this, first](std::size_t run, double share) {
      if (!progressed_ || first + run >= shares_.size()) return;
      shares_[first + run] = share;
      double sum = 0;
      for (const std::atomic<double>& one : shares_) sum += one;
      progressed_(sum / static_cast<double>(shares_.size()));
    };
  }

 private:
  std::vector<std::atomic<double>> shares_;
  std::function<void(double share)> progressed_;
  std::size_t begun_ = 0;
};

// The reason of an answer, in a sentence.
std::string ReasonOf(const QuoteResults& results, const Evidence& evidence);
// Where promises are broken without what is asked for.
std::string AlreadyBroken(const std::vector<Trial>& without);

// What could be promised instead of what was asked for: the largest part of the rate at the same
// target, and the highest target at the same rate.
struct QuoteOffer {
  std::optional<double> rate_share;     // of the rate asked for; 1: all of it
  std::optional<double> target_change;  // to the targets asked for; 0: none
};

// References only: they must outlive the call.
struct OfferSearch {
  const World& world;                  // with what is asked for
  std::span<const std::size_t> asked;  // agreements
  std::optional<double> before;        // the worst margin without them; none: they are all
  std::span<const Trial> trials;       // of that world, on the heavy traffics
  int tries = 4;                       // judgements from the first that holds on, for each of two
  std::function<Result<bool>(const World& world)> keeps;  // judges as a quote does
};

// The first guess comes from where a line through what is known crosses 0; as long as nothing is
// kept, the next is twice as far from what was asked for, down to 5 %. From there on the interval
// between what is kept and what is not is halved, until it is small or all tries are made.
// Whatever is offered was judged itself, and is kept.
Result<QuoteOffer> FindOffer(const OfferSearch& search);

inline constexpr double kQuoteConfidence = 0.99;
inline constexpr int kQuoteDraws = 200;

struct QuoteOptions {
  std::string policy;                 // empty: PolicyToQuote
  std::optional<std::uint64_t> seed;  // the first of the draws; none: the scenario's
  int trials = 0;                     // traffics, from 4 on; 0: as the work of one allows
  int threads = 1;
  FileReader read = &ReadFile;
  bool thorough = false;  // more simulations, and more tries for what is offered instead
  // How far the work has come, from 0 to 1, from any thread. May be empty.
  std::function<void(double share)> progressed;
};

// The scenario's policy if it names one alone; else `fairlead`.
std::string PolicyToQuote(const Scenario& scenario);

// Whether the scenario's agreements and the added ones can all be kept; without added ones, whether
// the scenario's can.
Result<QuoteResults> Quote(const Scenario& scenario, const std::vector<TenantsConfig>& added,
                           const QuoteOptions& options);

}  // namespace fairlead
