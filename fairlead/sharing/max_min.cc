#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/sharing/kind_counts.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {
namespace {

class MaxMin final : public SharingMechanism {
 public:
  explicit MaxMin(const Market& market)
      : market_(market), match_(market), owed_(market.of_kind(market.agents(), 0)) {}

  std::string_view Name() const override { return "max-min"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    const std::vector<double>& division = Division(reports);
    for (std::size_t i = 0; i < owed_.size(); ++i) owed_[i] += division[i];
    match_.Assign(reports, WholeOnes(), allocation);
  }

 private:
  const std::vector<double>& Division(const Reports& reports) {
    const std::vector<int> active = ActiveAgents(market_, reports);
    std::vector<double> rates = RatesByKind(market_, reports);
    const auto [known, is_new] = divisions_.try_emplace(std::pair(active, rates));
    if (is_new) known->second = Solve(active, rates);
    return known->second;
  }

  std::vector<double> Solve(const std::vector<int>& active,
                            const std::vector<double>& rates) const {
    std::vector<double> division(owed_.size(), 0.0);
    if (active.empty()) return division;
    LinearProgram program;
    const int worst = program.AddVariable();
    std::vector<std::vector<LinearProgram::Term>> of_kind(
        static_cast<std::size_t>(market_.kinds()));
    std::vector<int> variables;
    for (const int agent : active) {
      std::vector<LinearProgram::Term> rate = {{worst, -1.0}};
      double share = 0;
      for (int k = 0; k < market_.kinds(); ++k) share += Rate(rates, agent, k) * Count(k);
      share *=
          static_cast<double>(market_.weight(agent)) / static_cast<double>(market_.total_weight());
      for (int k = 0; k < market_.kinds(); ++k) {
        const int variable = program.AddVariable(Count(k));
        const double relative = share > 0 ? Rate(rates, agent, k) / share : 0;
        program.SetObjective(variable, 1e-4 * relative);
        rate.push_back({variable, relative});
        of_kind[static_cast<std::size_t>(k)].push_back({variable, 1.0});
        variables.push_back(variable);
      }
      if (share > 0) program.AddConstraint(0, LinearProgram::kInfinity, rate);
    }
    for (int k = 0; k < market_.kinds(); ++k)
      program.AddConstraint(0, Count(k), of_kind[static_cast<std::size_t>(k)]);
    program.SetObjective(worst, 1);
    program.SetUpper(worst, static_cast<double>(market_.total_weight()) * 2);
    const auto solved = program.Maximise();
    CHECK_MSG(solved.has_value(), solved.error().message);  // all zeros would do
    std::size_t next = 0;
    for (const int agent : active) {
      for (int k = 0; k < market_.kinds(); ++k)
        division[Index(agent, k)] = std::max(0.0, program.Value(variables[next++]));
    }
    return division;
  }

  // Of each kind: the whole ones that agents are owed, the largest debts first.
  std::vector<int> WholeOnes() {
    std::vector<int> counts(owed_.size(), 0);
    std::vector<int> order(static_cast<std::size_t>(market_.agents()));
    for (int k = 0; k < market_.kinds(); ++k) {
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, std::greater{},
                               [&](int agent) { return owed_[Index(agent, k)]; });
      int left = market_.count_of_kind(k);
      for (const int agent : order) {
        double& owed = owed_[Index(agent, k)];
        const int whole = std::clamp(static_cast<int>(std::floor(owed)), 0, left);
        counts[Index(agent, k)] = whole;
        owed -= whole;
        left -= whole;
      }
      std::ranges::stable_sort(order, std::greater{},
                               [&](int agent) { return owed_[Index(agent, k)]; });
      for (std::size_t i = 0; i < order.size() && left > 0; ++i) {
        double& owed = owed_[Index(order[i], k)];
        if (owed <= 0) break;
        ++counts[Index(order[i], k)];
        owed -= 1;
        --left;
      }
    }
    return counts;
  }

  std::size_t Index(int agent, int kind) const { return market_.of_kind(agent, kind); }
  double Rate(const std::vector<double>& rates, int agent, int kind) const {
    return rates[Index(agent, kind)];
  }
  double Count(int kind) const { return market_.count_of_kind(kind); }

  const Market& market_;
  KindMatch match_;
  std::vector<double> owed_;  // agents x kinds, in accelerators for a round
  std::map<std::pair<std::vector<int>, std::vector<double>>, std::vector<double>> divisions_;
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeMaxMin(const Market& market) {
  return std::make_unique<MaxMin>(market);
}

}  // namespace fairlead
