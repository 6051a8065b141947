#include "fairlead/workload/zipf.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

std::vector<std::size_t> Apportion(std::span<const double> weights, std::size_t seats) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  CHECK(total > 0);
  std::vector<std::size_t> given;
  std::vector<double> remainders;
  std::size_t left = seats;
  for (double weight : weights) {
    const double quota = static_cast<double>(seats) * weight / total;
    // A quota that is whole but for rounding errors is taken as whole.
    const double whole = std::min(std::floor(quota + 1e-9), static_cast<double>(left));
    given.push_back(static_cast<std::size_t>(whole));
    remainders.push_back(quota - whole);
    left -= given.back();
  }
  while (left > 0) {
    const auto largest = std::ranges::max_element(remainders);  // the first among equals
    ++given[static_cast<std::size_t>(largest - remainders.begin())];
    *largest -= 1;
    --left;
  }
  return given;
}

std::vector<double> DealByZipf(std::span<const double> values, std::size_t count, double exponent,
                               RandomStream& random) {
  std::vector<double> weights;
  for (std::size_t rank = 1; rank <= values.size(); ++rank)
    weights.push_back(std::pow(static_cast<double>(rank), -exponent));
  const std::vector<std::size_t> counts = Apportion(weights, count);
  std::vector<double> dealt;
  dealt.reserve(count);
  for (std::size_t i = 0; i < values.size(); ++i) dealt.insert(dealt.end(), counts[i], values[i]);
  for (std::size_t i = dealt.size(); i > 1; --i) std::swap(dealt[i - 1], dealt[random.Below(i)]);
  return dealt;
}

}  // namespace fairlead
