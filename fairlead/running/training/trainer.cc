#include "fairlead/running/training/trainer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <limits>
#include <utility>

#include "fairlead/base/stopwatch.h"
#include "fairlead/running/training/replaced_file.h"

namespace fairlead {
namespace {

constexpr int kRoundsPerLine = 10;  // of what is told

using Trajectories = std::vector<std::shared_ptr<const Trajectory>>;

constexpr LearnedPolicyKind kLearners[] = {
    {"rl-baseline", Awareness::kUnaware, RewardKind::kHits, "need:0:4:1:0.4:0"},
    {"rl-sla", Awareness::kIndicators, RewardKind::kIndicators, "need"},
};

class Training {
 public:
  Training(const std::vector<TrainingWorld>& worlds, const TrainingPlan& plan)
      : worlds_(worlds),
        plan_(plan),
        learner_(MakeActorLearner(ShapeOf(plan), plan.learner, plan.learner_threads)),
        buffer_(static_cast<std::size_t>(plan.rounds_kept) *
                    static_cast<std::size_t>(plan.runs_per_round * plan.decisions_per_run),
                plan.learner.ddpg.lookahead) {}

  Result<TrainingResult> Run();

 private:
  enum class Phase : std::uint8_t { kImitation, kDdpg };

  static ActorShape ShapeOf(const TrainingPlan& plan) {
    const std::size_t width = DecisionEncoder::Width(plan.rollouts.frame.encoder.awareness);
    return {.features = static_cast<int>(kSystemFeatures + width),
            .outputs = static_cast<int>(kActionsPerRow),
            .hidden = plan.hidden};
  }
  GruNetwork Actor() const {
    GruNetwork network = learner_->Weights();
    network.name = DecisionEncoder::Name(plan_.rollouts.frame.encoder.awareness);
    network.version = DecisionEncoder::Version(plan_.rollouts.frame.encoder.awareness);
    return network;
  }
  Phase PhaseOf(int round) const {
    return round < plan_.imitation_rounds && !imitation_over_ ? Phase::kImitation : Phase::kDdpg;
  }
  double Seconds() const { return seconds_before_ + stopwatch_.ElapsedSeconds(); }
  bool Over() const;
  double Progress() const;

  Result<bool> Resume();
  Result<Trajectories> CollectRound(int round, const GruNetwork& network) const;
  void Learn(int round);
  Status EvaluateAndKeep();
  Status Keep(const std::vector<Evaluation>& evaluations);
  double ScoreOf(const std::vector<Evaluation>& evaluations) const;
  void Tell(std::string_view line) const {
    if (plan_.tell) plan_.tell(line);
  }

