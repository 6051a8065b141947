#include "fairlead/running/provision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/running/quote.h"
#include "fairlead/running/quote_evidence.h"
#include "fairlead/running/quote_world.h"

namespace fairlead {
namespace {

using Counts = std::vector<int>;

constexpr double kMostPlatforms = 200'000;

// What names accelerators stays true on one platform only.
Status CheckNothingNamesAccelerators(const Scenario& scenario) {
  for (const ChangeConfig& change : scenario.changes) {
    if (!change.accelerator.empty())
      return FailAt(change.place,
                    "a change of an accelerator: they come and go with the platform here; remove "
                    "it");
  }
  if (!scenario.charge.accelerator.empty())
    return FailAt(scenario.charge.place,
                  "decisions that run on an accelerator: leave out 'accelerator', so that they run "
                  "beside all");
  return {};
}

class Provisioner {
 public:
  Provisioner(const World& world, const ProvisionOptions& options, ChosenTraffic traffic)
      : world_(world), options_(options), traffic_(std::move(traffic)) {
    for (const AcceleratorsConfig& kind : world.scenario.platform.accelerators) {
      current_.push_back(kind.count);
      results_.kinds.push_back(kind.kind);
    }
    results_.costs = options.costs;
    results_.confidence = kQuoteConfidence;
    results_.policy = options.policy;
    results_.first_seed = traffic_.drawn.front().seed;
    results_.drawn = static_cast<int>(traffic_.drawn.size());
    results_.simulated = static_cast<int>(traffic_.heavy.size() + traffic_.others.size());
    results_.most = options.most > 0 ? options.most : 2 * std::ranges::max(current_);
  }

  Result<ProvisionResults> Find() {
    if (std::pow(results_.most + 1, static_cast<double>(current_.size())) > kMostPlatforms)
      return Fail("--max {}: too many platforms of {} kinds; lower it", results_.most,
                  current_.size());
    std::vector<Counts> left;
    Counts counts(current_.size(), 0);
    ExcludeByBound(counts, 0, left);
    std::ranges::sort(left, {}, [&](const Counts& one) {
      Counts listed_first = one;
      for (int& count : listed_first) count = -count;
      return std::tuple(CostOf(one), std::accumulate(one.begin(), one.end(), 0), listed_first);
    });
    RETURN_IF_ERROR(Search(left));
    RETURN_IF_ERROR(LookAtNext());
    results_.reason = Reason();
    return std::move(results_);
  }

 private:
  double CostOf(const Counts& counts) const {
    return std::inner_product(counts.begin(), counts.end(), options_.costs.begin(), 0.0);
  }

  bool BoundAllows(const Counts& counts) const {
    if (std::ranges::all_of(counts, [](int count) { return count == 0; })) return false;
    const auto world = OnPlatform(world_, counts, options_.read);
    return world.has_value() && !ProvablyNot(*world, traffic_.heavy.front());
  }

