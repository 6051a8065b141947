#include "fairlead/policies/prema.h"

#include <algorithm>
#include <vector>

namespace fairlead {
namespace {

// Tokens rounded down to a level.
int LevelOf(double tokens) {
  for (const int level : {9, 3, 1}) {
    if (tokens >= level) return level;
  }
  return 0;
}

class Prema final : public ScoringRule {
 public:
  explicit Prema(TokenRule rule) : rule_(rule) {}

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    ++decision_;
    double most = 0;
    for (const ScoredSegment& segment : segments) {
      if (accounts_.size() <= segment.job.index()) accounts_.resize(segment.job.index() + 1);
      Account& account = accounts_[segment.job.index()];
      Update(view, view.job(segment.job), account);
      if (account.opened != decision_) most = std::max(most, account.tokens);
    }
    const int threshold = std::max(LevelOf(most), 1);
    for (ScoredSegment& segment : segments) {
      segment.rank = -std::min(LevelOf(accounts_[segment.job.index()].tokens), threshold);
      segment.score = static_cast<double>(view.job(segment.job).work_left.count());
    }
  }

 private:
  struct Account {
    std::uint64_t serial = 0;   // of the job that it belongs to
    std::uint64_t opened = 0;   // the decision at which the job was a newcomer
    std::uint64_t updated = 0;  // the last decision that looked at it
    Instant updated_at{};
    double tokens = 0;
  };

  void Update(const SystemView& view, const Job& job, Account& account) const {
    if (account.serial != job.serial) {
      account = {.serial = job.serial,
                 .opened = decision_,
                 .updated = decision_,
                 .updated_at = job.arrival,
                 .tokens = static_cast<double>(job.priority)};
      return;
    }
    if (account.updated == decision_) return;  // by another branch of the job
    Duration waiting = WaitingTime(view, job);
    if (rule_ == TokenRule::kSinceLastUpdate)
      waiting = std::min(waiting, view.now() - account.updated_at);
    account.tokens += static_cast<double>(job.priority) * static_cast<double>(waiting.count()) /
                      Divisor(view.costs().FastestTotal(job.network));
    account.updated = decision_;
    account.updated_at = view.now();
  }

  TokenRule rule_;
  std::uint64_t decision_ = 0;
  std::vector<Account> accounts_;  // per job slot
};

}  // namespace

std::unique_ptr<ScoringRule> MakePrema(TokenRule rule) { return std::make_unique<Prema>(rule); }

}  // namespace fairlead
