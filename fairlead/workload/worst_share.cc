#include "fairlead/workload/worst_share.h"

#include <algorithm>
#include <cstdint>

#include "fairlead/base/check.h"

namespace fairlead {

using Term = LinearProgram::Term;

void Demands::Add(const FluidLoads& loads, AgreementId agreement, NetworkId network,
                  std::size_t of_class, double count) {
  if (count == 0) return;
  const auto [first, end] = loads.ClassesOf(network.index());
  if (agreement.index() >= index_.size()) index_.resize(agreement.index() + 1, SIZE_MAX);
  std::size_t& index = index_[agreement.index()];
  if (index == SIZE_MAX) {
    index = list.size();
    list.push_back({.network = network.index(), .of_class = std::vector<double>(end - first)});
  }
  AgreementDemand& demand = list[index];
  CHECK(demand.network == network.index());
  demand.all += count;
  all += count;
  if (of_class != kNoClass) demand.of_class[of_class - first] += count;
}

double Demands::Possible() const {
  double possible = 0;
  for (const AgreementDemand& demand : list) possible += demand.Possible();
  return possible;
}

double Demands::SmallestPossibleShare() const {
  double smallest = 1;
  for (const AgreementDemand& demand : list)
    smallest = std::min(smallest, demand.Possible() / demand.all);
  return smallest;
}

std::vector<WorstShare::Tangent> WorstShare::TangentsAt(double share) const {
  std::vector<Tangent> tangents(loads_.classes().size());
  for (const AgreementDemand& demand : demands_.list) {
    const std::size_t first = loads_.ClassesOf(demand.network).first;
    double looser = 0;
    for (std::size_t c = 0; c < demand.of_class.size(); ++c) {
      if (share * demand.all <= looser) break;
      tangents[first + c].slope += demand.all;
      tangents[first + c].held += looser;
      looser += demand.of_class[c];
    }
  }
  return tangents;
}

// Adds the tangents at this share that `wanted` agrees to, given how much of the need is not
// served now, as a share; whether there were any.
template <typename Wanted>
bool WorstShare::AddTangents(double share, Wanted wanted) {
  const std::vector<Tangent> tangents = TangentsAt(share);
  bool added = false;
  for (std::size_t network = 0; network < loads_.networks(); ++network) {
    const auto [first, end] = loads_.ClassesOf(network);
    std::vector<Term> terms = {{worst_, -1}};
    double served = 0;
    for (std::size_t c = end; c-- > first;) {
      const double weight = loads_.classes()[c].bucket.weight;
      terms.push_back({amounts_[c], weight});
      served += weight * linear_.Value(amounts_[c]);
      const Tangent& tangent = tangents[c];
      if (tangent.slope == 0) continue;
      if (!wanted(share - (tangent.held + served) / tangent.slope)) continue;
      std::vector<Term> row = terms;
      for (std::size_t i = 1; i < row.size(); ++i) row[i].coefficient /= tangent.slope;
      linear_.AddConstraint(-tangent.held / tangent.slope, LinearProgram::kInfinity, row);
      added = true;
    }
  }
  return added;
}

void WorstShare::Begin(double limit) {
  for (int amount : amounts_) linear_.SetObjective(amount, 0);
  linear_.SetUpper(worst_, limit);
  linear_.SetObjective(worst_, 1);
  AddTangents(limit, [](double) { return true; });
}

bool WorstShare::Add(double share) {
  return AddTangents(share, [](double missing) { return missing > kFluidTolerance; });
}

}  // namespace fairlead
