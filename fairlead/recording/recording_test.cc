#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "fairlead/recording/recording_check.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/recording_writer.h"

namespace fairlead {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct World {
  World() : beliefs(MakeBeliefs()) {}

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
                           {.tenant = TenantId{0}, .network = NetworkId{1}}}};
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
    table.Seal(networks);
    return table;
  }

  Platform platform;
  std::vector<NetworkGraph> networks;
  CostTable beliefs;
};

RecordingHeader Header() {
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

const ServiceAgreement kNewcomer{.tenant = TenantId{2},
                                 .network = NetworkId{0},
                                 .deadline = Duration{900},
                                 .target = 1.0 / 3,
                                 .price = 1e-300};

std::vector<Input> AllInputs() {
  return {Arrival{{.number = UINT64_MAX,
                   .agreement = AgreementId{1},
                   .arrival = AtNanoseconds(40),
                   .deadline = Duration{1'000'000},
                   .priority = -3}},
          Cancellation{{JobId{0}, 1}},
          SegmentFinish{{7, 3}},
          SegmentFailure{{8, 4}},
          AcceleratorLoss{AcceleratorId{2}},
          AcceleratorReturn{AcceleratorId{2}},
          TenantJoin{{"new\nline", 0.1}},
          TenantLeave{TenantId{0}},
          AgreementStart{kNewcomer},
          AgreementChange{AgreementId{2}, kNewcomer},
          AgreementEnd{AgreementId{2}},
          PolicyChange{"sjf:\"x\""},
          Reservation{AcceleratorId{1}, Duration{12}},
          Release{AcceleratorId{1}}};
}

SchedulingPlan FullPlan() {
  SchedulingPlan plan;
  const std::vector<JobId> batch = {JobId{3}, JobId{1}};
  plan.Start(AcceleratorId{0}, JobId{5}, SegmentId{1});
  plan.StartBatch(AcceleratorId{2}, batch, SegmentId{0}, {.units = 4, .bandwidth_cap = 1'000});
  plan.Enqueue(AcceleratorId{1}, JobId{2}, SegmentId{3}, {.units = 1});
  plan.Resize({4, 9}, 2);
  plan.Drop(JobId{6}, Reason::kHopeless);
  plan.Reject(JobId{7}, Reason::kOverload);
  plan.Wake(AtNanoseconds(99));
  return plan;
}

std::string Written() {
  const World world;
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
Result<std::string> Rewritten(const std::string& text, CutOff cut_off = CutOff::kRefuse) {
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

std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  if (at != std::string::npos) text.replace(at, what.size(), with);
  return text;
}

TEST(Recording, KeepsTheHead) {
  const auto recording = ReadRecording("f.rec", Written());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  const RecordingHeader expected = Header();
  const RecordingHeader& header = recording->header();
  EXPECT_EQ(header.version, FAIRLEAD_VERSION);
  EXPECT_EQ(header.scenario, expected.scenario);
  EXPECT_EQ(header.seed, expected.seed);
  EXPECT_EQ(header.policy, expected.policy);
  EXPECT_EQ(header.policy_name, expected.policy_name);
  EXPECT_EQ(header.engine.period, expected.engine.period);
  EXPECT_EQ(header.engine.late, expected.engine.late);
  EXPECT_EQ(header.engine.measured_from, expected.engine.measured_from);
  EXPECT_EQ(header.engine.wrong_plan, expected.engine.wrong_plan);
  EXPECT_EQ(header.engine.failure_limit, expected.engine.failure_limit);
  EXPECT_EQ(header.extras, expected.extras);
}

TEST(Recording, KeepsTheWorld) {
  const auto recording = ReadRecording("f.rec", Written());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  const World expected;
  const RecordedWorld& world = recording->world();
  EXPECT_EQ(world.platform.bandwidth, expected.platform.bandwidth);
  ASSERT_EQ(world.platform.accelerators.size(), 3U);
  EXPECT_EQ(world.platform.accelerators[1].name, "simba.1");
  EXPECT_EQ(world.platform.UnitsOf(AcceleratorId{2}), 8);
  ASSERT_EQ(world.networks.size(), 2U);
  EXPECT_EQ(world.networks[1].SegmentName(SegmentId{3}), "join");
  EXPECT_EQ(world.networks[1].Predecessors(SegmentId{3}).size(), 2U);
  EXPECT_EQ(world.beliefs.Find(NetworkId{0}, SegmentId{1}, KindId{1}, {5, 2})->energy_pj, 9);
  EXPECT_EQ(world.beliefs.Alone(NetworkId{0}, SegmentId{0}, KindId{1}), nullptr);
  EXPECT_EQ(world.beliefs.Switching(KindId{1}).dram_bytes, 1024);
  EXPECT_EQ(world.beliefs.FastestTotal(NetworkId{1}), Duration{1600});
  EXPECT_EQ(world.tenants[0].name, "alice \"A\"");
  EXPECT_EQ(world.tenants[0].weight, 2.5);
  EXPECT_EQ(world.agreements[0].target, 0.9);
  EXPECT_EQ(world.agreements[0].max_misses, 2);
  EXPECT_FALSE(world.agreements[1].target.has_value());
}

TEST(Recording, WritesBackWhatItRead) {
  const std::string text = Written();
  const auto again = Rewritten(text);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, text);
}

TEST(Recording, IsReadableText) {
  EXPECT_THAT(Written(), HasSubstr("\n@ 50\n"
                                   "a 18446744073709551615 1 40 1000000 -3\n"
                                   "cancel 0 1\n"
                                   "f 7 3\n"
                                   "fail 8 4\n"
                                   "lose 2\n"
                                   "return 2\n"
                                   "join {\"name\":\"new\\nline\",\"weight\":0.1}\n"
                                   "leave 0\n"
                                   "agree {\"tenant\":2,"));
  EXPECT_THAT(Written(), HasSubstr("\npolicy \"sjf:\\\"x\\\"\"\n"
                                   "reserve 1 12\n"
                                   "release 1\n"
                                   "?\n"
                                   "> 0 1 0 0 5\n"
                                   "> 2 0 4 1000 3 1\n"
                                   ">> 1 3 1 0 2\n"
                                   ">resize 4 9 2\n"
                                   ">drop 6 hopeless\n"
                                   ">reject 7 overload\n"
                                   ">wake 99\n"
                                   "@ 60\n"
                                   "!\n"
                                   "?\n"
                                   "!\n"
                                   ". 2\n"));
}

TEST(Recording, NoticesEveryCut) {
  const std::string text = Written();
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(Rewritten(text.substr(0, length)).has_value()) << "after " << length;
}

TEST(Recording, AcceptsACutWhenAsked) {
  const std::string text = Written();
  const std::string cut = text.substr(0, text.find("\n>drop") + 5);
  EXPECT_THAT(Rewritten(cut).error().message, HasSubstr("cut off"));
  const auto rest = Rewritten(cut, CutOff::kAccept);
  ASSERT_TRUE(rest.has_value()) << rest.error().message;
  EXPECT_EQ(*rest, text.substr(0, text.find("\n>drop") + 1) + ". 1\n");
}

struct Garbled {
  std::string what;
  std::string with;
  std::string message;  // a part of it
};

class GarbledRecording : public testing::TestWithParam<Garbled> {};

TEST_P(GarbledRecording, IsRefusedWithItsPlace) {
  const auto result = Rewritten(Replaced(Written(), GetParam().what, GetParam().with));
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, StartsWith("f.rec:"));
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().message));
}

