// A recording that has everything that a recording can have, for the tests of writing and reading.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/recording_writer.h"
#include "fairlead/scheduling/input_fields.h"

namespace fairlead {

struct RecordedSample {
  RecordedSample() : beliefs(MakeBeliefs()) {}

  EngineWorld ForEngine() const {
    return {.platform = &platform,
            .networks = networks,
            .beliefs = &beliefs,
            .tenants = {{"alice \"A\"", 2.5}, {"böb", 1}},
            .agreements = {{.tenant = TenantId{1},
                            .network = NetworkId{0},
                            .deadline = Duration{5000},
                            .target = 0.9,
                            .window = 10,
                            .max_misses = 2,
                            .price = 0.1,
                            .penalty = 3},
                           {.tenant = TenantId{0},
                            .network = NetworkId{1},
                            .floor = 0.25,
                            .contract = Contract{.rate = 20'000'000, .burst = 40}}}};
  }

  CostTable MakeBeliefs() {
    platform.AddKind("simba", 2);
    platform.AddKind("gpu", 1, 8);
    platform.bandwidth = 16'000'000'000;
    networks.push_back(NetworkGraph::Chain("chain", 2));
    networks.push_back(*NetworkGraph::Create(
        "diamond", {{"top", {}}, {"left", {0}}, {"right", {0}}, {"join", {1, 2}}}));
    CostTable table(networks, platform);
    for (std::size_t s = 0; s < 2; ++s)
      table.Set(NetworkId{0}, SegmentId{s}, KindId{0}, {1, 1}, {Duration{1000}, 64, 7});
    table.Set(NetworkId{0}, SegmentId{1}, KindId{1}, {4, 1}, {Duration{300}, 64, 8});
    table.Set(NetworkId{0}, SegmentId{1}, KindId{1}, {4, 2}, {Duration{500}, 128, 9});
    table.Set(NetworkId{0}, SegmentId{1}, KindId{1}, {8, 1}, {Duration{200}, 64, 8});
    for (std::size_t s = 0; s < 4; ++s)
      table.Set(NetworkId{1}, SegmentId{s}, KindId{1}, {8, 1}, {Duration{400}, 0, 0});
    table.SetSwitching(KindId{1}, {Duration{50}, 1024, 3});
    HandOverCosts hand_overs(2);
    hand_overs.SetHandOver(KindId{1}, Duration{3});
    hand_overs.SetTakeOver(KindId{0}, Duration{30});
    hand_overs.SetMove(KindId{0}, KindId{1}, {Duration{25}, 8'000'000'000});
    table.SetHandOvers(hand_overs);
    table.SetAliveBytes(NetworkId{0}, SegmentId{0}, 4096);
    table.Seal(networks);
    return table;
  }

  Platform platform;
  std::vector<NetworkGraph> networks;
  CostTable beliefs;
};

inline RecordingHeader Header() {
  RecordingHeader header;
  header.scenario = "a test, \"quoted\"";
  header.seed = UINT64_MAX;
  header.policy = "edf-h:drop=early";
  header.policy_name = "edf-h";
  header.engine = {.period = Duration{250},
                   .late = LateJobs::kDrop,
                   .measured_from = AtNanoseconds(77),
                   .wrong_plan = WrongPlan::kSkip,
                   .failure_limit = 5};
  header.extras = {{"plan.csv", "request,layer\n1,2\n"}, {"empty", ""}};
  return header;
}

inline const ServiceAgreement kNewcomer{
    .tenant = TenantId{2},
    .network = NetworkId{0},
    .deadline = Duration{900},
    .target = 1.0 / 3,
    .period = Duration{3'600'000'000'000},
    .period_kind = PeriodKind::kSliding,
    .price = 1e-300,
    .contract = Contract{
        .rate = Contract::kFastest, .burst = Contract::kLargestBurst, .over = Over::kRefuse}};

inline AgreementHistory FullHistory() {
  AgreementHistory history;
  history.lifetime.by_outcome = {5, 4, 3, 2};
  history.measured.by_outcome = {4, 3, 2, 1};
  history.uncovered.by_outcome = {1, 0, 0, kMostRequestsCounted};
  history.window = 3;
  history.max_misses = 1;
  history.watched = "hff";
  history.ended = "fh";
  history.most_failures = 2;
  history.violations = 1;
  history.worst_before = 1.0 / 3;
  OutcomeCounts one;
  one.by_outcome = {1, 0, 0, 0};
  history.period = {.length = Duration{1'000},
                    .kind = PeriodKind::kSliding,
                    .current = {history.measured, history.measured},
                    .before = {{}, {one, one}},
                    .judged = {.periods = 7, .kept = 6, .worst = 0.1}};
  history.bucket = {.contract = {.rate = 1, .burst = 2, .over = Over::kRefuse},
                    .tokens = 1,
                    .parts = TokenBucket::kPartsPerToken - 1};
  history.time = kLongestDuration / 2;
  return history;
}

inline std::vector<Input> AllInputs() {
  return {
      Arrival{{.number = UINT64_MAX,
               .agreement = AgreementId{1},
               .arrival = AtNanoseconds(40),
               .deadline = Duration{1'000'000},
               .priority = -3}},
      Cancellation{{JobId{0}, 1}},
      Expiry{},
      SegmentFinish{{7, 3}},
      SegmentFailure{{8, 4}},
      AcceleratorLoss{AcceleratorId{2}},
      AcceleratorReturn{AcceleratorId{2}},
      TenantJoin{{"new\nline", 0.1}},
      TenantLeave{TenantId{0}},
      AgreementStart{kNewcomer},
      AgreementChange{AgreementId{2}, kNewcomer},
      AgreementEnd{AgreementId{2}},
      AgreementContinue{AgreementId{1}, FullHistory()},
      NetworkUnload{NetworkId{0}},
      NetworkLoad{NetworkId{0}},
      NetworkAdd{{.name = "new \"net\"",
                  .segments = {{.costs = {{.kind = KindId{1}, .latency = Duration{7}},
                                          {.kind = KindId{1}, .batch = 4, .latency = Duration{9}}},
                                .alive_bytes = 12},
                               {.costs = {{.kind = KindId{0},
                                           .latency = Duration{5},
                                           .dram_bytes = 3,
                                           .energy_pj = 2}}}}}},
      BeliefChange{NetworkId{0}, SegmentId{1}, KindId{1}, 4, 2, Duration{501}},
      PolicyChange{"sjf:\"x\""},
      GuardRules{{.fallback = "edf-share", .back = std::nullopt, .clock = DecisionClock::kReal}},
      GuardStrike{StrikeCause::kSlowDecision},
      GuardFallback{"edf-share"},
      GuardReturn{"sjf:\"x\""},
      Reservation{AcceleratorId{1}, Duration{12}},
      Release{AcceleratorId{1}}};
}

inline SchedulingPlan FullPlan() {
  SchedulingPlan plan;
  const std::vector<JobId> batch = {JobId{3}, JobId{1}};
  plan.Start(AcceleratorId{0}, JobId{5}, SegmentId{1});
  plan.StartBatch(AcceleratorId{2}, batch, SegmentId{0}, {.units = 4, .bandwidth_cap = 1'000});
  plan.Enqueue(AcceleratorId{1}, JobId{2}, SegmentId{3}, {.units = 1});
  plan.EnqueueBatch(AcceleratorId{2}, batch, SegmentId{0});
  plan.Resize({4, 9}, 2);
  plan.Drop(JobId{6}, Reason::kHopeless);
  plan.Reject(JobId{7}, Reason::kOverload);
  plan.Wake(AtNanoseconds(99));
  plan.Sacrifice(AgreementId{0});
  plan.Restore(AgreementId{0});
  return plan;
}

// A recording with every input and every verb.
inline std::string Written() {
  const RecordedSample world;
  std::ostringstream stream;
  RecordingWriter writer(stream, Header(), world.ForEngine());
  writer.Advanced(AtNanoseconds(50));
  for (const Input& input : AllInputs()) writer.Applied(input);
  writer.Decided(FullPlan());
  writer.Advanced(AtNanoseconds(60));
  writer.Committed();
  writer.Decided({});
  writer.Committed();
  EXPECT_TRUE(writer.Close().has_value());
  return stream.str();
}

// Reads everything and writes it again; or the first error.
inline Result<std::string> Rewritten(const std::string& text, CutOff cut_off = CutOff::kRefuse) {
  ASSIGN_OR_RETURN(const Recording recording, ReadRecording("f.rec", text, cut_off));
  std::ostringstream stream;
  RecordingWriter writer(stream, recording.header(), recording.world().ForEngine());
  RecordingReader reader(recording);
  while (true) {
    ASSIGN_OR_RETURN(const RecordedStep* const step, reader.Next());
    switch (step->kind) {
      case RecordedStep::Kind::kAdvance: writer.Advanced(step->now); break;
      case RecordedStep::Kind::kInput: writer.Applied(step->input); break;
      case RecordedStep::Kind::kDecision: writer.Decided(step->plan); break;
      case RecordedStep::Kind::kCommit: writer.Committed(); break;
      case RecordedStep::Kind::kEnd: RETURN_IF_ERROR(writer.Close()); return stream.str();
    }
  }
}

inline std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  if (at != std::string::npos) text.replace(at, what.size(), with);
  return text;
}

}  // namespace fairlead
