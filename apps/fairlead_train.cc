// fairlead-train: learns a policy on scenarios. A program of its own, since it links libtorch,
// which nothing else here needs; `fairlead train` runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/signal_watch.h"
#include "fairlead/learning/learned_policy.h"
#include "fairlead/running/training/trainer.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

constexpr int kBadInput = 2;
constexpr int kCouldNotGoOn = 3;
constexpr int kInterrupted = 128;

struct TrainOptions {
  std::vector<std::string> scenarios;
  std::string learner = "rl-sla";
  std::string out;
  std::string teacher;  // empty: the learner's; "none": no imitation
  std::vector<std::string> loads;
  std::string horizon = "14s";
  std::string warm_up = "2s";
  std::vector<std::string> settings;
  int threads = 0;
  bool fresh = false;
  bool judge_teacher = false;
  std::string judged;  // weights to be judged instead of a training
  TrainingPlan plan;
};

// What `--set` may set, with what it is.
struct Knob {
  std::string_view name;
  std::string_view sentence;
  double (*get)(const TrainingPlan&);
  void (*set)(TrainingPlan&, double);
};
#define KNOB(name, field, sentence)                                                    \
  {                                                                                    \
    name, sentence, [](const TrainingPlan& p) { return double(p.field); },             \
        [](TrainingPlan& p, double x) { p.field = static_cast<decltype(p.field)>(x); } \
  }
const Knob kKnobs[] = {
    KNOB("imitation.learning_rate", learner.imitation.learning_rate, "of Adam, at the beginning"),
    KNOB("imitation.batch", learner.imitation.batch, "decisions in one step"),
    KNOB("imitation.priority_penalty", learner.imitation.priority_penalty,
         "of squares of raw priorities"),
    KNOB("imitation.score_penalty", learner.imitation.score_penalty, "of squares of raw scores"),
    KNOB("ddpg.actor_learning_rate", learner.ddpg.actor_learning_rate, "of the actor's Adam"),
    KNOB("ddpg.critic_learning_rate", learner.ddpg.critic_learning_rate, "of the critic's Adam"),
    KNOB("ddpg.batch", learner.ddpg.batch, "transitions in one step"),
    KNOB("ddpg.polyak", learner.ddpg.polyak, "part of the way that targets go with a step"),
    KNOB("ddpg.lookahead", learner.ddpg.lookahead, "seconds of rewards before the critic is asked"),
    KNOB("ddpg.reward_scale", learner.ddpg.reward_scale, "that rewards are multiplied by"),
    KNOB("ddpg.anchor", learner.ddpg.anchor, "weight of the loss of imitation beside DDPG's"),
    KNOB("ddpg.critic_first", learner.ddpg.critic_first, "steps in which only the critic learns"),
    KNOB("ddpg.gradient_norm", learner.ddpg.gradient_norm, "beyond which gradients are shortened"),
    KNOB("exploration.deviation", rollouts.exploration.deviation, "of noise on actions"),
    KNOB("exploration.memory", rollouts.exploration.memory, "seconds, of that noise"),
    KNOB("reward.step", rollouts.reward.step, "of a share of hits that doubles the weight"),
    KNOB("reward.doublings", rollouts.reward.doublings, "of that weight, at most"),
    KNOB("reward.progress", rollouts.reward.progress, "of a hit, paid as segments begin"),
    KNOB("rows", rollouts.frame.encoder.limit, "of a decision, at most"),
    KNOB("memory", rollouts.frame.decoder.memory, "limit, in times of the bandwidth"),
    KNOB("throttle", rollouts.frame.decoder.throttle, "of what starts, in equal parts of it"),
    KNOB("hidden", hidden, "units of the recurrent layer"),
    KNOB("rounds.imitation", imitation_rounds, "at most"),
    KNOB("rounds.ddpg", ddpg_rounds, "at most, after them"),
    KNOB("rounds.runs", runs_per_round, "of the simulator in a round"),
    KNOB("rounds.decisions", decisions_per_run, "of each such run"),
    KNOB("rounds.steps", steps_per_round, "of the optimiser in a round"),
    KNOB("rounds.kept", rounds_kept, "whose decisions stay in the replay buffer"),
    KNOB("rounds.evaluation", rounds_per_evaluation, "from one evaluation to the next"),
    KNOB("evaluation.seeds", seeds_per_evaluation, "in each world, from 101 on"),
    KNOB("evaluation.start", judge_start, "0: none before the first round"),
    KNOB("patience", patience, "evaluations of DDPG without a better one; 0: no end"),
    KNOB("ddpg.share", ddpg_share, "of --minutes"),
    KNOB("histories", rollouts.drawn_histories, "share of runs that begin with drawn histories"),
};
#undef KNOB

