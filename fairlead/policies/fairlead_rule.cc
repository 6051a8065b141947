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
constexpr std::size_t kJobsPerChange = 512;  // a selection of so many outlives one event
constexpr std::int32_t kHopeless = 8;        // ranks, behind those that can still make it

// In the order of selection.
enum class Class : std::int32_t { kOwed, kNeeded, kSafe, kGivenUp, kShort, kFree, kBeyond };

class FairleadRule final : public ScoringRule {
 public:
  explicit FairleadRule(Triage triage) : triage_(triage) {
    places_.reserve(kRoomAtFirst);
    candidates_.reserve(kRoomAtFirst);
    order_.reserve(kRoomAtFirst);
    place_.reserve(kRoomAtFirst);
    deadlines_.reserve(kRoomAtFirst);
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
    ++changes_;
    if (event.kind == EventKind::kPolicyChanged || event.kind == EventKind::kAgreementChanged ||
        event.kind == EventKind::kAcceleratorJoined || event.kind == EventKind::kAcceleratorLeft)
      changes_ = candidates_.size();
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
    const double now = Now(view);
    for (ScoredSegment& segment : segments) {
      const Candidate& job = CandidateOf(view, segment);
      if (job.selected) {
        segment.rank = ComesFirst(job, now) ? 0 : 1;
        segment.score = job.deadline;
      } else {
        segment.rank = 2 + static_cast<std::int32_t>(job.in);
        if (job.rest > job.deadline - now) segment.rank += kHopeless;
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
    double work = 1;  // believed to be left, alone
    double deadline = 0;
    double rest = 0;     // what is left to do at least, as observed; 0 while all of it runs
    double density = 0;  // worth per work
  };
  // Where a job slot's candidate stands.
  struct Place {
    std::uint64_t selection = 0;
    std::uint32_t candidate = 0;
  };
  // What the ledger says of an agreement: asked once per selection.
  struct Standing {
    std::uint64_t selection = 0;
    Class in = Class::kFree;
    double worth = 1;
  };

  double RestOf(const SystemView& view, const ScoredSegment& segment) const {
    const NetworkId network = view.job(segment.job).network;
    return static_cast<double>(Nanoseconds(view.costs().ShortestTail(network, segment.segment))) *
           pace_.Stretch(network);
  }

  static bool ComesFirst(const Candidate& job, double now) {
    return job.in == Class::kOwed || ((job.in == Class::kNeeded || job.in == Class::kShort) &&
                                      job.deadline - now <= kTight * job.rest);
  }

  static double Now(const SystemView& view) {
    return static_cast<double>(Nanoseconds(view.now() - Instant{}));
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
    selected_ = true;
    if (changes_ * kJobsPerChange < candidates_.size()) return;
    changes_ = 0;
    ++selection_;
    Gather(view, segments);
    const bool all_fit = AllFit(Now(view));
    if (all_fit && candidates_.size() < kJobsPerChange) return;  // nobody will join them
    bound_.Begin(room_);
    if (all_fit) {
      for (std::size_t place = 0; place < order_.size(); ++place)
        bound_.Take(place, candidates_[order_[place]].work);
      return;
    }
    place_.resize(candidates_.size());
    for (std::uint32_t place = 0; place < order_.size(); ++place) place_[order_[place]] = place;
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      const Candidate& x = candidates_[a];
      const Candidate& y = candidates_[b];
      if (x.in != y.in) return x.in < y.in;
      return x.density != y.density ? x.density > y.density : x.serial < y.serial;
    });
    const double now = Now(view);
    for (const std::uint32_t i : order_) {
      Candidate& job = candidates_[i];
      job.selected = job.in != Class::kBeyond && job.rest <= job.deadline - now &&
                     bound_.Admit(place_[i], job.work);
    }
  }

