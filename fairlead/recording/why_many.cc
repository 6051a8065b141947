#include "fairlead/recording/why_many.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "fairlead/recording/recorded_run.h"
#include "fairlead/recording/why_history.h"

namespace fairlead {
namespace {

constexpr std::size_t kShownTenants = 8;

std::string ShareOf(Duration part, Duration whole) {
  if (whole <= Duration::zero()) return "-";
  return fmt::format("{:.1f} %",
                     100 * static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

std::string Times(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}", count, what);
}

std::string Kinds(const WhyMany& many) {
  std::string text;
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + Times(count, what);
  };
  add(many.missed, "finished late");
  add(many.dropped, "dropped (given up after they began)");
  add(many.rejected, "rejected (given up before)");
  return text;
}

}  // namespace

std::string ToText(const WhyMany& many) {
  std::string text;
  const auto out = std::back_inserter(text);
  if (many.selected() == 0)
    return fmt::format("None of {} is among those asked about.\n",
                       Times(many.requests, many.requests == 1 ? "request" : "requests"));
  fmt::format_to(out, "{} of {} requests: {}\n", many.selected(), many.requests, Kinds(many));
  fmt::format_to(out, "\nwhose they are\n");
  for (std::size_t i = 0; i < std::min(many.losers.size(), kShownTenants); ++i) {
    const TenantSum& loser = many.losers[i];
    fmt::format_to(out, "  {:<50}{:>10}\n", loser.tenant + "'s " + loser.network, loser.requests);
  }
  if (many.losers.size() > kShownTenants)
    fmt::format_to(out, "  and {} more\n", many.losers.size() - kShownTenants);

  fmt::format_to(out, "\nwhere their time went{}\n",
                 static_cast<std::int64_t>(many.accounts) < many.selected()
                     ? fmt::format(", {} of them looked at", many.accounts)
                     : "");
  const auto print = [&](std::string_view what, Duration time) {
    if (time != Duration::zero())
      fmt::format_to(out, "  {:<50}{:>10}\n", what, ShareOf(time, many.total));
  };
  print("not admitted yet", many.admission);
  Duration others{};
  for (std::size_t i = 0; i < many.blockers.size(); ++i) {
    const TenantSum& blocker = many.blockers[i];
    if (i < kShownTenants) {
      print(fmt::format("waiting behind {}'s {}", blocker.tenant, blocker.network), blocker.time);
    } else {
      others += blocker.time;
    }
  }
  print("waiting behind others", others);
  print("waiting for the policy to decide", many.deciding);
  print("waiting for an accelerator that was away", many.away);
  print("waiting beside an idle accelerator", many.idle);
  print("running, as believed alone", many.alone);
  print("switching networks", many.switching);
  print("handing over, taking over, moving", many.going_on);
  print(many.slowed < Duration::zero() ? "running faster than believed" : "slowed by co-runners",
        many.slowed);
  print("lost in tries that failed", many.lost);
  if (!many.worst.empty()) fmt::format_to(out, "\nthe worst\n");
  for (const RequestAccount& account : many.worst)
    fmt::format_to(out, "  request {}, {}'s {}. {}\n", account.request, account.tenant,
                   account.network, Verdict(account));
  return text;
}

namespace {

struct EndedRequest {
  RequestNumber request = 0;
  Outcome outcome{};
  Duration late{};   // beyond the deadline
  Duration total{};  // from arrival to end

  bool IsWorseThan(const EndedRequest& other) const {
    return std::tuple(late, total, other.request) > std::tuple(other.late, other.total, request);
  }
};

// How everything ended.
class Endings final : public ExecutionBackend, public RunListener, public RunRecorder {
 public:
  Endings(const WhySelection& selection, WhyMany& many) : selection_(selection), many_(many) {}
  void set_state(const SystemState& state) { state_ = &state; }
  const std::vector<EndedRequest>& selected() const { return selected_; }
  std::vector<TenantSum> Losers() const {
    std::vector<TenantSum> list;
    for (const auto& [name, sum] : losers_) list.push_back(sum);
    std::ranges::stable_sort(list, std::ranges::greater{}, &TenantSum::requests);
    return list;
  }

