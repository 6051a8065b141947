#include "fairlead/recording/recording_check.h"

#include <variant>

#include "fairlead/recording/recording_header.h"

namespace fairlead {
namespace {

// A segment's place in the list of ready ones, and so the number of states, has 30 bits.
constexpr std::size_t kMostSegmentStates = std::size_t{1} << 30;

template <typename IdType>
Status Within(IdType id, std::size_t count, std::string_view what) {
  if (id.index() < count) return {};
  return Fail("there is no {} {}: there are {}", what, id.value, count);
}

}  // namespace

InputCheck::InputCheck(const SystemState& state)
    : state_(state), reserved_(state.accelerators.size()) {
  for (std::size_t a = 0; a < state.ledger.size(); ++a)
    windows_ += state.ledger.Promise(AgreementId{a}).window;
}

Status InputCheck::Check(const Input& input) {
  return std::visit([this](const auto& what) { return Wrong(what); }, input);
}

Status InputCheck::Known(AcceleratorId accelerator) const {
  return Within(accelerator, state_.accelerators.size(), "accelerator");
}

Status InputCheck::Known(AgreementId agreement) const {
  return Within(agreement, state_.ledger.size(), "agreement");
}

Status InputCheck::AddWindow(int window) {
  windows_ += window;
  if (windows_ <= kMostRecordedWindows) return {};
  return Fail("all windows together exceed {}", kMostRecordedWindows);
}

Status InputCheck::Wrong(const Arrival& arrival) const {
  const Request& request = arrival.request;
  RETURN_IF_ERROR(Known(request.agreement));
  if (request.arrival > state_.now) return Fail("it arrives in the future");
  const NetworkId network = state_.ledger.Promise(request.agreement).network;
  if (state_.segment_states.size() + state_.networks[network.index()].size() > kMostSegmentStates)
    return Fail("too many segments under way at once");
  return {};
}

Status InputCheck::Wrong(const Cancellation& cancellation) const {
  return Within(cancellation.job.id, state_.jobs.size(), "job");
}

// The engine looks assignments up by slot and generation, and passes over what it does not know.
Status InputCheck::Wrong(const SegmentFinish& /*finish*/) const { return {}; }
Status InputCheck::Wrong(const SegmentFailure& /*failure*/) const { return {}; }

Status InputCheck::Wrong(const AcceleratorLoss& loss) const { return Known(loss.accelerator); }
Status InputCheck::Wrong(const AcceleratorReturn& back) const { return Known(back.accelerator); }
Status InputCheck::Wrong(const TenantJoin& /*join*/) const { return {}; }

Status InputCheck::Wrong(const TenantLeave& leave) const {
  return Within(leave.tenant, state_.tenants.size(), "tenant");
}

Status InputCheck::Wrong(const AgreementStart& start) {
  RETURN_IF_ERROR(Within(start.agreement.tenant, state_.tenants.size(), "tenant"));
  RETURN_IF_ERROR(Within(start.agreement.network, state_.networks.size(), "network"));
  return AddWindow(start.agreement.window);
}

Status InputCheck::Wrong(const AgreementChange& change) {
  RETURN_IF_ERROR(Known(change.id));
  const ServiceAgreement& before = state_.ledger.Promise(change.id);
  if (change.agreement.tenant != before.tenant || change.agreement.network != before.network)
    return Fail("agreement {} keeps its tenant {} and its network {}", change.id.value,
                before.tenant.value, before.network.value);
  windows_ -= before.window;
  return AddWindow(change.agreement.window);
}

Status InputCheck::Wrong(const AgreementEnd& end) const {
  RETURN_IF_ERROR(Known(end.id));
  if (!state_.ledger.IsOpen(end.id)) return Fail("agreement {} has ended before", end.id.value);
  return {};
}

Status InputCheck::Wrong(const PolicyChange& /*change*/) const { return {}; }

Status InputCheck::Wrong(const Reservation& reservation) {
  RETURN_IF_ERROR(Known(reservation.accelerator));
  const AcceleratorState& accelerator = state_.accelerators[reservation.accelerator.index()];
  if (accelerator.free_units != accelerator.units)
    return Fail("accelerator {} is not idle", reservation.accelerator.value);
  reserved_[reservation.accelerator.index()] = true;
  return {};
}

Status InputCheck::Wrong(const Release& release) {
  RETURN_IF_ERROR(Known(release.accelerator));
  if (!reserved_[release.accelerator.index()])
    return Fail("accelerator {} is not reserved", release.accelerator.value);
  reserved_[release.accelerator.index()] = false;
  return {};
}

}  // namespace fairlead
