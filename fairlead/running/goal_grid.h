// Who serves how much in 8 sets of networks by 5 ratios of requests on two machines: the runs
// behind the experiments on goal-independent scheduling.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/running/assignment_search.h"
#include "fairlead/running/experiments.h"
#include "fairlead/running/goal_platforms.h"

namespace fairlead {

using SetOfFour = std::array<std::string_view, 4>;
inline constexpr std::array<SetOfFour, 8> kGoalSets = {{
    {"resnet50", "mobilenet-v2", "squeezenet1-1", "googlenet"},
    {"vgg16", "resnet18", "mnasnet1-0", "inception-v3"},
    {"densenet121", "efficientnet-b0", "resnet50", "squeezenet1-1"},
    {"wide-resnet50-2", "mobilenet-v3-large", "resnet18", "mobilenet-v2"},
    {"inception-v3", "googlenet", "efficientnet-b0", "mnasnet1-0"},
    {"vgg16", "densenet121", "shufflenet-v2-x1-0", "mobilenet-v2"},
    {"resnet50", "wide-resnet50-2", "vgg16", "inception-v3"},
    {"squeezenet1-1", "mobilenet-v3-large", "shufflenet-v2-x1-0", "resnet18"},
}};
inline constexpr std::array<std::array<int, 4>, 5> kGoalRatios = {
    {{1, 1, 1, 1}, {4, 2, 1, 1}, {1, 1, 2, 4}, {1, 4, 1, 4}, {6, 1, 1, 1}}};

enum class GoalBelief : std::uint8_t { kNone, kConstant, kLearned };

// Who is compared: what is searched for, and what is believed meanwhile.
struct GoalRival {
  std::string_view name;
  // kIdle: the ratios of the first, but a request waits until an accelerator is idle.
  // kBeside: kEdf, by what runs at the moment.
  enum class Kind : std::uint8_t { kSearched, kIdle, kMael, kEdf, kBeside } kind = Kind::kSearched;
  GoalBelief belief = GoalBelief::kNone;
  bool throughput = false;  // is the goal, whatever the experiment's is
  SearchMethod method = SearchMethod::kSampling;
  RouteAt route = RouteAt::kArrival;  // of what is searched, too
};
using RivalKind = GoalRival::Kind;
inline constexpr std::array kGoalRivals = {
    GoalRival{.name = "learned", .belief = GoalBelief::kLearned},
    GoalRival{.name = "constant", .belief = GoalBelief::kConstant},
    GoalRival{.name = "none"},
    GoalRival{.name = "base", .throughput = true},
    GoalRival{.name = "slo-mael", .kind = RivalKind::kMael},
    GoalRival{.name = "slo-mael-learned", .kind = RivalKind::kMael, .belief = GoalBelief::kLearned},
    GoalRival{.name = "edf-h", .kind = RivalKind::kEdf},
    GoalRival{.name = "edf-h-constant", .kind = RivalKind::kEdf, .belief = GoalBelief::kConstant},
    GoalRival{.name = "edf-h-learned", .kind = RivalKind::kEdf, .belief = GoalBelief::kLearned},
    GoalRival{.name = "edf-h-beside", .kind = RivalKind::kBeside, .belief = GoalBelief::kLearned},
    GoalRival{.name = "learned-idle", .kind = RivalKind::kIdle, .belief = GoalBelief::kLearned},
    GoalRival{
        .name = "learned-local", .belief = GoalBelief::kLearned, .method = SearchMethod::kLocal},
    GoalRival{.name = "learned-halving",
              .belief = GoalBelief::kLearned,
              .method = SearchMethod::kHalving},
    GoalRival{.name = "idle-learned", .belief = GoalBelief::kLearned, .route = RouteAt::kIdle},
    GoalRival{.name = "idle-constant", .belief = GoalBelief::kConstant, .route = RouteAt::kIdle},
    GoalRival{.name = "idle-none", .route = RouteAt::kIdle},
    GoalRival{.name = "idle-base", .throughput = true, .route = RouteAt::kIdle},
};

// One scenario.
struct GoalCase {
  const GoalPlatform* platform = nullptr;
  std::size_t set = 0;
  std::size_t ratio = 0;
  std::vector<std::vector<double>> scores{};  // by rival and repetition, in truth
  std::vector<double> believed{};             // by rival: on traffic that the search had not seen
  std::size_t draws = 0;                      // of the first
};

struct GoalSizes {
  std::size_t sets = kGoalSets.size();
  std::size_t ratios = kGoalRatios.size();
  double requests = 1500;
  std::size_t budget = 150;  // of goodput; a search for slo99 has four times as much
  int seeds = 10;
  int searches = 5;  // each on draws and traffic of its own, judged by its part of the seeds
};

class GoalGrid {
 public:
  GoalGrid(const ExperimentPlan& plan, GoalKind goal);

  // Every scenario, on all cores; those that a stop leaves undone are left out.
  Status Run();

  const std::vector<GoalPlatform>& platforms() const { return platforms_; }
  const std::vector<GoalCase>& cases() const { return cases_; }
  const GoalSizes& sizes() const { return sizes_; }

 private:
  Status RunCase(GoalCase& one) const;
  Result<double> Judge(const World& world, const TriedPolicy& policy, int repetition) const;
  Result<TriedPolicy> PolicyOf(const GoalRival& rival, const World& world, int repetition,
                               std::vector<FoundAssignment>& first) const;

  const ExperimentPlan& plan_;
  GoalKind goal_;
  GoalSizes sizes_;
  std::vector<GoalPlatform> platforms_;
  std::vector<GoalCase> cases_;
};

}  // namespace fairlead
