#include "fairlead/policies/fairlead_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "fairlead/domain/tenant.h"
#include "fairlead/policies/demand_bound.h"
#include "fairlead/policies/entitlement.h"
#include "fairlead/policies/floor_credits.h"
#include "fairlead/policies/observed_pace.h"
#include "fairlead/policies/sacrifice.h"

namespace fairlead {
namespace {

constexpr double kPartForWhatIsThere = 0.5;  // of the pace; the rest is for what is yet to come
constexpr double kRounding = 2;              // failures to spare, beside what chance may take
constexpr double kTight = 2;                // slack over what is left to do, below that it is tight
constexpr double kForgetting = 1.0 / 1024;  // of the mean of best effort, with each outcome

// In the order of selection.
enum class Class : std::int32_t { kOwed, kNeeded, kSafe, kGivenUp, kShort, kFree, kBeyond };

class FairleadRule final : public ScoringRule {
 public:
  explicit FairleadRule(Triage triage) : triage_(triage) {
    places_.reserve(kRoomAtFirst);
    candidates_.reserve(kRoomAtFirst);
    order_.reserve(kRoomAtFirst);
    room_.reserve(kRoomAtFirst);
    bound_.Reserve(kRoomAtFirst);
  }

  void Observe(const SystemView& view, const Event& event) override {
    entitlement_.Observe(view, event);
    // Not at every event: many agreements may change at once.
    if (event.kind == EventKind::kSegmentStarted || event.kind == EventKind::kJobFinished)
      entitlement_.Refresh(view);
    floors_.Observe(view, event, entitlement_);
    pace_.Observe(view, event);
    if (triage_ == Triage::kOrdered) sacrifice_.Observe(view, event);
    if (event.kind == EventKind::kJobFinished) NoteOutcome(view, event);
  }

  void Begin(const SystemView& view, SchedulingPlan& plan) override {
    selected_ = false;
    entitlement_.Refresh(view);
    pace_.Begin(view);
    if (triage_ == Triage::kOrdered) sacrifice_.Decide(view, entitlement_, plan);
  }

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    if (!selected_) Select(view, segments);
    for (ScoredSegment& segment : segments) {
      const Candidate& job = candidates_[places_[segment.job.index()].candidate];
      if (job.selected) {
        segment.rank = ComesFirst(job) ? 0 : 1;
        segment.score = job.slack;
      } else {
        segment.rank = 2 + static_cast<std::int32_t>(job.in);
        segment.score = -job.density;
      }
    }
  }

  bool Exceeds(const SystemView& view, JobId id) const override {
    return !view.job(id).covered || IsBeyond(view, id);
  }

 private:
  static constexpr std::size_t kRoomAtFirst = 2048;  // jobs

  // A job that is ready or runs. Times are nanoseconds.
  struct Candidate {
    std::uint64_t serial = 0;
    Class in = Class::kFree;
    bool selected = true;
    double work = 1;        // believed to be left, alone
    double slack = 0;       // until the deadline
    double rest = 0;        // what is left to do at least, as observed; 0 while all of it runs
    double density = 0;     // worth per work
    std::size_t place = 0;  // by deadline
  };
  // Where a job slot's candidate stands.
  struct Place {
    std::uint64_t decision = 0;
    std::uint32_t candidate = 0;
  };
  // What the ledger says of an agreement: asked once per decision.
  struct Standing {
    std::uint64_t decision = 0;
    Class in = Class::kFree;
    double worth = 1;
  };

  static bool ComesFirst(const Candidate& job) {
    return job.in == Class::kOwed || ((job.in == Class::kNeeded || job.in == Class::kShort) &&
                                      job.slack <= kTight * job.rest);
  }

  // The entitlement, and not owed as a floor.
  bool IsBeyond(const SystemView& view, JobId id) const {
    return entitlement_.Exceeded(id, view.job(id).serial) && !floors_.Owed(view, id, entitlement_);
  }

  void NoteOutcome(const SystemView& view, const Event& event) {
    const Job& job = view.job(event.job);
    if (!job.covered || view.ledger().Promise(job.agreement).IsPromised()) return;
    ended_ += 1 - kForgetting * ended_;
    hits_ += (event.outcome == Outcome::kHit ? 1 : 0) - kForgetting * hits_;
  }

