#include "fairlead/learning/gru_policy.h"

#include <span>
#include <utility>

#include "fairlead/learning/learned_policy.h"
#include "fairlead/learning/remembered_answers.h"

namespace fairlead {
namespace {

class GruActor final : public DecisionActor {
 public:
  GruActor(const GruNetwork& network, ThinkingEnergy energy) : runner_(network), energy_(energy) {}
  void Act(const DecisionFeatures& features, std::span<float> actions) override {
    if (energy_.spent_pj != nullptr)
      *energy_.spent_pj += energy_.row_pj * static_cast<double>(features.size());
    runner_.Run(features.system, features.rows, features.size(), actions);
  }

 private:
  GruRunner runner_;
  ThinkingEnergy energy_;
};

}  // namespace

Result<GruNetwork> ReadDecisionNetwork(Awareness awareness, std::string_view file,
                                       std::string_view text) {
  auto network =
      ParseGru(text, DecisionEncoder::Name(awareness), DecisionEncoder::Version(awareness));
  if (!network.has_value()) return Fail("{}: {}", file, network.error().message);
  const std::size_t inputs = kSystemFeatures + DecisionEncoder::Width(awareness);
  if (network->inputs != static_cast<int>(inputs) ||
      network->outputs != static_cast<int>(kActionsPerRow))
    return Fail("{}: a network of {} inputs and {} outputs, where {} and {} were expected", file,
                network->inputs, network->outputs, inputs, kActionsPerRow);
  return network;
}

FrameOptions FrameOfLearners(Awareness awareness) {
  constexpr double kNeverWaits = -1;  // below no answer
  return {.encoder = {.awareness = awareness},
          .decoder = {.defer_below = kNeverWaits,
                      .throttle = MemoryLimit::kUsualShares,
                      .beyond = MemoryLimit::Beyond::kLight}};
}

std::unique_ptr<SchedulingPolicy> MakeGruPolicy(std::string name, const GruPolicyOptions& options,
                                                const GruNetwork& network) {
  std::unique_ptr<DecisionActor> actor = std::make_unique<GruActor>(network, options.energy);
  if (options.refresh > Duration::zero())
    actor = RememberAnswers(std::move(actor), options.refresh, options.frame.encoder.limit);
  return MakeLearnedPolicy(std::move(name), options.frame, std::move(actor));
}

}  // namespace fairlead
