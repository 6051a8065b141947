#include "fairlead/sharing/oracle.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fairlead/base/check.h"
#include "fairlead/sharing/agent_queues.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {

// Variables are rounds of accelerators per round: utility by kind is rate / fastest rate of them.
Result<double> OracleWelfare(const RoundWorld& world, const RoundArrivals& arrivals,
                             std::span<const double> floors) {
  const Market& market = world.market;
  LinearProgram program;
  std::vector<std::vector<LinearProgram::Term>> of_kind(static_cast<std::size_t>(market.kinds()));
  for (int a = 0; a < market.agents(); ++a) {
    const auto fastest = static_cast<double>(world.fastest(a));
    const double arrived = static_cast<double>(arrivals.Count(a)) * kInference / fastest /
                           static_cast<double>(world.rounds);
    const double weight =
        static_cast<double>(market.weight(a)) / static_cast<double>(market.total_weight());
    std::vector<LinearProgram::Term> utility;
    for (int k = 0; k < market.kinds(); ++k) {
      const double rate = static_cast<double>(world.rates[market.of_kind(a, k)]) / fastest;
      const int variable = program.AddVariable(market.count_of_kind(k));
      program.SetObjective(variable, weight * rate);
      utility.push_back({variable, rate});
      of_kind[static_cast<std::size_t>(k)].push_back({variable, 1.0});
    }
    const double least = floors.empty() ? 0 : floors[static_cast<std::size_t>(a)];
    program.AddConstraint(std::min(least, arrived), arrived, utility);
  }
  for (int k = 0; k < market.kinds(); ++k)
    program.AddConstraint(0, market.count_of_kind(k), of_kind[static_cast<std::size_t>(k)]);
  return program.Maximise();
}

namespace {

// One agent before one accelerator.
class RoundBuyer {
 public:
  RoundBuyer(std::span<const int> placed, int deadline, double rate, double value)
      : deadline_(deadline), rate_(rate), value_(value), arrived_{0} {
    for (const int inferences : placed) arrived_.push_back(arrived_.back() + inferences);
  }

  // What it gains by the best rounds at these prices; counts a buyer in each of them.
  double Buy(std::span<const double> prices, std::vector<int>& buyers) {
    const int rounds = static_cast<int>(prices.size());
    best_.assign(prices.size() + 1, 0);  // where the last round bought is r - 1; 0: none yet
    before_.assign(prices.size() + 1, 0);
    int old = 0;  // the best of those whose work was in time no longer
    for (int r = 0; r < rounds; ++r) {
      if (r - deadline_ >= 0 && At(best_, r - deadline_ + 1) > At(best_, old))
        old = r - deadline_ + 1;
      int from = old;
      double most = At(best_, old) + value_ * std::min(rate_, Arrived(r - deadline_, r));
      for (int last = std::max(0, r - deadline_ + 1); last < r; ++last) {
        const double all = At(best_, last + 1) + value_ * Done(last, r);
        if (all <= most) continue;
        most = all;
        from = last + 1;
      }
      best_[static_cast<std::size_t>(r) + 1] = most - prices[static_cast<std::size_t>(r)];
      before_[static_cast<std::size_t>(r) + 1] = from;
    }
    const auto end = std::ranges::max_element(best_);
    for (auto at = static_cast<std::size_t>(end - best_.begin()); at > 0;
         at = static_cast<std::size_t>(before_[at]))
      ++buyers[at - 1];
    return *end;
  }

 private:
  static double At(const std::vector<double>& values, int i) {
    return values[static_cast<std::size_t>(i)];
  }
  // After round `after`, up to and with `until`.
  double Arrived(int after, int until) const {
    return static_cast<double>(arrived_[static_cast<std::size_t>(until) + 1] -
                               arrived_[static_cast<std::size_t>(std::max(-1, after) + 1)]);
  }
  double Done(int last, int now) const {
    const double left = std::min(Arrived(now - deadline_, last),
                                 std::max(0.0, Arrived(last - deadline_, last) - rate_));
    return std::min(rate_, left + Arrived(last, now));
  }

  int deadline_;
  double rate_;
  double value_;
  std::vector<int> arrived_;  // before each round
  std::vector<double> best_;
  std::vector<int> before_;
};

double BoundOfOne(std::vector<RoundBuyer>& buyers, std::size_t rounds, double step, int steps) {
  std::vector<double> prices(rounds, step);
  std::vector<int> wanted;
  double least = std::numeric_limits<double>::infinity();
  for (int s = 0; s < steps; ++s) {
    wanted.assign(rounds, 0);
    double bound = 0;
    for (const double price : prices) bound += price;
    for (RoundBuyer& buyer : buyers) bound += buyer.Buy(prices, wanted);
    least = std::min(least, bound);
    for (std::size_t r = 0; r < rounds; ++r)
      prices[r] = std::max(0.0, prices[r] + step * (wanted[r] - 1) / (3.0 + s));
  }
  return least;
}

}  // namespace

double DeadlineBound(const RoundWorld& world, std::span<const int> placed,
                     std::span<const double> values, int steps) {
  CHECK(world.deadline > 0 && world.queues == QueueLayout::kSeparate);
  const auto rounds = static_cast<std::size_t>(world.rounds);
  double sum = 0;
  for (int c = 0; c < world.market.accelerators(); ++c) {
    std::vector<RoundBuyer> buyers;
    double all = 0;
    for (int a = 0; a < world.market.agents(); ++a) {
      const double rate = static_cast<double>(world.rate(a, c)) / static_cast<double>(kInference);
      const auto row = static_cast<std::size_t>(a * world.market.accelerators() + c) * rounds;
      const std::span<const int> of_agent = placed.subspan(row, rounds);
      const double value = values[static_cast<std::size_t>(a)];
      buyers.emplace_back(of_agent, world.deadline, rate, value);
      all += value * std::accumulate(of_agent.begin(), of_agent.end(), 0);
    }
    sum += std::min(all, BoundOfOne(buyers, rounds, all / static_cast<double>(rounds), steps));
  }
  return sum;
}

}  // namespace fairlead
