// How long mechanisms think in a round, by agents and accelerators.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "experiments/kinds/kinds.h"
#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/base/units.h"
#include "fairlead/sharing/mechanism.h"
#include "fairlead/world/mechanism_registry.h"

namespace fairlead {
namespace {

struct OverheadSize {
  int agents = 0;
  int groups = 0;
  int copies = 0;  // accelerators of a group
};

Market MarketOfSize(const OverheadSize& size) {
  std::vector<SharingAgent> agents;
  for (int a = 0; a < size.agents; ++a)
    agents.push_back({.name = std::to_string(a), .weight = 1 + a % 4});
  std::vector<AcceleratorGroup> groups;
  for (int g = 0; g < size.groups; ++g)
    groups.push_back({.kind = g < 2 ? g : g % 2, .count = size.copies});
  return *Market::Make(std::move(agents), groups);
}

// In microseconds.
struct RoundTime {
  double allocation = 0;  // lists are given
  double whole = 0;       // lists are made of utilities before
  double messages = 0;    // on average: agents' messages are read, and answered
};

// What an agent's worker sends: its threshold, utilities and list, as bytes. The coordinator reads
// them and answers; there is no network between.
struct Message {
  static constexpr std::size_t kOfGroup = sizeof(double) + sizeof(int);

  static std::string Packed(const Reports& reports, std::size_t agent, std::size_t groups) {
    std::string bytes(sizeof(double) + groups * kOfGroup, '\0');
    char* at = bytes.data();
    std::memcpy(at, &reports.thresholds[agent], sizeof(double));
    std::memcpy(at += sizeof(double), &reports.utilities[agent * groups], groups * sizeof(double));
    std::memcpy(at + groups * sizeof(double), &reports.preferences[agent * groups],
                groups * sizeof(int));
    return bytes;
  }
  static void Read(const std::string& bytes, std::size_t agent, std::size_t groups,
                   Reports& reports) {
    const char* at = bytes.data();
    std::memcpy(&reports.thresholds[agent], at, sizeof(double));
    std::memcpy(&reports.utilities[agent * groups], at += sizeof(double), groups * sizeof(double));
    std::memcpy(&reports.preferences[agent * groups], at + groups * sizeof(double),
                groups * sizeof(int));
  }
};

// To each agent the accelerators that it holds.
void Answer(const Allocation& allocation, std::vector<std::string>& answers) {
  for (std::string& answer : answers) answer.clear();
  for (std::size_t c = 0; c < allocation.holder.size(); ++c) {
    const int holder = allocation.holder[c];
    const auto number = static_cast<std::uint32_t>(c);
    if (holder >= 0)
      answers[static_cast<std::size_t>(holder)].append(reinterpret_cast<const char*>(&number),
                                                       sizeof(number));
  }
}

// The least of all rounds: what others do on the machine only adds to it; messages on average. Each
// round has new utilities.
Result<RoundTime> LeastRound(const OverheadSize& size, const std::string& spec, int rounds) {
  const Market market = MarketOfSize(size);
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(spec));
  ASSIGN_OR_RETURN(const auto mechanism, choice.make(market));
  RandomStream random(1, "sharing overhead");
  Reports reports;
  reports.utilities.resize(static_cast<std::size_t>(size.agents * size.groups));
  reports.thresholds.assign(static_cast<std::size_t>(size.agents), 0.3);
  Allocation allocation;
  RoundTime least{.allocation = 1e18, .whole = 1e18};
  std::vector<std::string> inbox(static_cast<std::size_t>(size.agents));
  std::vector<std::string> answers(inbox.size());
  const auto groups = static_cast<std::size_t>(size.groups);
  for (int r = 0; r < rounds; ++r) {
    for (double& utility : reports.utilities) utility = std::max(0.0, 1.2 * random.Uniform() - 0.2);
    const Stopwatch whole;
    PreferByUtility(market, reports, reports.preferences);
    const Stopwatch watch;
    mechanism->Allocate(reports, allocation);
    const std::int64_t allocation_ns = watch.ElapsedNanoseconds();
    least.allocation = std::min(least.allocation, static_cast<double>(allocation_ns) * 1e-3);
    least.whole = std::min(least.whole, static_cast<double>(whole.ElapsedNanoseconds()) * 1e-3);
    for (std::size_t a = 0; a < inbox.size(); ++a) inbox[a] = Message::Packed(reports, a, groups);
    const Stopwatch messages;
    for (std::size_t a = 0; a < inbox.size(); ++a) Message::Read(inbox[a], a, groups, reports);
    Answer(allocation, answers);
    least.messages +=
        static_cast<double>(allocation_ns + messages.ElapsedNanoseconds()) * 1e-3 / rounds;
  }
  return least;
}

// "20x40" agents by groups, "1000x4x2500" with as many accelerators in each.
Result<OverheadSize> ParseSize(const ExperimentWorld& world) {
  OverheadSize size{.copies = 1};
  for (const Setting& setting : world.settings) {
    if (setting.key == "quick") continue;
    ASSIGN_OR_RETURN(const std::int64_t number, ParseInteger(setting.value));
    if (number < 1 || number > 100'000) return Fail("sharing-overhead: {} is too large", number);
    if (setting.key == "agents") size.agents = static_cast<int>(number);
    if (setting.key == "groups") size.groups = static_cast<int>(number);
    if (setting.key == "copies") size.copies = static_cast<int>(number);
  }
  if (size.agents == 0 || size.groups == 0)
    return Fail("sharing-overhead: world {} has no agents or no groups", world.name);
  return size;
}

}  // namespace

// Fields of contestants: most_agents, above which it is left out; rounds. A world with the setting
// quick=false is left out of a quick plan.
Tasks SharingOverheadTasks(const ExperimentGrid& grid, const ExperimentPlan& plan) {
  std::vector<ExperimentTask> tasks;
  for (const ExperimentWorld& of : grid.worlds) {
    if (plan.quick && std::ranges::find(of.settings, "quick", &Setting::key) != of.settings.end())
      continue;
    ASSIGN_OR_RETURN(const OverheadSize size, ParseSize(of));
    for (const Contestant& one : grid.policies) {
      ASSIGN_OR_RETURN(const std::int64_t most, ParseInteger(one.Field("most_agents", "10000")));
      ASSIGN_OR_RETURN(std::int64_t rounds, ParseInteger(one.Field("rounds", "300")));
      if (size.agents > most) continue;
      if (size.agents >= 1000) rounds = 5;
      const std::string spec = one.Field("policy");
      tasks.push_back(
          {fmt::format("{} {} {} {} {}", size.agents, size.groups, size.copies, spec, rounds),
           [=, world = of.name, policy = one.name]() -> Result<std::vector<ExperimentRow>> {
             ASSIGN_OR_RETURN(const RoundTime time,
                              LeastRound(size, spec, static_cast<int>(rounds)));
             ExperimentRow row{.world = world, .policy = policy};
             row.Add("us", time.allocation);
             row.Add("us_whole", time.whole);
             row.Add("us_messages", time.messages);
             row.Add("agents", size.agents);
             row.Add("accelerators", size.groups * size.copies);
             return std::vector{std::move(row)};
           }});
    }
  }
  return tasks;
}

}  // namespace fairlead