  // More accelerators never lower the bound: of the last kind, the fewest that it allows.
  void ExcludeByBound(Counts& counts, std::size_t kind, std::vector<Counts>& left) {
    if (kind + 1 < counts.size()) {
      for (int count = 0; count <= results_.most; ++count) {
        counts[kind] = count;
        ExcludeByBound(counts, kind + 1, left);
        if (options_.progressed && kind == 0)
          options_.progressed(kBoundShare * (count + 1) / (results_.most + 1));
      }
      return;
    }
    int low = 0;
    int high = results_.most + 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      counts[kind] = middle;
      if (BoundAllows(counts)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    results_.excluded += static_cast<std::size_t>(low);
    for (int count = 0; count < low; ++count) {
      counts[kind] = count;
      excluded_costs_.push_back(CostOf(counts));
    }
    for (int count = low; count <= results_.most; ++count) {
      counts[kind] = count;
      left.push_back(counts);
    }
  }

  Result<TriedPlatform> Try(const Counts& counts) const {
    TriedPlatform tried{.counts = counts, .cost = CostOf(counts)};
    const auto world = OnPlatform(world_, counts, options_.read);
    if (!world.has_value()) return tried;
    ASSIGN_OR_RETURN(const Evidence evidence,
                     Judge(*world, traffic_,
                           {.plan = {.policy = options_.policy, .threads = options_.threads},
                            .confidence = kQuoteConfidence,
                            .after_proof = AfterProof::kSimulate}));
    tried.verdict = VerdictOf(evidence.verdict);
    tried.kept = KeptShare(evidence.trials);
    tried.worst = WorstMargin(evidence.trials);
    tried.weakest = WeakestOf(evidence, *world);
    if (evidence.forecast.has_value()) tried.worst_margin = evidence.forecast->worst_margin;
    return tried;
  }

  // By what is predicted, where that is known; else on the simulated traffics.
  static std::string WeakestOf(const Evidence& evidence, const World& world) {
    std::optional<std::size_t> weakest;
    double lowest = 0;
    const auto look_at = [&](std::size_t a, double margin) {
      if (weakest.has_value() && margin >= lowest) return;
      weakest = a;
      lowest = margin;
    };
    for (std::size_t a = 0; evidence.forecast.has_value() && a < world.agreements.size(); ++a) {
      if (const auto& share = evidence.forecast->shares[a]; share.has_value())
        look_at(a, share->margin);
    }
    for (std::size_t i = 0; !evidence.forecast.has_value() && i < evidence.trials.size(); ++i) {
      if (const auto worst = evidence.trials[i].WorstAgreement(); worst.has_value())
        look_at(*worst, evidence.trials[i].Worst()->margin);
    }
    if (!weakest.has_value()) return {};
    const ServiceAgreement& agreement = world.agreements[*weakest].agreement;
    return fmt::format("{} {}", world.tenants[agreement.tenant.index()].name,
                       world.networks[agreement.network.index()].name());
  }

  static TriedPlatform::Verdict VerdictOf(Verdict verdict) {
    switch (verdict) {
      case Verdict::kProvablyNot: return TriedPlatform::Verdict::kProvablyNot;
      case Verdict::kBroken: return TriedPlatform::Verdict::kBroken;
      case Verdict::kUncertain: return TriedPlatform::Verdict::kUncertain;
      case Verdict::kKeeps: return TriedPlatform::Verdict::kKeeps;
    }
    return TriedPlatform::Verdict::kBroken;
  }

  Status Search(const std::vector<Counts>& cheapest_first) {
    for (std::size_t i = 0; i < cheapest_first.size(); ++i) {
      ASSIGN_OR_RETURN(TriedPlatform tried, Try(cheapest_first[i]));
      results_.tried.push_back(std::move(tried));
      if (results_.tried.back().verdict == TriedPlatform::Verdict::kKeeps) {
        results_.smallest = i;
        return {};
      }
      if (options_.progressed) {
        const auto share = static_cast<double>(i + 1) / static_cast<double>(cheapest_first.size());
        options_.progressed(kBoundShare + (kSearchShare - kBoundShare) * share);
      }
    }
    return {};
  }

  // What one more of each kind does for the platform that there is.
  Status LookAtNext() {
    ASSIGN_OR_RETURN(results_.current, Again(current_));
    for (std::size_t kind = 0; kind < current_.size(); ++kind) {
      Counts more = current_;
      ++more[kind];
      ASSIGN_OR_RETURN(TriedPlatform tried, Again(more));
      results_.next.push_back(std::move(tried));
      if (options_.progressed) {
        const auto share = static_cast<double>(kind + 1) / static_cast<double>(current_.size());
        options_.progressed(kSearchShare + (1 - kSearchShare) * share);
      }
    }
    return {};
  }

  // What was tried already need not be simulated again.
  Result<TriedPlatform> Again(const Counts& counts) const {
    const auto known = std::ranges::find(results_.tried, counts, &TriedPlatform::counts);
    if (known != results_.tried.end()) return *known;
    return Try(counts);
  }

  std::string Reason() const {
    if (!results_.smallest.has_value())
      return fmt::format(
          "no platform with up to {} of each kind keeps all promises with {:.0f} % "
          "confidence",
          results_.most, 100 * kQuoteConfidence);
    const TriedPlatform& found = results_.tried[*results_.smallest];
    return fmt::format(
        "all promises are kept on a new traffic with {:.0f} % confidence, by at least {:.1f} "
        "points; of what is cheaper, the bound excludes {} platforms and simulation {}",
        100 * kQuoteConfidence, 100 * found.worst_margin.value_or(0), CheaperExcluded(found),
        *results_.smallest);
  }

  std::size_t CheaperExcluded(const TriedPlatform& found) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(excluded_costs_, [&](double cost) { return cost < found.cost; }));
  }

  // Of the work, for the meter.
  static constexpr double kBoundShare = 0.1;
  static constexpr double kSearchShare = 0.8;

  const World& world_;
  const ProvisionOptions& options_;
  ChosenTraffic traffic_;
  Counts current_;
  std::vector<double> excluded_costs_;
  ProvisionResults results_;
};

}  // namespace

Result<ProvisionResults> Provision(const Scenario& scenario, const ProvisionOptions& options) {
  CHECK(options.costs.size() == scenario.platform.accelerators.size());
  RETURN_IF_ERROR(CheckNothingNamesAccelerators(scenario));
  ProvisionOptions settled = options;
  if (settled.policy.empty()) settled.policy = PolicyToQuote(scenario);
  const std::uint64_t seed = options.seed.value_or(scenario.seed);
  ASSIGN_OR_RETURN(const World world, SettledWorld(scenario, seed, options.read));
  RETURN_IF_ERROR(CheckPromises(world));
  ChosenTraffic traffic =
      ChooseTraffic(world, {.first_seed = seed, .draws = kQuoteDraws, .threads = options.threads},
                    options.trials);
  return Provisioner(world, settled, std::move(traffic)).Find();
}

}  // namespace fairlead
