#include "fairlead/policies/deficit.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace fairlead {

namespace {

constexpr double kStepsOfClaim = 100'000;
constexpr double kCommitment = 4;    // outcomes, for a job that is nearly done
constexpr double kSlackToSpare = 1;  // of the believed rest, on top of it
constexpr std::int32_t kBehindAll = 1 << 30;

class EdfShare final : public ScoringRule {
 public:
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    records_.assign(view.ledger().size(), {});
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      const Duration rest = view.costs().ShortestTail(job.network, segment.segment);
      segment.score = SlackOf(view, job, segment.segment);
      segment.rank = -static_cast<std::int32_t>(std::lround(kStepsOfClaim * Claim(view, job)));
      if (segment.score < kSlackToSpare * static_cast<double>(Nanoseconds(rest)))
        segment.rank += kBehindAll;
    }
  }

 private:
  // What the ledger says of an agreement: asked once per decision.
  struct AgreementRecord {
    double outcomes = 0;  // and one more; 0: not asked yet
    double deficit = 0;
  };

  // The deficit of the job's agreement, and what the work done weighs against it.
  double Claim(const SystemView& view, const Job& job) {
    AgreementRecord& record = records_[job.agreement.index()];
    if (record.outcomes == 0) {
      record.outcomes = 1 + static_cast<double>(view.ledger().Current(job.agreement).ended());
      record.deficit = view.ledger().Deficit(job.agreement);
    }
    const double done = 1 - static_cast<double>(Nanoseconds(job.work_left)) /
                                Divisor(view.costs().FastestTotal(job.network));
    return record.deficit + kCommitment * done / record.outcomes;
  }

  std::vector<AgreementRecord> records_;  // of this decision
};

}  // namespace

std::unique_ptr<ScoringRule> MakeEdfShare() { return std::make_unique<EdfShare>(); }

namespace {

constexpr double kSteps = 1000;

class LargestDeficitFirst final : public ScoringRule {
 public:
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    ranks_.assign(view.ledger().size(), kUnknown);
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      std::int32_t& rank = ranks_[job.agreement.index()];
      if (rank == kUnknown) rank = -DeficitSteps(view, job.agreement);
      segment.rank = rank;
      segment.score = SlackOf(view, job, segment.segment);
    }
  }

 private:
  static constexpr std::int32_t kUnknown = INT32_MIN;
  std::vector<std::int32_t> ranks_;  // per agreement, in this decision
};

}  // namespace

std::unique_ptr<ScoringRule> MakeLargestDeficitFirst() {
  return std::make_unique<LargestDeficitFirst>();
}

std::int32_t DeficitSteps(const SystemView& view, AgreementId agreement) {
  return static_cast<std::int32_t>(std::lround(kSteps * view.ledger().Deficit(agreement)));
}

double SlackOf(const SystemView& view, const Job& job, SegmentId segment) {
  const Duration tail = view.costs().ShortestTail(job.network, segment);
  return static_cast<double>(Nanoseconds(job.deadline - view.now() - tail));
}

}  // namespace fairlead