  const std::vector<TrainingWorld>& worlds_;
  const TrainingPlan& plan_;
  std::unique_ptr<ActorLearner> learner_;
  ReplayBuffer buffer_;
  Stopwatch stopwatch_;
  double seconds_before_ = 0;  // of earlier processes
  int round_ = 0;              // the next
  bool imitation_over_ = false;
  std::uint64_t decisions_ = 0;
  std::uint64_t decisions_here_ = 0;  // of this process
  double working_seconds_ = 0;        // of it, in rounds
  double loss_ = 0;
  double value_ = 0;
  double best_ = -std::numeric_limits<double>::infinity();
  int without_better_ = 0;
  LearningCurve curve_;
};

bool Training::Over() const {
  if (plan_.stop.stop_requested()) return true;
  if (plan_.minutes > 0 && Seconds() >= 60 * plan_.minutes) return true;
  if (round_ >= plan_.imitation_rounds + plan_.ddpg_rounds) return true;
  return plan_.patience > 0 && without_better_ >= plan_.patience && PhaseOf(round_) == Phase::kDdpg;
}

// Of imitation: by rounds, or by time where that is shorter.
double Training::Progress() const {
  const double by_rounds = static_cast<double>(round_) / std::max(1, plan_.imitation_rounds);
  if (plan_.minutes <= 0) return by_rounds;
  const double share = plan_.ddpg_rounds > 0 ? 1 - plan_.ddpg_share : 1;
  return std::max(by_rounds, Seconds() / (60 * plan_.minutes * share));
}

// Notes of a checkpoint: a line of numbers, then the curve.
Result<bool> Training::Resume() {
  const std::string file = plan_.out + ".checkpoint";
  if (!plan_.resume || !std::filesystem::exists(file)) return false;
  ASSIGN_OR_RETURN(const std::string notes, learner_->Load(file));
  const std::size_t end = notes.find('\n');
  int over = 0;
  if (end == std::string::npos ||
      std::sscanf(notes.c_str(), "%d %d %lu %lf %lf %d", &round_, &over, &decisions_,
                  &seconds_before_, &best_, &without_better_) != 6)
    return Fail("{}: not a checkpoint of a training", file);
  imitation_over_ = over != 0;
  ASSIGN_OR_RETURN(curve_, ParseCurve(file, std::string_view(notes).substr(end + 1)));
  Tell(fmt::format("goes on after round {} and {:.0f} s from {}\n", round_, seconds_before_, file));
  return true;
}

Result<Trajectories> Training::CollectRound(int round, const GruNetwork& network) const {
  CollectRequest request{.seed = plan_.seed,
                         .round = round,
                         .runs = plan_.runs_per_round,
                         .decisions_per_run = static_cast<std::size_t>(plan_.decisions_per_run),
                         .stop = plan_.stop};
  RolloutOptions options = plan_.rollouts;
  const bool imitates = PhaseOf(round) == Phase::kImitation;
  if (!imitates) {
    request.acts = WhoActs::kExploring;
    if (plan_.learner.ddpg.anchor <= 0) options.teacher.clear();
  } else if (round < 2) {
    request.acts = WhoActs::kTeacher;  // what the student does means nothing yet
  }
  return Collect(worlds_, options, &network, request);
}

void Training::Learn(int round) {
  RandomStream random(plan_.seed, fmt::format("sample/round={}", round));
  const bool imitates = PhaseOf(round) == Phase::kImitation;
  std::vector<const ExperiencedDecision*> decisions;
  std::vector<Transition> transitions;
  double loss = 0;
  double value = 0;
  for (int step = 0; step < plan_.steps_per_round && !plan_.stop.stop_requested(); ++step) {
    if (imitates) {
      buffer_.SampleDecisions(plan_.learner.imitation.batch, random, decisions);
      loss += learner_->Imitate(decisions, Progress());
    } else {
      buffer_.SampleTransitions(plan_.learner.ddpg.batch, random, transitions);
      const DdpgFigures figures = learner_->Improve(transitions);
      loss += figures.critic_loss;
      value += figures.value;
    }
  }
  loss_ = loss / plan_.steps_per_round;
  value_ = value / plan_.steps_per_round;
}

// Of indicators: how far the worst are below their targets (enough is enough where targets are
// promised), and, at a quarter of that, how much is served in all.
double IndicatorScore(const Evaluation& evaluation) {
  const bool promised = evaluation.promises > 0;
  const double margin = promised ? std::min(evaluation.worst_margin, 0.0) : evaluation.worst_margin;
  return margin + 0.25 * evaluation.hit_rate;
}

double Training::ScoreOf(const std::vector<Evaluation>& evaluations) const {
  double sum = 0;
  for (const Evaluation& evaluation : evaluations)
    sum += plan_.judged_by == RewardKind::kHits ? evaluation.hit_rate : IndicatorScore(evaluation);
  return sum / static_cast<double>(std::max<std::size_t>(evaluations.size(), 1));
}

Status Training::Keep(const std::vector<Evaluation>& evaluations) {
  const double score = ScoreOf(evaluations);
  ++without_better_;
  if (score > best_) {
    best_ = score;
    without_better_ = 0;
    RETURN_IF_ERROR(ReplaceFile(plan_.out, FormatGru(Actor())));
  }
  RETURN_IF_ERROR(ReplaceFile(plan_.out + ".csv", FormatCurve(curve_)));
  RETURN_IF_ERROR(ReplaceFile(plan_.out + ".html", CurvePage(curve_, "Training of " + plan_.out)));
  return learner_->Save(
      plan_.out + ".checkpoint",
      fmt::format("{} {} {} {} {} {}\n{}", round_, imitation_over_ ? 1 : 0, decisions_, Seconds(),
                  best_, without_better_, FormatCurve(curve_)));
}

Status Training::EvaluateAndKeep() {
  const GruNetwork network = Actor();
  RolloutOptions options = plan_.rollouts;
  options.teacher.clear();
  ASSIGN_OR_RETURN(const std::vector<Evaluation> evaluations,
                   Evaluate(worlds_, options, &network,
                            {.seeds = plan_.seeds_per_evaluation, .stop = plan_.stop}));
  if (plan_.stop.stop_requested()) return {};  // of runs that were cut off
  const bool began = round_ > 0;
  const std::string phase = !began                                     ? "start"
                            : PhaseOf(round_ - 1) == Phase::kImitation ? "imitation"
                                                                       : "ddpg";
  for (const Evaluation& evaluation : evaluations) {
    curve_.points.push_back({round_, phase, Seconds(), decisions_, loss_, value_, evaluation});
    Tell(fmt::format(
        "{:7.0f} s  round {:4} {:9}  loss {:7.4f}  {:<32} hits {:5.2f} %  worst {:5.2f} "
        "%  std {:5.2f}  met {:5.1f} %  lacking {:.2f}  {:.1f} M decisions\n",
        Seconds(), round_, phase, loss_, evaluation.world, 100 * evaluation.hit_rate,
        100 * evaluation.worst, 100 * evaluation.deviation, 100 * evaluation.met,
        evaluation.shortfall, static_cast<double>(decisions_) / 1e6));
  }
  return Keep(evaluations);
}

Result<TrainingResult> Training::Run() {
  ASSIGN_OR_RETURN(const bool resumed, Resume());
  if (!resumed && plan_.judge_start) RETURN_IF_ERROR(EvaluateAndKeep());
  imitation_over_ = imitation_over_ || plan_.imitation_rounds == 0;
  GruNetwork network = Actor();
  auto collected = CollectRound(round_, network);
  while (!Over()) {
    if (!collected.has_value()) return tl::unexpected(collected.error());
    for (auto& trajectory : *collected) {
      decisions_ += trajectory->decisions.size();
      decisions_here_ += trajectory->decisions.size();
      buffer_.Add(std::move(trajectory));
    }
    if (buffer_.size() == 0) break;  // interrupted
    const Stopwatch round;
    network = Actor();
    auto next = std::async(std::launch::async,
                           [this, &network] { return CollectRound(round_ + 1, network); });
    Learn(round_);
    collected = next.get();
    ++round_;
    working_seconds_ += round.ElapsedSeconds();
    if (round_ % kRoundsPerLine == 0)
      Tell(fmt::format("{:7.0f} s  round {:4}  loss {:7.4f}  value {:7.3f}  {:.1f} M decisions\n",
                       Seconds(), round_, loss_, value_, static_cast<double>(decisions_) / 1e6));
    const bool switching = !imitation_over_ && Progress() >= 1;
    if (round_ % plan_.rounds_per_evaluation == 0 || Over() || switching)
      RETURN_IF_ERROR(EvaluateAndKeep());
    if (switching) without_better_ = 0;
    imitation_over_ = imitation_over_ || switching;
  }
  // However short its time was, there are weights.
  if (curve_.points.empty()) RETURN_IF_ERROR(EvaluateAndKeep());
  return TrainingResult{
      .curve = curve_,
      .best = best_,
      .device = learner_->Device(),
      .decisions_per_s = static_cast<double>(decisions_here_) / std::max(working_seconds_, 1e-9)};
}

}  // namespace

Result<LearnedPolicyKind> FindLearnedPolicy(std::string_view name) {
  for (const LearnedPolicyKind& kind : kLearners) {
    if (kind.name == name) return kind;
  }
  return Fail("there is no learner '{}'; there are rl-baseline and rl-sla", name);
}

Result<TrainingResult> Train(const std::vector<TrainingWorld>& worlds, const TrainingPlan& plan) {
  return Training(worlds, plan).Run();
}

}  // namespace fairlead
