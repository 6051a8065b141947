#include "fairlead/running/seeded_world.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "fairlead/base/random.h"
#include "fairlead/running/resampled_requests.h"
#include "fairlead/workload/arrivals.h"
#include "fairlead/world/world_slowdowns.h"

namespace fairlead {
namespace {

// Zipf's targets are dealt within each group of tenants.
std::vector<ServiceAgreement> DealTargets(const World& world, std::uint64_t seed) {
  std::vector<ServiceAgreement> agreements;
  for (const PlannedAgreement& planned : world.agreements) agreements.push_back(planned.agreement);
  for (std::size_t g = 0; g < world.scenario.tenants.size(); ++g) {
    const TenantsConfig& config = world.scenario.tenants[g];
    if (!config.zipf.has_value()) continue;
    std::vector<std::size_t> members;
    for (std::size_t a = 0; a < world.agreements.size(); ++a) {
      if (world.agreements[a].group == g) members.push_back(a);
    }
    RandomStream random(seed, "targets/" + config.name);
    const std::vector<double> targets =
        DealByZipf(config.zipf->rates, members.size(), config.zipf->exponent, random);
    for (std::size_t i = 0; i < members.size(); ++i) agreements[members[i]].target = targets[i];
  }
  return agreements;
}

CostTable Believed(const World& world, std::uint64_t seed) {
  const BeliefError& error = world.scenario.beliefs;
  if (error.none()) return *world.truth;
  return world.truth->Perturbed(world.networks, world.platform, error, seed);
}

// What agreements from `first` on ask for, as they are described.
std::unique_ptr<RequestSource> Described(const World& world, std::size_t first,
                                         std::uint64_t seed) {
  GeneratedRequestsOptions options{.streams = {},
                                   .levels = world.scenario.levels,
                                   .horizon = Instant{} + world.scenario.horizon,
                                   .seed = seed};
  for (std::size_t a = first; a < world.agreements.size(); ++a) {
    const PlannedAgreement& planned = world.agreements[a];
    options.streams.push_back({.agreement = AgreementId{a},
                               .tenant = world.tenants[planned.agreement.tenant.index()].name,
                               .network = world.networks[planned.agreement.network.index()].name(),
                               .arrivals = planned.arrivals,
                               .deadline = planned.agreement.deadline,
                               .levelled = planned.levelled,
                               .priority = planned.priority,
                               .start = planned.joins,
                               .stop = planned.leaves});
  }
  return std::make_unique<GeneratedRequests>(options);
}

}  // namespace

std::unique_ptr<RequestSource> DrawRequests(const World& world, std::uint64_t seed) {
  if (world.resampling.has_value()) {
    const auto described = Described(world, world.resampling->kept.size(), seed);
    return std::make_unique<ListedRequests>(ResampledRequests(world, seed, *described));
  }
  if (world.listed()) return std::make_unique<ListedRequests>(world.requests);
  return Described(world, 0, seed);
}

// The plan was read and checked when the world was built: what runs is what was checked.
// Other files are remembered, for recordings.
PolicyContext SeededWorld::ContextOf(const World& world, std::uint64_t seed, PolicyFiles& files) {
  PolicyContext context{.seed = seed, .platform = &world.platform};
  if (world.plan.has_value()) context.plan = world.plan->file;
  context.read = [&plan = world.plan, &files](const std::string& path) -> Result<std::string> {
    if (plan.has_value() && path == plan->file) return plan->text;
    if (const auto found = files.read.find(path); found != files.read.end()) return found->second;
    if (files.closed)
      return Fail("{}: only files that the scenario's own policies name can be used here", path);
    ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    return files.read[path] = std::move(text);
  };
  return context;
}

SeededWorld::SeededWorld(const World& world, std::uint64_t seed, Order order)
    : arrangement_(order == Order::kAsListed ? AsListed(world)
                                             : ByDraw(world, Believed(world, seed), seed)),
      world_(Arranged(world, arrangement_)),
      context_(ContextOf(world_, seed, *files_)),
      agreements_(DealTargets(world_, seed)),
      beliefs_(BesideOthers(world_, Believed(world_, seed))),
      interference_(TrueInterference(world_)),
      requests_(DrawRequests(world_, seed)) {
  context_.thinking_pj = &thinking_pj_;
  initial_.platform = &world_.platform;
  initial_.networks = world_.networks;
  initial_.beliefs = &beliefs_;
  ArrangeJoining();
  timeline_.insert(timeline_.end(), world_.changes.begin(), world_.changes.end());
  SortTimeline();
}

// Who joins at an instant is there before something changes for them at that instant, and has
// their history by then.
void SeededWorld::SortTimeline() {
  const auto rank = [](const TimedInput& timed) {
    const bool who = std::holds_alternative<TenantJoin>(timed.input) ||
                     std::holds_alternative<AgreementStart>(timed.input) ||
                     std::holds_alternative<TenantLeave>(timed.input);
    return who ? 0 : std::holds_alternative<AgreementContinue>(timed.input) ? 1 : 2;
  };
  std::ranges::stable_sort(
      timeline_, {}, [&](const TimedInput& timed) { return std::pair(timed.at, rank(timed)); });
}

void SeededWorld::Continue(std::span<const KeptAgreement> books) {
  using Names = std::pair<std::string_view, std::string_view>;
  std::map<Names, const AgreementHistory*> by_name;
  for (const KeptAgreement& kept : books)
    by_name.emplace(Names(kept.tenant, kept.network), &kept.history);
  for (std::size_t a = 0; a < agreements_.size(); ++a) {
    const auto found = by_name.find({world_.tenants[agreements_[a].tenant.index()].name,
                                     world_.networks[agreements_[a].network.index()].name()});
    if (found == by_name.end()) continue;
    const Instant joins = world_.listed() ? Instant{} : world_.agreements[a].joins;
    timeline_.push_back({joins, AgreementContinue{AgreementId{a}, *found->second}});
  }
  SortTimeline();
}

SimulationSetup SeededWorld::Setup() {
  SimulationSetup setup;
  setup.world = initial_;
  setup.engine = {.period = world_.scenario.period,
                  .late = world_.scenario.late,
                  .measured_from = Instant{} + world_.scenario.warm_up};
  setup.truth = &*world_.truth;
  setup.interference = interference_.get();
  setup.requests = requests_.get();
  setup.timeline = timeline_;
  setup.charge = world_.charge;
  setup.guard = world_.scenario.guard;
  if (setup.guard.has_value()) setup.engine.wrong_plan = WrongPlan::kSkip;
  setup.policies = [this](std::string_view spec) { return Policy(spec); };
  return setup;
}

std::unique_ptr<InterferenceModel> SeededWorld::BelievedInterference() const {
  const bool in_beliefs = world_.believed_slowdowns != nullptr;
  return MakeBandwidthSharing(in_beliefs ? Sharing::kNone : world_.scenario.platform.sharing,
                              world_.platform.bandwidth);
}

// Splits tenants into those who are there at the start and those who join later.
void SeededWorld::ArrangeJoining() {
  if (world_.listed()) {
    initial_.tenants = world_.tenants;
    initial_.agreements = agreements_;
    return;
  }
  std::size_t next_agreement = 0;
  for (std::size_t t = 0; t < world_.tenants.size(); ++t) {
    Instant joins{};
    Instant leaves = kNever;
    const std::size_t first = next_agreement;
    while (next_agreement < world_.agreements.size() &&
           agreements_[next_agreement].tenant == TenantId{t}) {
      joins = world_.agreements[next_agreement].joins;
      leaves = world_.agreements[next_agreement].leaves;
      ++next_agreement;
    }
    if (joins == Instant{}) {
      initial_.tenants.push_back(world_.tenants[t]);
    } else {
      timeline_.push_back({joins, TenantJoin{world_.tenants[t]}});
    }
    for (std::size_t a = first; a < next_agreement; ++a) {
      if (joins == Instant{}) {
        initial_.agreements.push_back(agreements_[a]);
      } else {
        timeline_.push_back({joins, AgreementStart{agreements_[a]}});
      }
    }
    if (leaves != kNever) timeline_.push_back({leaves, TenantLeave{TenantId{t}}});
  }
}

}  // namespace fairlead