const std::string kDeep(100'000, '[');

INSTANTIATE_TEST_SUITE_P(
    Head, GarbledRecording,
    testing::Values(
        Garbled{"recording 1", "recording 2", "f.rec:1: not a recording of this version"},
        Garbled{"{\"fairlead\"", "\"fairlead\"", "f.rec:2: no valid JSON"},
        Garbled{"\"extras\":{", "\"extras\":" + kDeep + "{", "f.rec:2: no valid JSON"},
        Garbled{"\"scenario\"", "\"scenery\"", "'scenario': expected it to be there"},
        Garbled{"\"seed\":", "\"speed\":1,\"seed\":", "'speed': unknown key"},
        Garbled{"\"seed\":18446744073709551615", "\"seed\":-1", "'seed': expected a whole number"},
        Garbled{"\"seed\":18446744073709551615", "\"seed\":1.5", "'seed': expected a whole number"},
        Garbled{"\"empty\":\"\"", "\"empty\":1", "extras.empty: expected a text"},
        Garbled{"\"period\":250", "\"period\":-1", "engine.period: expected a whole number"},
        Garbled{"\"period\":250", "\"period\":9223372036854775807", "engine.period: expected"},
        Garbled{"\"late\":\"drop\"", "\"late\":\"lose\"", "expected one of finish, drop"},
        Garbled{"\"units\":8", "\"units\":0", "platform.kinds[1].units: expected"},
        Garbled{"\"units\":8", "\"units\":2000000000", "platform.kinds[1].units: expected"},
        Garbled{"\"kind\":1", "\"kind\":2", "platform.accelerators[2].kind: expected"},
        Garbled{"\"after\":[[],[0]]", "\"after\":[[]]", "networks[0]: 2 segments, but"},
        Garbled{"\"after\":[[],[0]]", "\"after\":[[1],[0]]", "a cycle"},
        Garbled{"\"after\":[[],[0]]", "\"after\":[[],[7]]", "which does not exist"},
        Garbled{"\"after\":[[],[0]]", "\"after\":[[],[-1]]", "networks[0]: segment 1"},
        Garbled{"\"costs\":[[0,", "\"costs\":[[2,", "costs[0]: expected a list of 8"},
        Garbled{"\"costs\":[[0,0,0,1,1,1000", "\"costs\":[[0,0,0,1,1,-1", "costs[0]: expected"},
        Garbled{"\"costs\":[[0,0,0,1,1,1000", "\"costs\":[[0,0,0,1,1,1e3", "costs[0]: expected"},
        Garbled{"\"costs\":[[0,0,", "\"costs\":[[0,0,0,1,1,1,1,1],[0,0,",
                "costs[1]: expected rows"},
        Garbled{"\"switching\":[", "\"switching\":[[0,0,0],", "an entry for each of 2 kinds"},
        Garbled{"\"weight\":2.5", "\"weight\":NaN", "no valid JSON"},
        Garbled{"\"weight\":2.5", "\"weight\":1e999", "no valid JSON"},
        Garbled{"\"weight\":2.5", "\"weight\":-1", "tenants[0].weight: expected"},
        Garbled{"\"target\":0.9", "\"target\":90", "agreements[0].target: expected"},
        Garbled{"\"window\":10", "\"window\":1000000000", "agreements[0].window: expected"},
        Garbled{"\"agreements\":[{\"tenant\":1", "\"agreements\":[{\"tenant\":2",
                "agreements[0].tenant: there are only 2"}));

INSTANTIATE_TEST_SUITE_P(
    Body, GarbledRecording,
    testing::Values(
        Garbled{"@ 60", "@ 49", "expected an instant as a whole number from 50"},
        Garbled{"@ 60", "@ -60", "expected an instant"},
        Garbled{"@ 60", "@ 9223372036854775807", "expected an instant"},
        Garbled{"@ 60", "@60", "begins no line"}, Garbled{"@ 60", "@ 60 ", "' ' is too much"},
        Garbled{"@ 60", "@ 60\r", "is too much"}, Garbled{"@ 60", "", "'' begins no line"},
        Garbled{"@ 60", "%", "'%' begins no line"},
        Garbled{" 1 40 1000000 -3", " 1 40 1000000", "f.rec:4: expected its priority"},
        Garbled{" 1 40 1000000 -3", " 1 51 1000000 -3", "expected its arrival"},
        Garbled{" 1 40 1000000 -3", " 1 40 9000000000000000000 -3", "expected its deadline"},
        Garbled{" 1 40 1000000 -3", " 4294967296 40 1000000 -3", "expected an agreement"},
        Garbled{"a 18446744073709551615", "a 18446744073709551616", "expected a request"},
        Garbled{"f 7 3", "f 7 nan", "expected generation"},
        Garbled{"f 7 3", "f 7 3 1", "is too much"}, Garbled{"join {", "join [", "no valid JSON"},
        Garbled{"join {\"name\"", "join {\"game\"", "tenant.name: expected it to be there"},
        Garbled{"change 2 {", "change {", "expected an agreement"},
        Garbled{"policy \"sjf", "policy 1 \"sjf", "no valid JSON"},
        Garbled{"reserve 1 12", "reserve 1", "expected its time"},
        Garbled{"> 0 1 0 0 5", "> 0 1 0 0 x", "expected a job"},
        Garbled{"> 0 1 0 0 5", "> 0 1 99999999999 0 5", "expected units"},
        Garbled{">> 1 3 1 0 2", ">> 1 3 1 0 2 3", "expected one job, found 2"},
        Garbled{">drop 6 hopeless", ">drop 6 bored", "expected a reason"},
        Garbled{">wake 99", ">wake 9000000000000000000", "after the end of time"},
        Garbled{">wake 99", ">sleep 99", "'>sleep' begins no entry"},
        Garbled{"@ 60\n!", "@ 60\n?", "a second decision"},
        Garbled{"@ 60\n!", "@ 60\n!\n!", "nothing was decided"},
        Garbled{". 2", ". 3", "expected the number of decisions"},
        Garbled{"@ 60\n", ". 1\n@ 60\n", "more lines follow"}));

// ---- What an engine is spared --------------------------------------------------------------

class NoBackend final : public ExecutionBackend {
  void Start(const Assignment& /*assignment*/) override {}
  void Resize(const Assignment& /*assignment*/) override {}
  void Abort(const Assignment& /*assignment*/) override {}
};

class Silence final : public SchedulingPolicy {
  std::string_view Name() const override { return "silence"; }
  void Decide(const SystemView& /*view*/, SchedulingPlan& /*plan*/) override {}
};

class InputCheckTest : public testing::Test {
 protected:
  InputCheckTest()
      : engine_(world_.ForEngine(), {}, std::make_unique<Silence>(), backend_),
        check_(engine_.state()) {
    engine_.Advance(AtNanoseconds(50));
  }
  void Take(const Input& input) {
    const Status status = check_.Check(input);
    ASSERT_TRUE(status.has_value()) << status.error().message;
    engine_.Apply(input);
  }
  std::string Refused(const Input& input) {
    const Status status = check_.Check(input);
    return status.has_value() ? "accepted" : status.error().message;
  }

  World world_;
  NoBackend backend_;
  SchedulingEngine engine_;
  InputCheck check_;
};

TEST_F(InputCheckTest, TakesEveryKindOfInput) {
  for (const Input& input : AllInputs()) {
    if (!std::holds_alternative<PolicyChange>(input)) Take(input);
  }
}

TEST_F(InputCheckTest, RefusesWhatDoesNotExist) {
  EXPECT_EQ(Refused(Arrival{{.agreement = AgreementId{2}}}),
            "there is no agreement 2: there are 2");
  EXPECT_THAT(Refused(Arrival{{.agreement = AgreementId{0}, .arrival = AtNanoseconds(51)}}),
              HasSubstr("future"));
  EXPECT_EQ(Refused(Cancellation{{JobId{0}, 1}}), "there is no job 0: there are 0");
  EXPECT_THAT(Refused(AcceleratorLoss{AcceleratorId{3}}), HasSubstr("no accelerator 3"));
  EXPECT_THAT(Refused(AcceleratorReturn{AcceleratorId{}}), HasSubstr("no accelerator"));
  EXPECT_THAT(Refused(TenantLeave{TenantId{2}}), HasSubstr("no tenant 2"));
  EXPECT_THAT(Refused(AgreementStart{kNewcomer}), HasSubstr("no tenant 2"));
  EXPECT_THAT(Refused(AgreementStart{{.tenant = TenantId{0}, .network = NetworkId{2}}}),
              HasSubstr("no network 2"));
  EXPECT_THAT(Refused(AgreementChange{AgreementId{9}, kNewcomer}), HasSubstr("no agreement 9"));
  EXPECT_THAT(Refused(AgreementEnd{AgreementId{9}}), HasSubstr("no agreement 9"));
  EXPECT_EQ(Refused(SegmentFinish{{99, 99}}), "accepted");  // a late report of a live backend
}

TEST_F(InputCheckTest, RefusesWhatTheEngineWouldNotSurvive) {
  EXPECT_THAT(
      Refused(AgreementChange{AgreementId{0}, {.tenant = TenantId{0}, .network = NetworkId{0}}}),
      HasSubstr("keeps its tenant 1"));
  Take(AgreementEnd{AgreementId{0}});
  EXPECT_THAT(Refused(AgreementEnd{AgreementId{0}}), HasSubstr("has ended before"));
  EXPECT_THAT(Refused(Release{AcceleratorId{0}}), HasSubstr("is not reserved"));
  Take(Reservation{AcceleratorId{0}, Duration{5}});
  EXPECT_THAT(Refused(Reservation{AcceleratorId{0}, Duration{5}}), HasSubstr("is not idle"));
  Take(Release{AcceleratorId{0}});
  Take(AcceleratorLoss{AcceleratorId{0}});
  EXPECT_THAT(Refused(Reservation{AcceleratorId{0}, Duration{5}}), HasSubstr("is not idle"));
}

TEST_F(InputCheckTest, LimitsTheMemoryOfWindows) {
  const ServiceAgreement long_window{
      .tenant = TenantId{0}, .network = NetworkId{0}, .window = FairnessLedger::kLongestWindow};
  std::string refusal;
  for (int i = 0; i < 200 && refusal.empty(); ++i) {
    if (const Status status = check_.Check(AgreementStart{long_window}); !status.has_value())
      refusal = status.error().message;
  }
  EXPECT_THAT(refusal, HasSubstr("all windows together exceed"));
}

}  // namespace
}  // namespace fairlead
