#include "fairlead/sharing/actor_critic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"

namespace fairlead {
namespace {

using State = std::array<double, kActorInputs>;
constexpr std::size_t kSampled = kActorInputs - 1;

// What an agent knows: its budget over its first one, and utilities from the largest down.
class StateEncoder {
 public:
  explicit StateEncoder(const Market& market) : market_(market) {}

  State Encode(const SharingMechanism& mechanism, const Reports& reports, int agent) {
    const auto budgets = mechanism.Budgets();
    if (initial_.empty()) initial_.assign(budgets.begin(), budgets.end());
    const auto a = static_cast<std::size_t>(agent);
    State state{};
    if (!budgets.empty())
      state[0] = static_cast<double>(budgets[a]) /
                 static_cast<double>(std::max<std::int64_t>(1, initial_[a]));
    const auto groups = static_cast<std::size_t>(market_.groups());
    const auto row = reports.utilities.begin() + static_cast<std::ptrdiff_t>(a * groups);
    sorted_.assign(row, row + static_cast<std::ptrdiff_t>(groups));
    std::ranges::sort(sorted_, std::greater<>());
    for (std::size_t i = 0; i < kSampled; ++i)
      state[1 + i] = sorted_[i * (groups - 1) / (kSampled - 1)];
    return state;
  }

 private:
  const Market& market_;
  std::vector<std::int64_t> initial_;
  std::vector<double> sorted_;
};

// A network whose numbers have grown beyond bounds asks for nothing.
int DrawThreshold(RandomStream& random, const std::vector<double>& chances) {
  const bool sound = std::ranges::all_of(chances, [](double c) { return std::isfinite(c); });
  return sound ? static_cast<int>(random.Weighted(chances)) : 0;
}

class ActorThresholds final : public ThresholdChooser {
 public:
  ActorThresholds(const Market& market, DenseNetwork actor, std::uint64_t seed)
      : market_(market),
        actor_(std::move(actor)),
        encoder_(market),
        random_(seed, "sharing/actor") {}

  void Choose(const SharingMechanism& mechanism, Reports& reports) override {
    reports.thresholds.clear();
    for (int a = 0; a < market_.agents(); ++a) {
      RunNetwork(actor_, encoder_.Encode(mechanism, reports, a), values_);
      reports.thresholds.push_back(ThresholdValue(DrawThreshold(random_, values_.back())));
    }
  }

 private:
  const Market& market_;
  DenseNetwork actor_;
  StateEncoder encoder_;
  RandomStream random_;
  std::vector<std::vector<double>> values_;
};

// One hidden tanh layer: adds `rate` times the gradient of what `errors` (at the last layer, before
// its activation) stand for.
void Climb(DenseNetwork& network, const State& state, const std::vector<double>& hidden,
           const std::vector<double>& errors, double rate) {
  DenseLayer& last = network.layers[1];
  DenseLayer& first = network.layers[0];
  std::vector<double> back(hidden.size());
  for (std::size_t o = 0; o < errors.size(); ++o) {
    for (std::size_t h = 0; h < hidden.size(); ++h) {
      double& weight = last.weights[o * hidden.size() + h];
      back[h] += errors[o] * weight;
      weight += rate * errors[o] * hidden[h];
    }
    last.biases[o] += rate * errors[o];
  }
  for (std::size_t h = 0; h < hidden.size(); ++h) {
    const double slope = back[h] * (1 - hidden[h] * hidden[h]);
    for (std::size_t i = 0; i < state.size(); ++i)
      first.weights[h * state.size() + i] += rate * slope * state[i];
    first.biases[h] += rate * slope;
  }
}

class ActorCriticLearner final : public ThresholdChooser {
 public:
  ActorCriticLearner(const Market& market, const ActorCriticOptions& options,
                     std::span<ActorCriticNetworks> networks, std::uint64_t seed)
      : market_(market),
        options_(options),
        networks_(networks),
        encoder_(market),
        random_(seed, "sharing/actor"),
        last_(static_cast<std::size_t>(market.agents())) {}

  void Choose(const SharingMechanism& mechanism, Reports& reports) override {
    reports.thresholds.clear();
    for (int a = 0; a < market_.agents(); ++a) {
      const State state = encoder_.Encode(mechanism, reports, a);
      Step& last = last_[static_cast<std::size_t>(a)];
      ActorCriticNetworks& own = networks_[static_cast<std::size_t>(a) % networks_.size()];
      if (has_last_) Learn(own, last, state);
      RunNetwork(own.actor, state, values_);
      last = {.state = state, .choice = DrawThreshold(random_, values_.back()), .reward = 0};
      reports.thresholds.push_back(ThresholdValue(last.choice));
    }
    has_last_ = true;
  }