 private:
  void JobEnded(const Job& job, Outcome outcome, Reason /*reason*/, Instant now) override {
    ++many_.requests;
    const std::string& tenant = state_->tenants[job.tenant.index()].name;
    if (outcome == Outcome::kHit || (selection_.outcome.value_or(outcome) != outcome) ||
        (!selection_.tenant.empty() && selection_.tenant != tenant))
      return;
    ++(outcome == Outcome::kMiss      ? many_.missed
       : outcome == Outcome::kDropped ? many_.dropped
                                      : many_.rejected);
    const std::string& network = state_->networks[job.network.index()].name();
    TenantSum& sum = losers_[{tenant, network}];
    sum.tenant = tenant;
    sum.network = network;
    ++sum.requests;
    selected_.push_back(
        {job.request, outcome, std::max(now - job.deadline, Duration::zero()), now - job.arrival});
  }
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {}
  void Start(const Assignment& /*assignment*/) override {}
  void Resize(const Assignment& /*assignment*/) override {}
  void Abort(const Assignment& /*assignment*/) override {}
  void Advanced(Instant /*now*/) override {}
  void Applied(const Input& /*input*/) override {}
  void Decided(const SchedulingPlan& /*plan*/) override {}
  void Committed() override {}

  const WhySelection& selection_;
  WhyMany& many_;
  const SystemState* state_ = nullptr;
  std::vector<EndedRequest> selected_;
  std::map<std::pair<std::string, std::string>, TenantSum> losers_;
};

// A history for each request that is looked at, while it lives.
class Histories final : public ExecutionBackend, public RunListener, public RunRecorder {
 public:
  void set_state(const SystemState& state) { waiting_.set_state(state); }
  void Begin(JobHandle job) {
    living_.push_back(waiting_);
    living_.back().Begin(job);
  }
  std::list<RequestHistory>& living() { return living_; }

 private:
  // One that never begins knows what a new one has to.
  template <typename Base, typename Tell>
  void ForEach(Tell tell) {
    tell(static_cast<Base&>(waiting_));
    for (RequestHistory& one : living_) tell(static_cast<Base&>(one));
  }
  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override {
    ForEach<RunListener>([&](RunListener& one) { one.JobEnded(job, outcome, reason, now); });
  }
  void SegmentEnded(const Assignment& assignment, Instant now) override {
    ForEach<RunListener>([&](RunListener& one) { one.SegmentEnded(assignment, now); });
  }
  void GuardActed(const GuardAct& act, Instant now) override {
    ForEach<RunListener>([&](RunListener& one) { one.GuardActed(act, now); });
  }
  void PromiseSacrificed(AgreementId agreement, Instant now) override {
    ForEach<RunListener>([&](RunListener& one) { one.PromiseSacrificed(agreement, now); });
  }
  void PromiseRestored(AgreementId agreement, Instant now) override {
    ForEach<RunListener>([&](RunListener& one) { one.PromiseRestored(agreement, now); });
  }
  void Start(const Assignment& assignment) override {
    ForEach<ExecutionBackend>([&](ExecutionBackend& one) { one.Start(assignment); });
  }
  void Resize(const Assignment& assignment) override {
    ForEach<ExecutionBackend>([&](ExecutionBackend& one) { one.Resize(assignment); });
  }
  void Abort(const Assignment& /*assignment*/) override {}
  void Advanced(Instant /*now*/) override {}
  void Applied(const Input& input) override {
    ForEach<RunRecorder>([&](RunRecorder& one) { one.Applied(input); });
  }
  void Decided(const SchedulingPlan& /*plan*/) override {}
  void Committed() override {}