  void Select(const SystemView& view, std::span<const ScoredSegment> segments) {
    ++decision_;
    selected_ = true;
    Gather(view, segments);
    if (AllFit()) return;
    bound_.Begin(room_);
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      const Candidate& x = candidates_[a];
      const Candidate& y = candidates_[b];
      if (x.in != y.in) return x.in < y.in;
      return x.density != y.density ? x.density > y.density : x.serial < y.serial;
    });
    for (const std::uint32_t i : order_) {
      Candidate& job = candidates_[i];
      job.selected =
          job.in != Class::kBeyond && job.rest <= job.slack && bound_.Admit(job.place, job.work);
    }
  }

  void Gather(const SystemView& view, std::span<const ScoredSegment> segments) {
    candidates_.clear();
    for (const ScoredSegment& segment : segments) {
      const NetworkId network = view.job(segment.job).network;
      const auto tail =
          static_cast<double>(Nanoseconds(view.costs().ShortestTail(network, segment.segment)));
      Candidate& job = CandidateOf(view, segment.job);
      job.rest = std::max(job.rest, tail * pace_.Stretch(network));
    }
    for (const AcceleratorState& accelerator : view.accelerators()) {
      for (const AssignmentId id : accelerator.running) {
        for (const JobId job : view.assignment(id).jobs) CandidateOf(view, job);
      }
    }
  }

  Candidate& CandidateOf(const SystemView& view, JobId id) {
    if (places_.size() <= id.index()) places_.resize(2 * id.index() + 1);
    Place& place = places_[id.index()];
    if (place.decision == decision_) return candidates_[place.candidate];
    place = {.decision = decision_, .candidate = static_cast<std::uint32_t>(candidates_.size())};
    const Job& job = view.job(id);
    const Standing standing = StandingOf(view, id);
    const double work = std::max(static_cast<double>(Nanoseconds(job.work_left)), 1.0);
    return candidates_.emplace_back(
        Candidate{.serial = job.serial,
                  .in = standing.in,
                  .work = work,
                  .slack = static_cast<double>(Nanoseconds(job.deadline - view.now())),
                  .density = standing.in == Class::kGivenUp
                                 ? -static_cast<double>(sacrifice_.PlaceOf(job.agreement).own)
                                 : standing.worth / work});
  }

  // Puts candidates in the order of their deadlines.
  bool AllFit() {
    order_.resize(candidates_.size());
    room_.resize(candidates_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      const Candidate& x = candidates_[a];
      const Candidate& y = candidates_[b];
      return x.slack != y.slack ? x.slack < y.slack : x.serial < y.serial;
    });
    bool fit = true;
    double work = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      Candidate& job = candidates_[order_[i]];
      job.place = i;
      room_[i] = kPartForWhatIsThere * pace_.Pace() * std::max(job.slack, 0.0);
      work += job.work;
      fit = fit && job.in != Class::kBeyond && work <= room_[i] && job.rest <= job.slack;
    }
    return fit;
  }

  Standing StandingOf(const SystemView& view, JobId id) {
    const Job& job = view.job(id);
    if (!job.covered || IsBeyond(view, id)) return {.in = Class::kBeyond};
    if (floors_.Owed(view, id, entitlement_)) return {.in = Class::kOwed};
    if (standings_.size() < view.ledger().size()) standings_.resize(view.ledger().size());
    Standing& standing = standings_[job.agreement.index()];
    if (standing.decision != decision_) {
      standing = Look(view, job.agreement);
      standing.decision = decision_;
    }
    return standing;
  }

  Standing Look(const SystemView& view, AgreementId id) const {
    const FairnessLedger& ledger = view.ledger();
    const ServiceAgreement& promise = ledger.Promise(id);
    const OutcomeCounts& counts = ledger.Current(id);
    const auto ended = static_cast<double>(counts.ended());
    const auto hits = static_cast<double>(counts.hits());
    if (view.Sacrificed(id)) return {.in = Class::kGivenUp};
    const double per_hundred = 100 / (100 + ended);
    if (!promise.IsPromised()) {
      const double weight = view.tenants()[promise.tenant.index()].weight;
      const double mean = ended_ > 0 ? std::min(1.0, weight * hits_ / ended_) : 0;
      const double lacking = mean * ended - hits;
      return {.in = lacking > 1 ? Class::kShort : Class::kFree,
              .worth = 1 + per_hundred * std::max(lacking, 0.0)};
    }
    if (promise.deadline < view.costs().FastestTotal(promise.network)) return {.in = Class::kSafe};
    const double share = PromisedShare(promise);
    const double reserve = kRounding + std::sqrt(share * (1 - share) * ended);
    double spare = reserve;
    if (promise.target.has_value() && *promise.target > 0)
      spare = std::min(spare, hits / *promise.target - ended);
    if (promise.window > 0) spare = std::min<double>(spare, ledger.MissesLeft(id) - 1);
    if (spare >= reserve) return {.in = Class::kSafe};
    return {.in = Class::kNeeded, .worth = 1 + per_hundred * (reserve - spare)};
  }

  Triage triage_;
  Entitlement entitlement_;
  Sacrifice sacrifice_;
  FloorCredits floors_;
  ObservedPace pace_;
  double ended_ = 0;  // outcomes of best effort lately,
  double hits_ = 0;   // and the hits among them
  std::uint64_t decision_ = 0;
  bool selected_ = false;            // for the decision under way
  std::vector<Standing> standings_;  // per agreement
  std::vector<Place> places_;        // per job slot
  // Scratch of a decision.
  DemandBound bound_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> order_;
  std::vector<double> room_;
};

}  // namespace

std::unique_ptr<ScoringRule> MakeFairleadRule(Triage triage) {
  return std::make_unique<FairleadRule>(triage);
}

}  // namespace fairlead