  void Observe(const Reports& reports, const Allocation& allocation) override {
    for (int a = 0; a < market_.agents(); ++a)
      last_[static_cast<std::size_t>(a)].reward = AllocatedUtility(market_, reports, allocation, a);
  }

 private:
  struct Step {
    State state{};
    int choice = 0;
    double reward = 0;
  };

  void Learn(ActorCriticNetworks& own, const Step& step, const State& next) {
    RunNetwork(own.critic, next, values_);
    const double after = values_.back()[0];
    RunNetwork(own.critic, step.state, values_);
    const double delta = step.reward + options_.discount * after - values_.back()[0];
    Climb(own.critic, step.state, values_[0], {delta}, options_.critic_rate);
    RunNetwork(own.actor, step.state, values_);
    std::vector<double> errors = values_[1];  // of log pi: the choice's 1 less all chances
    for (double& error : errors) error *= -delta;
    errors[static_cast<std::size_t>(step.choice)] += delta;
    Climb(own.actor, step.state, values_[0], errors, options_.actor_rate);
  }

  const Market& market_;
  ActorCriticOptions options_;
  std::span<ActorCriticNetworks> networks_;
  StateEncoder encoder_;
  RandomStream random_;
  std::vector<Step> last_;
  bool has_last_ = false;
  std::vector<std::vector<double>> values_;
};

class OwnActorCritics final : public ThresholdChooser {
 public:
  OwnActorCritics(const Market& market, const ActorCriticOptions& options, std::uint64_t seed) {
    for (int a = 0; a < market.agents(); ++a)
      networks_.push_back(NewActorCritic(options, seed + static_cast<std::uint64_t>(a)));
    learner_ = MakeActorCriticLearner(market, options, networks_, seed);
  }
  void Choose(const SharingMechanism& mechanism, Reports& reports) override {
    learner_->Choose(mechanism, reports);
  }
  void Observe(const Reports& reports, const Allocation& allocation) override {
    learner_->Observe(reports, allocation);
  }

 private:
  std::vector<ActorCriticNetworks> networks_;
  std::unique_ptr<ThresholdChooser> learner_;
};

DenseLayer NewLayer(int inputs, int outputs, NeuronActivation activation, RandomStream& random) {
  DenseLayer layer{.inputs = inputs, .outputs = outputs, .activation = activation};
  layer.biases.assign(static_cast<std::size_t>(outputs), 0);
  const double scale = 1 / std::sqrt(static_cast<double>(inputs));
  for (int i = 0; i < inputs * outputs; ++i) layer.weights.push_back(scale * random.Normal());
  return layer;
}

}  // namespace

ActorCriticNetworks NewActorCritic(const ActorCriticOptions& options, std::uint64_t seed) {
  RandomStream random(seed, "sharing/actor-critic");
  ActorCriticNetworks networks{
      .actor = {.name = std::string(kActorName), .version = kActorVersion, .layers = {}},
      .critic = {.name = std::string(kCriticName), .version = kActorVersion, .layers = {}}};
  for (DenseNetwork* network : {&networks.actor, &networks.critic}) {
    const bool actor = network == &networks.actor;
    network->layers.push_back(
        NewLayer(kActorInputs, options.hidden, NeuronActivation::kTanh, random));
    network->layers.push_back(NewLayer(options.hidden, actor ? kThresholds : 1,
                                       actor ? NeuronActivation::kSoftmax : NeuronActivation::kNone,
                                       random));
  }
  return networks;
}

std::unique_ptr<ThresholdChooser> MakeActor(const Market& market, DenseNetwork actor,
                                            std::uint64_t seed) {
  CHECK(actor.inputs() == kActorInputs);
  CHECK(actor.outputs() == kThresholds);
  return std::make_unique<ActorThresholds>(market, std::move(actor), seed);
}

std::unique_ptr<ThresholdChooser> MakeActorCriticLearner(const Market& market,
                                                         const ActorCriticOptions& options,
                                                         std::span<ActorCriticNetworks> networks,
                                                         std::uint64_t seed) {
  return std::make_unique<ActorCriticLearner>(market, options, networks, seed);
}

std::unique_ptr<ThresholdChooser> MakeOwnActorCritics(const Market& market,
                                                      const ActorCriticOptions& options,
                                                      std::uint64_t seed) {
  return std::make_unique<OwnActorCritics>(market, options, seed);
}

}  // namespace fairlead
