#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "fairlead/sharing/kind_counts.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/preference_walk.h"

namespace fairlead {
namespace {

class Themis final : public SharingMechanism {
 public:
  Themis(const Market& market, const ThemisOptions& options, CountSolver solver)
      : market_(market),
        options_(options),
        solver_(std::move(solver)),
        match_(market),
        walk_(market),
        due_(static_cast<std::size_t>(market.agents())),
        had_(due_.size()) {}

  std::string_view Name() const override { return "themis"; }
  double Gap() const override { return gap_; }

  void Allocate(const Reports& reports, Allocation& allocation) override {
    if (options_.work == ThemisOptions::Work::kWaiting) return FillByWaiting(reports, allocation);
    std::vector<Place> places = Places(reports);
    const std::vector<Place> active = places;
    if (options_.offered < 1) KeepWorst(places);
    std::vector<double> worth;
    for (const Place& place : places)
      worth.insert(worth.end(), place.worth.begin(), place.worth.end());
    const CountSolution& solution = Solution(worth);
    const auto kinds = static_cast<std::size_t>(market_.kinds());
    std::vector<int> counts(static_cast<std::size_t>(market_.agents()) * kinds);
    for (std::size_t p = 0; p < places.size(); ++p) {
      for (std::size_t k = 0; k < kinds; ++k)
        counts[static_cast<std::size_t>(places[p].agent) * kinds + k] =
            solution.counts[p * kinds + k];
    }
    gap_ = solution.gap;
    if (options_.which == ThemisOptions::Which::kTurns)
      match_.AssignInTurns(counts, round_, allocation);
    else
      match_.Assign(reports, std::move(counts), allocation);
    Remember(active, allocation);
    ++round_;
  }

 private:
  struct Place {
    std::vector<double> worth;  // of one accelerator of each kind
    int agent;
  };

  // The agent that has least of what its share of all would do takes its best, until nothing that
  // is left is of use.
  void FillByWaiting(const Reports& reports, Allocation& allocation) {
    walk_.Begin(reports, allocation);
    const int agents = market_.agents();
    std::vector<double> share(due_.size());
    for (int a = 0; a < agents; ++a) {
      double& of_agent = share[static_cast<std::size_t>(a)];
      for (int g = 0; g < market_.groups(); ++g)
        of_agent += reports.utility(market_, a, g) * market_.group(g).count;
      if (options_.rho == ThemisOptions::Rho::kWeighted)
        of_agent *= static_cast<double>(market_.weight(a));
    }
    std::vector<double> had(due_.size());
    std::vector<bool> done(due_.size());
    while (walk_.left() > 0) {
      int worst = -1;
      for (int i = 0; i < agents; ++i) {
        const auto a = static_cast<std::size_t>((round_ + i) % agents);
        if (done[a]) continue;
        if (worst < 0 || had[a] * share[static_cast<std::size_t>(worst)] <
                             had[static_cast<std::size_t>(worst)] * share[a])
          worst = static_cast<int>(a);
      }
      if (worst < 0) break;
      const int group = walk_.First(worst, kOfUse);
      if (group == PreferenceWalk::kNoGroup) {
        done[static_cast<std::size_t>(worst)] = true;
        continue;
      }
      walk_.Take(worst, group);
      had[static_cast<std::size_t>(worst)] += reports.utility(market_, worst, group);
    }
    ++round_;
  }

  // Agents with work in an order that depends only on what they are worth, alike ones in turns.
  std::vector<Place> Places(const Reports& reports) const {
    const std::vector<double> rates = RatesByKind(market_, reports);
    std::vector<Place> places;
    for (const int agent : ActiveAgents(market_, reports)) {
      const double* of_agent = rates.data() + market_.of_kind(agent, 0);
      double entitled = 0;
      for (int k = 0; k < market_.kinds(); ++k) entitled += of_agent[k] * market_.count_of_kind(k);
      entitled *= options_.rho == ThemisOptions::Rho::kWeighted
                      ? static_cast<double>(market_.weight(agent)) /
                            static_cast<double>(market_.total_weight())
                      : 1.0 / market_.agents();
      if (entitled <= 0) continue;
      Place place{.worth = {}, .agent = agent};
      for (int k = 0; k < market_.kinds(); ++k) place.worth.push_back(of_agent[k] / entitled);
      places.push_back(std::move(place));
    }
    std::ranges::stable_sort(places, {}, &Place::worth);
    for (auto begin = places.begin(); begin != places.end();) {
      const auto end = std::find_if(begin, places.end(),
                                    [&](const Place& p) { return p.worth != begin->worth; });
      std::rotate(begin, begin + round_ % (end - begin), end);
      begin = end;
    }
    return places;
  }

  // Those of the largest rho so far, in the order in which they are. An agent that was given
  // nothing yet is worse off than any other.
  void KeepWorst(std::vector<Place>& places) const {
    const auto offered = static_cast<std::size_t>(
        std::ceil(options_.offered * static_cast<double>(places.size()) - 1e-9));
    std::vector<int> order;
    for (const Place& place : places) order.push_back(place.agent);
    std::ranges::stable_sort(order, [this](int left, int right) {
      const auto l = static_cast<std::size_t>(left);
      const auto r = static_cast<std::size_t>(right);
      return due_[l] * had_[r] > due_[r] * had_[l];
    });
    order.resize(std::min(offered, order.size()));
    std::erase_if(places, [&](const Place& place) {
      return std::ranges::find(order, place.agent) == order.end();
    });
  }

  void Remember(const std::vector<Place>& active, const Allocation& allocation) {
    for (const Place& place : active) {
      due_[static_cast<std::size_t>(place.agent)] += 1;
      double& had = had_[static_cast<std::size_t>(place.agent)];
      for (int g = 0; g < market_.groups(); ++g) {
        for (int c = market_.first_of(g); c < market_.first_of(g) + market_.group(g).count; ++c) {
          if (allocation.holder[static_cast<std::size_t>(c)] == place.agent)
            had += place.worth[static_cast<std::size_t>(market_.group(g).kind)];
        }
      }
    }
  }

  const CountSolution& Solution(const std::vector<double>& worth) {
    const auto [known, is_new] = solutions_.try_emplace(worth);
    if (is_new && !worth.empty()) {
      CountProgram program{.kinds = market_.kinds(), .available = {}, .worth = worth};
      for (int k = 0; k < market_.kinds(); ++k)
        program.available.push_back(market_.count_of_kind(k));
      known->second = solver_(program);
    }
    return known->second;
  }

  const Market& market_;
  ThemisOptions options_;
  CountSolver solver_;
  KindMatch match_;
  PreferenceWalk walk_;
  std::map<std::vector<double>, CountSolution> solutions_;
  // Of each agent, in what it is entitled to in a round: that, and what it was given.
  std::vector<double> due_;
  std::vector<double> had_;
  double gap_ = 0;
  std::ptrdiff_t round_ = 0;
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeThemis(const Market& market, const ThemisOptions& options,
                                             CountSolver solver) {
  return std::make_unique<Themis>(market, options, std::move(solver));
}

}  // namespace fairlead
