#include "fairlead/policies/temporal_rule.h"

#include <algorithm>
#include <vector>

namespace fairlead {

namespace {

class FirstComeFirstServed final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView& view, const ReadySegment& ready) override {
    return Nanoseconds(view.job(ready.job).arrival);
  }
};

class EarliestDeadlineFirst final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView& view, const ReadySegment& ready) override {
    return Nanoseconds(view.job(ready.job).deadline);
  }
};

class ShortestJobFirst final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView& view, const ReadySegment& ready) override {
    return view.costs().ShortestTail(view.job(ready.job).network, ready.segment).count();
  }
  bool FollowsOnline() const override { return true; }
};

class LeastLaxityFirst final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView& view, const ReadySegment& ready) override {
    const Job& job = view.job(ready.job);
    return Nanoseconds(job.deadline - view.costs().ShortestTail(job.network, ready.segment));
  }
  bool FollowsOnline() const override { return true; }
};

class TenantRoundRobin final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView& view, const ReadySegment& ready) override {
    const std::size_t tenant = view.job(ready.job).tenant.index();
    if (last_round_.size() <= tenant) last_round_.resize(tenant + 1, -1);
    last_round_[tenant] = std::max(last_round_[tenant] + 1, round_);
    return last_round_[tenant];
  }
  void Started(std::int64_t key) override { round_ = std::max(round_, key); }

 private:
  std::int64_t round_ = 0;                // being served
  std::vector<std::int64_t> last_round_;  // per tenant: the last round it has joined
};

}  // namespace

std::unique_ptr<TemporalRule> MakeFirstComeFirstServed() {
  return std::make_unique<FirstComeFirstServed>();
}

std::unique_ptr<TemporalRule> MakeEarliestDeadlineFirst() {
  return std::make_unique<EarliestDeadlineFirst>();
}

std::unique_ptr<TemporalRule> MakeShortestJobFirst() {
  return std::make_unique<ShortestJobFirst>();
}

std::unique_ptr<TemporalRule> MakeLeastLaxityFirst() {
  return std::make_unique<LeastLaxityFirst>();
}

std::unique_ptr<TemporalRule> MakeTenantRoundRobin() {
  return std::make_unique<TenantRoundRobin>();
}

}  // namespace fairlead