  void Gather(const SystemView& view, std::span<const ScoredSegment> segments) {
    candidates_.clear();
    for (const ScoredSegment& segment : segments) {
      Candidate& job = Added(view, segment.job);
      job.rest = std::max(job.rest, RestOf(view, segment));
    }
    for (const AcceleratorState& accelerator : view.accelerators()) {
      for (const AssignmentId id : accelerator.running) {
        for (const JobId job : view.assignment(id).jobs) Added(view, job);
      }
    }
  }

  // A job that has come since the selection is let in if there is room for it.
  const Candidate& CandidateOf(const SystemView& view, const ScoredSegment& segment) {
    const std::size_t before = candidates_.size();
    Candidate& job = Added(view, segment.job);
    if (candidates_.size() == before) return job;
    job.rest = RestOf(view, segment);
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(deadlines_, job.deadline) -
                                                deadlines_.begin());
    job.selected = job.in != Class::kBeyond && job.rest <= job.deadline - Now(view) &&
                   bound_.Admit(std::min(place, deadlines_.size() - 1), job.work);
    return job;
  }

  Candidate& Added(const SystemView& view, JobId id) {
    if (places_.size() <= id.index()) places_.resize(2 * id.index() + 1);
    Place& place = places_[id.index()];
    const Job& job = view.job(id);
    if (place.selection == selection_ && candidates_[place.candidate].serial == job.serial)
      return candidates_[place.candidate];
    place = {.selection = selection_, .candidate = static_cast<std::uint32_t>(candidates_.size())};
    const Standing standing = StandingOf(view, id);
    const double work = std::max(static_cast<double>(Nanoseconds(job.work_left)), 1.0);
    return candidates_.emplace_back(
        Candidate{.serial = job.serial,
                  .in = standing.in,
                  .work = work,
                  .deadline = static_cast<double>(Nanoseconds(job.deadline - Instant{})),
                  .density = standing.in == Class::kGivenUp
                                 ? -static_cast<double>(sacrifice_.PlaceOf(job.agreement).own)
                                 : standing.worth / work});
  }

  // Puts candidates in the order of their deadlines.
  bool AllFit(double now) {
    order_.resize(candidates_.size());
    room_.resize(candidates_.size());
    deadlines_.resize(candidates_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      const Candidate& x = candidates_[a];
      const Candidate& y = candidates_[b];
      return x.deadline != y.deadline ? x.deadline < y.deadline : x.serial < y.serial;
    });
    bool fit = true;
    double work = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Candidate& job = candidates_[order_[i]];
      const double slack = job.deadline - now;
      deadlines_[i] = job.deadline;
      room_[i] = kPartForWhatIsThere * pace_.Pace() * std::max(slack, 0.0);
      work += job.work;
      fit = fit && job.in != Class::kBeyond && work <= room_[i] && job.rest <= slack;
    }
    return fit;
  }

  Standing StandingOf(const SystemView& view, JobId id) {
    const Job& job = view.job(id);
    if (!job.covered || IsBeyond(view, id)) return {.in = Class::kBeyond};
    if (floors_.Owed(view, id, entitlement_)) return {.in = Class::kOwed};
    if (standings_.size() < view.ledger().size()) standings_.resize(view.ledger().size());
    Standing& standing = standings_[job.agreement.index()];
    if (standing.selection != selection_) {
      standing = Look(view, job.agreement);
      standing.selection = selection_;
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
  std::uint64_t selection_ = 0;
  std::size_t changes_ = 0;          // events since
  bool selected_ = false;            // for the decision under way
  std::vector<Standing> standings_;  // per agreement
  std::vector<Place> places_;        // per job slot
  // Scratch of a decision.
  DemandBound bound_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> place_;  // of each candidate by deadline
  std::vector<double> deadlines_;     // in order
  std::vector<double> room_;
};

}  // namespace

std::unique_ptr<ScoringRule> MakeFairleadRule(Triage triage) {
  return std::make_unique<FairleadRule>(triage);
}

}  // namespace fairlead
