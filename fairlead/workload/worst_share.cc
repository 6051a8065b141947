#include "fairlead/workload/worst_share.h"

#include <algorithm>
#include <cstdint>

#include "fairlead/base/check.h"

namespace fairlead {

using Term = LinearProgram::Term;

Demands::Demands(const FluidLoads& loads, std::span<const ArrivalCount> arrivals,
                 const std::vector<bool>& in_time) {
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const ArrivalCount& arrival = arrivals[i];
    if (arrival.count == 0) continue;
    const std::size_t agreement = arrival.agreement.index();
    if (agreement >= index.size()) index.resize(agreement + 1, SIZE_MAX);
    if (index[agreement] == SIZE_MAX) {
      index[agreement] = list.size();
      list.push_back({.network = arrival.network.index()});
    }
    AgreementDemand& demand = list[index[agreement]];
    CHECK(demand.network == arrival.network.index());
    const auto count = static_cast<double>(arrival.count);
    demand.all += count;
    if (in_time[i]) demand.by_bucket[loads.Of(demand.network)->BucketOf(arrival.deadline)] += count;
  }
  for (const AgreementDemand& demand : list) {
    all += demand.all;
    possible += demand.Possible();
    worst_share = std::min(worst_share, demand.Possible() / demand.all);
  }
}

WorstShare::Tangents WorstShare::TangentsAt(double share) const {
  Tangents tangents(loads_.size());
  for (const AgreementDemand& demand : demands_.list) {
    double looser = 0;
    for (std::size_t b = 0; b < amounts_[demand.network].size(); ++b) {
      if (share * demand.all <= looser) break;
      tangents[demand.network][b].slope += demand.all;
      tangents[demand.network][b].held += looser;
      looser += demand.by_bucket[b];
    }
  }
  return tangents;
}

template <typename Wanted>
bool WorstShare::AddTangents(double share, Wanted wanted) {
  const Tangents tangents = TangentsAt(share);
  bool added = false;
  for (std::size_t network = 0; network < amounts_.size(); ++network) {
    const std::vector<int>& amounts = amounts_[network];
    std::vector<Term> terms = {{worst_, -1}};
    double served = 0;
    for (std::size_t b = amounts.size(); b-- > 0;) {
      const double weight = loads_.Of(network)->buckets[b].weight;
      terms.push_back({amounts[b], weight});
      served += weight * linear_.Value(amounts[b]);
      const Tangent& tangent = tangents[network][b];
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

Result<double> WorstShare::Raise(double limit) {
  constexpr int kMostRounds = 200;
  linear_.SetUpper(worst_, limit);
  linear_.SetObjective(worst_, 1);
  AddTangents(limit, [](double) { return true; });
  double reached = limit;
  for (int round = 0; round < kMostRounds; ++round) {
    ASSIGN_OR_RETURN(reached, linear_.Maximise());
    if (!AddTangents(reached, [](double missing) { return missing > kFluidTolerance; })) break;
  }
  return reached;
}

}  // namespace fairlead
