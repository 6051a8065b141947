#include "fairlead/costs/beside_slowdowns.h"

#include <algorithm>
#include <cmath>

namespace fairlead {
namespace {

constexpr double kOneLog = 1 << BesideSlowdowns::kLogBits;
constexpr double kMostFactor = 1000;

}  // namespace

BesideSlowdowns::Log BesideSlowdowns::LogOf(double slowdown) {
  return static_cast<Log>(
      std::lround(kOneLog * std::log(std::clamp(slowdown, 1 / kMostFactor, kMostFactor))));
}

double BesideSlowdowns::FactorOf(std::int64_t log) {
  return std::clamp(std::exp(static_cast<double>(log) / kOneLog), 1 / kMostFactor, kMostFactor);
}

BesideSlowdowns::BesideSlowdowns(std::size_t networks, std::size_t accelerators)
    : networks_(networks),
      accelerators_(accelerators),
      means_(networks * accelerators, 0),
      pairs_(means_.size() * means_.size(), 0),
      factors_(means_.size() * accelerators, 1 << kLogBits) {}

BesideSlowdowns::Log BesideSlowdowns::UsualMean(NetworkId network) const {
  std::int64_t sum = 0;
  for (std::size_t a = 0; a < accelerators_; ++a) sum += Mean({network, AcceleratorId{a}});
  return static_cast<Log>(sum / static_cast<std::int64_t>(accelerators_));
}

std::int64_t BesideSlowdowns::Beside(const Placed& one, std::span<const Placed> others) const {
  if (others.empty() || !Knows(one)) return 0;
  std::int64_t sum = 0;
  const Log* const pairs = &pairs_[Number(one) * means_.size()];
  for (const Placed& other : others) sum += Knows(other) ? pairs[Number(other)] : 0;
  const std::size_t count = std::min(others.size(), accelerators_ - 1);
  return (sum * factors_[Number(one) * accelerators_ + count]) >> kLogBits;
}

std::vector<BesideSlowdowns::Log> BesideSlowdowns::Numbers() const {
  std::vector<Log> all = means_;
  all.insert(all.end(), pairs_.begin(), pairs_.end());
  all.insert(all.end(), factors_.begin(), factors_.end());
  return all;
}

bool BesideSlowdowns::SetNumbers(std::span<const Log> numbers) {
  if (numbers.size() != means_.size() + pairs_.size() + factors_.size()) return false;
  const auto pairs = numbers.subspan(means_.size());
  const auto factors = pairs.subspan(pairs_.size());
  std::ranges::copy(numbers.first(means_.size()), means_.begin());
  std::ranges::copy(pairs.first(pairs_.size()), pairs_.begin());
  std::ranges::copy(factors, factors_.begin());
  return true;
}

}  // namespace fairlead
