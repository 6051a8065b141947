#include "fairlead/scheduling/input_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "fairlead/scheduling/input_fields.h"

namespace fairlead {
namespace {

// A segment's place in the list of ready ones, and so the number of states, has 30 bits.
constexpr std::size_t kMostSegmentStates = std::size_t{1} << 30;

template <typename... Args>
tl::unexpected<Refusal> Refuse(RefusalCode code, fmt::format_string<Args...> format,
                               Args&&... args) {
  return tl::unexpected<Refusal>({code, fmt::format(format, std::forward<Args>(args)...)});
}

// Checks the fields of an input: one of the walkers over input_fields.h. Keeps the first refusal.
class FieldCheck {
 public:
  explicit FieldCheck(const SystemState& state) : state_(state) {}

  template <std::integral Integer>
  void Whole(std::string_view /*what*/, Integer /*number*/) {}
  template <std::integral Integer>
  void Whole(std::string_view what, Integer number, std::type_identity_t<Integer> low,
             std::type_identity_t<Integer> high) {
    Range(what, number, low, high);
  }
  void Number(std::string_view what, double number, double low, double high) {
    Range(what, number, low, high);
  }
  void Number(std::string_view what, std::optional<double> number, double low, double high) {
    if (number.has_value()) Range(what, *number, low, high);
  }
  void Time(std::string_view what, Duration time, Duration longest) {
    Range(what, Nanoseconds(time), std::int64_t{0}, Nanoseconds(longest));
  }
  void SomeTime(std::string_view what, std::optional<Duration> time, Duration longest) {
    if (time.has_value()) Range(what, Nanoseconds(*time), std::int64_t{1}, Nanoseconds(longest));
  }
  bool Skips(std::string_view /*what*/, bool /*nothing*/) { return false; }
  void Past(std::string_view what, Instant at) {
    Range(what, Nanoseconds(at), std::int64_t{0}, Nanoseconds(state_.now));
  }
  void Known(std::string_view /*what*/, AgreementId id) {
    Exists(id, state_.ledger.size(), "agreement", RefusalCode::kUnknownAgreement);
  }
  void Known(std::string_view /*what*/, AcceleratorId id) {
    Exists(id, state_.accelerators.size(), "accelerator", RefusalCode::kUnknownAccelerator);
  }
  void Known(std::string_view /*what*/, TenantId id) {
    Exists(id, state_.tenants.size(), "tenant", RefusalCode::kUnknownTenant);
  }
  void Known(std::string_view /*what*/, NetworkId id) {
    Exists(id, state_.networks.size(), "network", RefusalCode::kUnknownNetwork);
  }
  void Known(std::string_view /*what*/, KindId id) {
    Exists(id, state_.platform->kinds.size(), "kind", RefusalCode::kOutOfRange);
  }
  void Known(std::string_view /*what*/, JobId id) {
    Exists(id, state_.jobs.size(), "job", RefusalCode::kUnknownJob);
  }
  // The engine looks assignments up by slot and generation, and passes over what it does not know.
  void Assignment(const AssignmentId& /*assignment*/) {}
  void Text(std::string_view /*what*/, const std::string& /*text*/) {}
  template <typename Enum>
  void Choice(std::string_view what, Enum value, std::span<const std::string_view> names) {
    Range(what, static_cast<std::size_t>(value), std::size_t{0}, names.size() - 1);
  }
  template <typename Enum>
  void SomeChoice(std::string_view what, Enum value, std::span<const std::string_view> names) {
    Choice(what, value, names);
  }
  template <typename ObjectType>
  void SomeObjects(std::string_view what, const std::vector<ObjectType>& objects,
                   std::int64_t most) {
    Range(what, static_cast<std::int64_t>(objects.size()), std::int64_t{0}, most);
    for (const ObjectType& object : objects) Object(object);
  }
  template <typename ObjectType>
  void Inside(std::string_view /*key*/, const ObjectType& object) {
    Object(object);
  }
  template <typename ObjectType>
  void Part(std::string_view /*key*/, const std::optional<ObjectType>& part) {
    if (part.has_value()) Object(*part);
  }
  template <typename ObjectType>
  void Object(const ObjectType& object) {
    ObjectFields<ObjectType>::Walk(*this, object);
  }

  std::optional<Refusal>& refusal() { return refusal_; }

