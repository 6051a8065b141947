#include "fairlead/policies/edf_share.h"

#include <cmath>
#include <cstdint>

#include "fairlead/policies/deficit.h"

namespace fairlead {
namespace {

constexpr double kStepsOfClaim = 10'000;
constexpr double kCommitment = 0.05;  // of a rate, for a job that is nearly done
constexpr double kServedBefore = 20;  // requests that count as served as promised
constexpr double kSlackToSpare = 1;   // of the believed rest, on top of it
constexpr std::int32_t kBehindAll = 1'000'000;

class EdfShare final : public ScoringRule {
 public:
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      const Duration rest = view.costs().ShortestTail(job.network, segment.segment);
      const double claim =
          Deficit(view.ledger(), job.agreement) + kCommitment * Progress(view, job);
      segment.score = SlackOf(view, job, segment.segment);
      segment.rank = -static_cast<std::int32_t>(std::lround(kStepsOfClaim * claim));
      if (segment.score < kSlackToSpare * static_cast<double>(Nanoseconds(rest)))
        segment.rank += kBehindAll;
    }
  }

 private:
  static double Deficit(const FairnessLedger& ledger, AgreementId agreement) {
    const double target = ledger.TargetRate(agreement);
    const OutcomeCounts& counts = ledger.Lifetime(agreement);
    return target - (static_cast<double>(counts.hits()) + kServedBefore * target) /
                        (static_cast<double>(counts.ended()) + kServedBefore);
  }

  // The part of its work that is done.
  static double Progress(const SystemView& view, const Job& job) {
    return 1 - static_cast<double>(Nanoseconds(job.work_left)) /
                   Divisor(view.costs().FastestTotal(job.network));
  }
};

}  // namespace

std::unique_ptr<ScoringRule> MakeEdfShare() { return std::make_unique<EdfShare>(); }

}  // namespace fairlead