Status Apply(const std::string& setting, TrainingPlan& plan) {
  const std::size_t equals = setting.find('=');
  const std::string name = setting.substr(0, equals);
  const auto knob = std::ranges::find(kKnobs, name, &Knob::name);
  if (knob == std::end(kKnobs) || equals == std::string::npos)
    return Fail("--set {}: expected NAME=NUMBER with a name from --help", setting);
  std::size_t read = 0;
  double value = 0;
  try {
    value = std::stod(setting.substr(equals + 1), &read);
  } catch (const std::exception&) {
    read = 0;
  }
  if (read == 0 || read != setting.size() - equals - 1 || value < 0)
    return Fail("--set {}: expected a number that is not negative", setting);
  knob->set(plan, value);
  return {};
}

Result<TrainingWorld> BuildTrainingWorld(const TrainOptions& options, const std::string& file,
                                         const std::string& load) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  std::vector<Setting> settings;
  if (load.empty()) {
    settings = {{"horizon", options.horizon}, {"warm_up", options.warm_up}};
  } else {
    settings = {{"load", load}};
  }
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(file, text, settings));
  scenario.guard.reset();
  TrainingWorld world{.name = scenario.name, .judged = load.empty()};
  if (!load.empty()) world.name += " load " + load;
  ASSIGN_OR_RETURN(world.world, BuildWorld(std::move(scenario), &ReadFile));
  return world;
}

Result<std::vector<TrainingWorld>> BuildTrainingWorlds(const TrainOptions& options) {
  std::vector<TrainingWorld> worlds;
  for (const std::string& file : options.scenarios) {
    ASSIGN_OR_RETURN(TrainingWorld judged, BuildTrainingWorld(options, file, ""));
    worlds.push_back(std::move(judged));
    for (const std::string& load : options.loads) {
      ASSIGN_OR_RETURN(TrainingWorld other, BuildTrainingWorld(options, file, load));
      worlds.push_back(std::move(other));
    }
  }
  return worlds;
}

Status Prepare(TrainOptions& options) {
  TrainingPlan& plan = options.plan;
  ASSIGN_OR_RETURN(const LearnedPolicyKind kind, FindLearnedPolicy(options.learner));
  plan.out = options.out;
  plan.rollouts.frame = FrameOfLearners(kind.awareness);
  plan.rollouts.reward.kind = kind.reward;
  plan.judged_by = kind.reward;
  plan.rollouts.teacher = options.teacher.empty() ? kind.teacher : options.teacher;
  for (const std::string& setting : options.settings) RETURN_IF_ERROR(Apply(setting, plan));
  if (plan.rollouts.teacher == "none") {
    plan.rollouts.teacher.clear();
    plan.imitation_rounds = 0;
    if (plan.ddpg_rounds == 0) plan.ddpg_rounds = 1000;
  } else {
    ASSIGN_OR_RETURN(const auto teacher, MakeTeacher(plan.rollouts.teacher));
  }
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  plan.rollouts.threads = options.threads > 0 ? options.threads : cores;
  plan.learner_threads = std::clamp(plan.rollouts.threads / 2, 1, 4);
  plan.learner.seed = plan.seed;
  plan.resume = !options.fresh;
  return {};
}

int Complain(const Error& error, int status) {
  fmt::print(stderr, "fairlead-train: {}\n", error.message);
  return status;
}

// Trains nothing: weights, or what imitation could reach at best (the teacher's order through
// encoder and decoder), on traffic that nothing learns from.
int Judge(const TrainOptions& options, const std::vector<TrainingWorld>& worlds) {
  RolloutOptions rollouts = options.plan.rollouts;
  std::optional<GruNetwork> network;
  if (!options.judged.empty()) {
    const auto text = ReadFile(options.judged);
    if (!text.has_value()) return Complain(text.error(), kBadInput);
    auto read = ReadDecisionNetwork(rollouts.frame.encoder.awareness, options.judged, *text);
    if (!read.has_value()) return Complain(read.error(), kBadInput);
    network = std::move(*read);
    rollouts.teacher.clear();
  }
  const auto judged = Evaluate(worlds, rollouts, network.has_value() ? &*network : nullptr,
                               {.acts = network.has_value() ? WhoActs::kStudent : WhoActs::kTeacher,
                                .seeds = options.plan.seeds_per_evaluation});
  if (!judged.has_value()) return Complain(judged.error(), kCouldNotGoOn);
  for (const Evaluation& world : *judged) {
    fmt::print(
        "{:<24} {:<32} hits {:6.2f} %  worst {:6.2f} %  std {:5.2f}  met {:5.1f} %  shortfall "
        "{:.3f}\n",
        network.has_value() ? options.judged : rollouts.teacher, world.world, 100 * world.hit_rate,
        100 * world.worst, 100 * world.deviation, 100 * world.met, world.shortfall);
  }
  return 0;
}