 private:
  // Not a number is out of every range.
  template <typename Number>
  void Range(std::string_view what, Number number, Number low, Number high) {
    if (refusal_.has_value() || (number >= low && number <= high)) return;
    refusal_ = {
        RefusalCode::kOutOfRange,
        fmt::format("{}: expected a number from {} to {}, found {}", what, low, high, number)};
  }
  template <typename Tag>
  void Exists(Id<Tag> id, std::size_t count, std::string_view what, RefusalCode code) {
    if (refusal_.has_value() || id.index() < count) return;
    refusal_ = {code, fmt::format("there is no {} {}: there are {}", what, id.value, count)};
  }

  const SystemState& state_;
  std::optional<Refusal> refusal_;
};

}  // namespace

std::string_view ToString(RefusalCode code) {
  switch (code) {
    case RefusalCode::kUnknownAgreement: return "unknown-agreement";
    case RefusalCode::kUnknownAccelerator: return "unknown-accelerator";
    case RefusalCode::kUnknownTenant: return "unknown-tenant";
    case RefusalCode::kUnknownNetwork: return "unknown-network";
    case RefusalCode::kUnknownJob: return "unknown-job";
    case RefusalCode::kOutOfRange: return "out-of-range";
    case RefusalCode::kAgreementEnded: return "agreement-ended";
    case RefusalCode::kOtherAgreement: return "other-agreement";
    case RefusalCode::kHadRequests: return "had-requests";
    case RefusalCode::kNotIdle: return "not-idle";
    case RefusalCode::kNotReserved: return "not-reserved";
    case RefusalCode::kTooMuch: return "too-much";
    case RefusalCode::kUnknownPolicy: return "unknown-policy";
    case RefusalCode::kNameTaken: return "name-taken";
    case RefusalCode::kUnreachable: return "unreachable";
    case RefusalCode::kNotLoaded: return "not-loaded";
    case RefusalCode::kNoCapacity: return "no-capacity";
    case RefusalCode::kClosed: return "closed";
  }
  return "?";
}

InputCheck::InputCheck(const SystemState& state)
    : state_(state), reserved_(state.accelerators.size()) {
  for (std::size_t a = 0; a < state.ledger.size(); ++a)
    windows_ += state.ledger.Promise(AgreementId{a}).window;
}

InputCheck::Verdict InputCheck::Check(const Input& input) {
  return std::visit(
      [this]<typename InputType>(const InputType& what) -> Verdict {
        FieldCheck fields(state_);
        InputFields<InputType>::Walk(fields, what);
        if (fields.refusal().has_value())
          return tl::unexpected<Refusal>(*std::move(fields.refusal()));
        return CheckMore(what);
      },
      input);
}

InputCheck::Verdict InputCheck::CheckMore(const Arrival& arrival) {
  const NetworkId network = state_.ledger.Promise(arrival.request.agreement).network;
  if (state_.unloaded[network.index()])
    return Refuse(RefusalCode::kNotLoaded, "network {} is not loaded", network.value);
  if (state_.segment_states.size() + state_.networks[network.index()].size() <= kMostSegmentStates)
    return {};
  return Refuse(RefusalCode::kTooMuch, "too many segments under way at once");
}

InputCheck::Verdict InputCheck::CheckMore(const AgreementStart& start) {
  if (Verdict verdict = CheckPeriod(start.agreement); !verdict.has_value()) return verdict;
  if (Verdict verdict = CheckFloor(start.agreement, {}); !verdict.has_value()) return verdict;
  return CheckWindows(windows_ + start.agreement.window);
}

InputCheck::Verdict InputCheck::CheckMore(const AgreementChange& change) {
  const ServiceAgreement& before = state_.ledger.Promise(change.id);
  if (change.agreement.tenant != before.tenant || change.agreement.network != before.network)
    return Refuse(RefusalCode::kOtherAgreement,
                  "agreement {} keeps its tenant {} and its network {}", change.id.value,
                  before.tenant.value, before.network.value);
  if (Verdict verdict = CheckPeriod(change.agreement); !verdict.has_value()) return verdict;
  if (Verdict verdict = CheckFloor(change.agreement, change.id); !verdict.has_value())
    return verdict;
  return CheckWindows(windows_ - before.window + change.agreement.window);
}

InputCheck::Verdict InputCheck::CheckPeriod(const ServiceAgreement& agreement) {
  if (agreement.period_kind == PeriodKind::kTumbling || !agreement.period.has_value() ||
      *agreement.period >= kShortestSliding)
    return {};
  return Refuse(RefusalCode::kOutOfRange, "a sliding period is of {} ns at least",
                kShortestSliding.count());
}

// In place of the one that has this id, if any.
InputCheck::Verdict InputCheck::CheckFloor(const ServiceAgreement& agreement, AgreementId id) {
  if (agreement.floor == 0) return {};
  if (agreement.IsPromised())
    return Refuse(RefusalCode::kOutOfRange, "a floor is for best effort: no target, no window");
  double sum = agreement.floor;
  for (std::size_t a = 0; a < state_.ledger.size(); ++a) {
    if (AgreementId{a} != id && state_.ledger.IsOpen(AgreementId{a}))
      sum += state_.ledger.Promise(AgreementId{a}).floor;
  }
  if (sum > kWholeMachine)
    return Refuse(RefusalCode::kTooMuch, "floors sum to {:.6g} % of the machine", 100 * sum);
  return {};
}

InputCheck::Verdict InputCheck::CheckWindows(std::int64_t windows) {
  if (windows > kMostWindows)
    return Refuse(RefusalCode::kTooMuch, "all windows together exceed {}", kMostWindows);
  windows_ = windows;
  return {};
}

InputCheck::Verdict InputCheck::CheckMore(const AgreementEnd& end) {
  if (state_.ledger.IsOpen(end.id)) return {};
  return Refuse(RefusalCode::kAgreementEnded, "agreement {} has ended before", end.id.value);
}

InputCheck::Verdict InputCheck::CheckMore(const AgreementContinue& going_on) {
  if (!state_.ledger.IsOpen(going_on.id))
    return Refuse(RefusalCode::kAgreementEnded, "agreement {} has ended before", going_on.id.value);
  if (state_.ledger.HadRequests(going_on.id))
    return Refuse(RefusalCode::kHadRequests,
                  "agreement {} has had requests: it has a history of its own", going_on.id.value);
  const std::string wrong = WhatIsWrong(going_on.history);
  if (!wrong.empty()) return Refuse(RefusalCode::kOutOfRange, "the history is wrong: {}", wrong);
  return {};
}

InputCheck::Verdict InputCheck::CheckMore(const NetworkAdd& add) {
  const NewNetwork& network = add.network;
  if (network.name.empty() || network.segments.empty())
    return Refuse(RefusalCode::kOutOfRange, "a network has a name and a segment at least");
  if (state_.networks.size() >= kMostNetworks)
    return Refuse(RefusalCode::kTooMuch, "there are {} networks already", kMostNetworks);
  for (std::size_t n = 0; n < state_.networks.size(); ++n) {
    if (state_.networks[n].name() == network.name && !state_.unloaded[n])
      return Refuse(RefusalCode::kNameTaken, "there is a network '{}'", network.name);
  }
  for (const NewSegment& segment : network.segments) {
    std::set<std::tuple<std::size_t, int, int>> seen;
    for (const NewCost& cost : segment.costs) {
      if (cost.units > state_.platform->kinds[cost.kind.index()].units)
        return Refuse(RefusalCode::kOutOfRange, "kind {} has no {} units", cost.kind.value,
                      cost.units);
      if (!seen.emplace(cost.kind.index(), cost.units, cost.batch).second)
        return Refuse(RefusalCode::kOutOfRange, "a segment has two costs for the same");
    }
    if (seen.empty())
      return Refuse(RefusalCode::kOutOfRange, "a segment runs nowhere: it has no costs");
  }
  return {};
}

InputCheck::Verdict InputCheck::CheckMore(const BeliefChange& change) {
  if (state_.beliefs->CanBecome(RowOf(change))) return {};
  return Refuse(RefusalCode::kOutOfRange,
                "network {} segment {} on kind {} has no such row, or would prefer other kinds",
                change.network.value, change.segment.value, change.kind.value);
}

InputCheck::Verdict InputCheck::CheckMore(const GuardRules& rules) {
  const GuardOptions& guard = rules.options;
  if (std::min({guard.decision, guard.idle, guard.within}) > Duration::zero()) return {};
  return Refuse(RefusalCode::kOutOfRange, "a guard's times are more than nothing");
}

InputCheck::Verdict InputCheck::CheckMore(const Reservation& reservation) {
  const AcceleratorState& accelerator = state_.accelerators[reservation.accelerator.index()];
  if (accelerator.free_units != accelerator.units)
    return Refuse(RefusalCode::kNotIdle, "accelerator {} is not idle",
                  reservation.accelerator.value);
  reserved_[reservation.accelerator.index()] = true;
  return {};
}

InputCheck::Verdict InputCheck::CheckMore(const Release& release) {
  if (!reserved_[release.accelerator.index()])
    return Refuse(RefusalCode::kNotReserved, "accelerator {} is not reserved",
                  release.accelerator.value);
  reserved_[release.accelerator.index()] = false;
  return {};
}

}  // namespace fairlead