  RequestHistory waiting_;
  std::list<RequestHistory> living_;
};

Result<std::vector<EndedRequest>> FindEndings(const Recording& recording,
                                              const WhySelection& selection, WhyMany& many) {
  Endings endings(selection, many);
  RecordedRun run(recording, {endings, endings, endings});
  endings.set_state(run.state());
  while (true) {
    ASSIGN_OR_RETURN(const RecordedStep* const step, run.Next());
    if (step == nullptr) break;
  }
  const auto& tenants = run.state().tenants;
  if (!selection.tenant.empty() &&
      std::ranges::find(tenants, selection.tenant, &Tenant::name) == tenants.end())
    return Fail("{}: no tenant is called '{}'", recording.file(), selection.tenant);
  many.losers = endings.Losers();
  return endings.selected();
}

void AddUp(const RequestAccount& account, WhyMany& many,
           std::map<std::pair<std::string, std::string>, TenantSum>& blockers) {
  ++many.accounts;
  many.total += account.total();
  many.admission += account.admission;
  many.waited += account.wait.time;
  many.deciding += account.wait.deciding;
  many.away += account.wait.away;
  many.idle += account.wait.idle;
  many.alone += account.alone;
  many.switching += account.switching;
  many.going_on += account.going_on.sum();
  many.slowed += account.slowed;
  many.lost += account.lost;
  for (const Blocker& blocker : account.wait.behind) {
    TenantSum& sum = blockers[{blocker.tenant, blocker.network}];
    sum.tenant = blocker.tenant;
    sum.network = blocker.network;
    ++sum.requests;
    sum.time += blocker.time;
  }
}

}  // namespace

Result<WhyMany> AccountForMany(const Recording& recording, const WhySelection& selection) {
  WhyMany many;
  ASSIGN_OR_RETURN(std::vector<EndedRequest> ended, FindEndings(recording, selection, many));
  std::ranges::sort(ended,
                    [](const EndedRequest& a, const EndedRequest& b) { return a.IsWorseThan(b); });
  const std::size_t worst = std::min(selection.worst, ended.size());
  std::set<RequestNumber> told;
  for (std::size_t i = 0; i < worst; ++i) told.insert(ended[i].request);
  std::set<RequestNumber> summed;
  const std::size_t accounts = std::min(ended.size(), WhyMany::kMostAccounts);
  for (std::size_t i = 0; i < accounts; ++i)
    summed.insert(ended[i * ended.size() / accounts].request);

  Histories histories;
  RecordedRun run(recording, {histories, histories, histories});
  histories.set_state(run.state());
  std::map<std::pair<std::string, std::string>, TenantSum> blockers;
  std::map<RequestNumber, RequestAccount> accounts_of;
  while (true) {
    ASSIGN_OR_RETURN(const RecordedStep* const step, run.Next());
    if (step == nullptr) break;
    if (step->kind == RecordedStep::Kind::kInput) {
      const auto* const arrival = std::get_if<Arrival>(&step->input);
      if (arrival != nullptr &&
          (told.contains(arrival->request.number) || summed.contains(arrival->request.number)))
        histories.Begin(run.last_arrival());
    }
    auto& living = histories.living();
    for (auto one = living.begin(); one != living.end();) {
      if (!one->ended()) {
        ++one;
        continue;
      }
      RequestAccount account = AccountOf(run.state(), *one);
      one = living.erase(one);
      if (summed.contains(account.request)) AddUp(account, many, blockers);
      if (told.contains(account.request)) accounts_of[account.request] = std::move(account);
    }
  }
  for (const auto& [name, sum] : blockers) many.blockers.push_back(sum);
  std::ranges::stable_sort(many.blockers, std::ranges::greater{}, &TenantSum::time);
  for (std::size_t i = 0; i < worst; ++i) {
    if (const auto found = accounts_of.find(ended[i].request); found != accounts_of.end())
      many.worst.push_back(std::move(found->second));
  }
  return many;
}

}  // namespace fairlead