int Run(TrainOptions options) {
  if (options.out.empty() && options.judged.empty() && !options.judge_teacher)
    return Complain({"--out FILE is needed: where the weights go"}, kBadInput);
  if (const Status ready = Prepare(options); !ready.has_value())
    return Complain(ready.error(), kBadInput);
  const auto worlds = BuildTrainingWorlds(options);
  if (!worlds.has_value()) return Complain(worlds.error(), kBadInput);
  if (options.judge_teacher || !options.judged.empty()) return Judge(options, *worlds);
  SignalWatch signals;
  signals.Arm();
  options.plan.stop = signals.token();
  options.plan.tell = [](std::string_view line) {
    fmt::print(stderr, "{}", line);
    std::fflush(stderr);
  };
  const auto result = Train(*worlds, options.plan);
  if (!result.has_value()) return Complain(result.error(), kCouldNotGoOn);
  fmt::print(stderr,
             "{}: best score {:.4f}; {:.0f} decisions/s collected while learning on {}; curves in "
             "{}.csv and {}.html\n",
             options.out, result->best, result->decisions_per_s, result->device, options.out,
             options.out);
  return signals.signal() == 0 ? 0 : kInterrupted + signals.signal();
}

std::string Footer() {
  std::string text = "\nHyper-parameters for --set, with their defaults:\n";
  TrainingPlan defaults;
  defaults.rollouts.frame = FrameOfLearners(Awareness::kIndicators);
  for (const Knob& knob : kKnobs)
    text += fmt::format("  {:<29}{:<8g} {}\n", knob.name, knob.get(defaults), knob.sentence);
  return text +
         "\nLearners: rl-baseline (sees no promises; reward: hits; teacher need without them),\n"
         "rl-sla (sees indicators and targets; reward grows with the distance below target;\n"
         "teacher need).\n"
         "Teachers: edf, sjf, dysta, work, share, need, edf-share, fairlead, none.\n"
         "\nExample:\n"
         "  fairlead-train scenarios/fairness.yaml scenarios/firm.yaml --learner rl-sla \\\n"
         "    --out rl-sla.weights --minutes 30\n"
         "docs/guide/learning.md tells what stands behind it.\n";
}

int Main(int argc, char** argv) {
  CLI::App app("learns a policy on scenarios");
  TrainOptions options;
  app.add_option("scenarios", options.scenarios, "SCENARIO.yaml, one or several")->required();
  app.add_option("--learner", options.learner, "rl-baseline or rl-sla");
  app.add_option("--out", options.out,
                 "FILE for the weights; FILE.checkpoint, .csv, .html beside it");
  app.add_option("--teacher", options.teacher, "whom it imitates at first; none: nobody");
  app.add_option("--loads", options.loads, "further loads to learn at, as in 0.9,1.2")
      ->delimiter(',');
  app.add_option("--minutes", options.plan.minutes, "of real time, after which it ends");
  app.add_option("--seed", options.plan.seed, "of weights, traffic and samples");
  app.add_option("--threads", options.threads, "of simulators; all cores unless given");
  app.add_option("--horizon", options.horizon, "of runs that judge");
  app.add_option("--warm-up", options.warm_up, "of those runs");
  app.add_option("--set", options.settings, "NAME=NUMBER, a hyper-parameter; may be repeated");
  app.add_flag("--fresh", options.fresh, "begins anew although there is a checkpoint");
  app.add_flag("--judge-teacher", options.judge_teacher,
               "trains nothing: says how the teacher fares that would be imitated");
  app.add_option("--judge", options.judged, "trains nothing: says how these weights fare");
  app.footer(Footer);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : kBadInput;
  }
  return Run(std::move(options));
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) { return fairlead::Main(argc, argv); }
