#include "fairlead/serving/admission.h"

#include <fmt/format.h>

#include <algorithm>

namespace fairlead {
namespace {

bool CanRun(const SystemState& state, NetworkId network, SegmentId segment) {
  const auto kinds = state.beliefs->KindsOf(state.beliefs->Affinity(network, segment));
  return std::ranges::any_of(kinds, [&](const RankedKind& ranked) {
    return std::ranges::any_of(state.accelerators, [&](const AcceleratorState& accelerator) {
      return accelerator.online && accelerator.kind == ranked.kind;
    });
  });
}

}  // namespace

const DeadlineAdmission::Known& DeadlineAdmission::KnownOf(const SystemState& state,
                                                           NetworkId network) {
  if (version_ != state.beliefs_version) known_.clear();
  version_ = state.beliefs_version;
  if (known_.size() < state.networks.size()) known_.resize(state.networks.size());
  Known& known = known_[network.index()];
  if (known.known) return known;
  const NetworkGraph& graph = state.networks[network.index()];
  known = {.known = true};
  for (std::size_t s = 0; s < graph.size(); ++s)
    known.can_run = known.can_run && CanRun(state, network, SegmentId{s});
  for (const SegmentId source : graph.Sources())
    known.least = std::max(known.least, state.beliefs->ShortestTail(network, source));
  return known;
}

std::optional<Rejection> DeadlineAdmission::operator()(const SystemState& state,
                                                       const Request& request) {
  const ServiceAgreement& promise = state.ledger.Promise(request.agreement);
  const Known& known = KnownOf(state, promise.network);
  const bool counts = request.deadline >= promise.deadline;
  if (!known.can_run)
    return Rejection{{RefusalCode::kNoCapacity, "no accelerator that can run it is online"},
                     counts};
  const Instant earliest = state.now + known.least;
  if (request.arrival + request.deadline >= earliest) return std::nullopt;
  return Rejection{
      {RefusalCode::kUnreachable,
       fmt::format("it takes {:.3f} ms alone, and {:.3f} ms are left", Seconds(known.least) * 1e3,
                   Seconds(request.arrival + request.deadline - state.now) * 1e3)},
      counts};
}

}  // namespace fairlead
