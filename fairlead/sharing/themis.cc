#include "fairlead/sharing/themis.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fairlead/sharing/kind_counts.h"

namespace fairlead {
namespace {

class Themis final : public SharingMechanism {
 public:
  Themis(const Market& market, const ThemisOptions& options, CountSolver solver)
      : market_(market), options_(options), solver_(std::move(solver)), match_(market) {}

  std::string_view Name() const override { return "themis"; }
  double Gap() const override { return gap_; }

  void Allocate(const Reports& reports, Allocation& allocation) override {
    const std::vector<Place> places = Places(reports);
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
    match_.Assign(reports, std::move(counts), allocation);
    ++round_;
  }

 private:
  struct Place {
    std::vector<double> worth;  // of one accelerator of each kind
    int agent;
  };

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
  std::map<std::vector<double>, CountSolution> solutions_;
  double gap_ = 0;
  std::ptrdiff_t round_ = 0;
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeThemis(const Market& market, const ThemisOptions& options,
                                             CountSolver solver) {
  return std::make_unique<Themis>(market, options, std::move(solver));
}

}  // namespace fairlead
