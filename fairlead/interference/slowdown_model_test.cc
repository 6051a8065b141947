#include "fairlead/interference/slowdown_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fairlead/base/random.h"
#include "fairlead/interference/slowdown_fit.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

constexpr double kLess = 1e-9;

// A machine of two partitions on which a layer is slowed by what the other one moves.
MachineData Machine() {
  MachineData machine{.partitions = 2, .layers = {}, .networks = {}};
  RandomStream random(1, "layers");
  for (std::int64_t id = 0; id < 40; ++id) {
    const auto bytes = static_cast<double>(1000 * (1 + random.Below(1000)));
    machine.layers.push_back({.id = id,
                              .convolution = id % 2 == 0,
                              .macs = 1e6,
                              .in_bytes = bytes,
                              .weight_bytes = bytes / 2,
                              .out_bytes = bytes / 4,
                              .us = {10, 20}});
  }
  machine.networks.push_back({"first", {0, 1, 2, 3}, {50, 100}});
  machine.networks.push_back({"second", {4, 5}, {30, 60}});
  return machine;
}

double TrueSlowdown(const MachineData& machine, const CoRun& run) {
  const std::size_t other = *run.beside[1 - run.partition];
  return 1 + machine.layers[other].in_bytes / 1e6 / 2;
}

std::vector<CoRun> Runs(const MachineData& machine, std::size_t count) {
  RandomStream random(2, "runs");
  std::vector<CoRun> runs;
  for (std::size_t i = 0; i < count; ++i) {
    CoRun run{.layer = random.Below(40), .partition = random.Below(2), .beside = {2, std::nullopt}};
    run.beside[1 - run.partition] = random.Below(40);
    run.beside[run.partition] = std::nullopt;
    run.us = machine.layers[run.layer].us[run.partition] * TrueSlowdown(machine, run);
    runs.push_back(run);
  }
  return runs;
}

std::vector<NetworkMixture> Mixtures(std::size_t count) {
  RandomStream random(3, "mixtures");
  std::vector<NetworkMixture> mixtures;
  const double alone[2][2] = {{50, 100}, {30, 60}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t a = random.Below(2);
    const std::size_t b = random.Below(2);
    // Who shares with "second" is slowed by 1.5, with "first" by 1.25.
    mixtures.push_back(
        {{a, b}, {alone[a][0] * (b == 1 ? 1.5 : 1.25), alone[b][1] * (a == 1 ? 1.5 : 1.25)}});
  }
  return mixtures;
}

SlowdownFitter::By Boosting() { return {**FindLearner("boosting"), **FindLearner("boosting")}; }

TEST(AccuracyOf, IsOneMinusTheMeanRelativeError) {
  const std::vector<Judged> judged = {{0, 2, 1.0, 1.1}, {0, 2, 2.0, 1.6}};
  const Accuracy accuracy = AccuracyOf(judged);
  EXPECT_EQ(accuracy.count, 2);
  EXPECT_NEAR(accuracy.overall, 1 - (0.1 + 0.2) / 2, kLess);
  EXPECT_EQ(accuracy.slowed_count, 1);
  EXPECT_NEAR(accuracy.slowed, 0.8, kLess);
  // Saying 1 twice is wrong by 0 and by 0.5.
  EXPECT_NEAR(accuracy.removed, 1 - 0.3 / 0.5, kLess);
}

TEST(SlowdownModel, ThatIsAssumedIsParsed) {
  EXPECT_EQ(SlowdownModel::Parse("none").value()->kind(), SlowdownModel::Kind::kNone);
  EXPECT_EQ(SlowdownModel::Parse("constant:1.2").value()->kind(), SlowdownModel::Kind::kConstant);
  EXPECT_EQ(SlowdownModel::Parse("shared-bandwidth:1TB/s").value()->kind(),
            SlowdownModel::Kind::kSharedBandwidth);
  EXPECT_FALSE(SlowdownModel::Parse("model.slowdown").value().has_value());
  EXPECT_FALSE(SlowdownModel::Parse("constant:0.5").has_value());
  EXPECT_FALSE(SlowdownModel::Parse("constant:nan").has_value());
}

TEST(SlowdownModel, OfSharedBandwidthSlowsAllAlike) {
  // 4 and 8 bytes in a microsecond: 12 MB/s wanted.
  const Occupant small({.us = 1, .in_bytes = 4});
  const Occupant large({.us = 1, .in_bytes = 8});
  const std::vector<const Occupant*> both = {&small, &large};
  const SlowdownModel model = SlowdownModel::Parse("shared-bandwidth:6MB/s").value().value();
  EXPECT_DOUBLE_EQ(model.OfLayer(both, 0), 2);
  EXPECT_DOUBLE_EQ(model.OfLayer(both, 1), 2);
  const std::vector<const Occupant*> one = {&small, nullptr};
  EXPECT_DOUBLE_EQ(model.OfLayer(one, 0), 1);
}

TEST(SlowdownModel, OfAConstantLeavesThoseAloneWhoAreAlone) {
  const Occupant layer({.us = 1});
  const std::vector<const Occupant*> both = {&layer, &layer};
  const std::vector<const Occupant*> one = {&layer, nullptr};
  const SlowdownModel model = SlowdownModel::Constant(1.5);
  EXPECT_EQ(model.OfLayer(both, 0), 1.5);
  EXPECT_EQ(model.OfLayer(one, 0), 1);
}

TEST(SlowdownFitter, LearnsWhatLayersDoToEachOther) {
  const MachineData machine = Machine();
  const auto runs = Runs(machine, 1500);
  const SlowdownFitter fitter(machine, Boosting(), {});
  const auto judged = fitter.CrossValidate(runs, 3);
  ASSERT_TRUE(judged.has_value()) << judged.error().message;
  EXPECT_EQ(judged->size(), runs.size());
  EXPECT_GT(AccuracyOf(*judged).overall, 0.97);
  EXPECT_GT(AccuracyOf(*judged).removed, 0.8);
}

TEST(SlowdownFitter, CorrectsWhatNetworksDoToEachOther) {
  const MachineData machine = Machine();
  const SlowdownFitter fitter(machine, Boosting(), {});
  SlowdownModel model = SlowdownModel::Learned(2);
  ASSERT_TRUE(fitter.FitLayers(model, Runs(machine, 400)).has_value());
  const auto mixtures = Mixtures(200);
  const auto corrected = fitter.CrossValidate(model, mixtures, 2);
  ASSERT_TRUE(corrected.has_value()) << corrected.error().message;
  EXPECT_GT(AccuracyOf(*corrected).overall, 0.97);
  const auto integrated = fitter.Judge(model, mixtures, SlowdownModel::Correction::kNone);
  EXPECT_LT(AccuracyOf(integrated).overall, AccuracyOf(*corrected).overall);
}

TEST(SlowdownFitter, RefusesToLearnFromOneRow) {
  const MachineData machine = Machine();
  const SlowdownFitter fitter(machine, Boosting(), {});
  SlowdownModel model = SlowdownModel::Learned(2);
  EXPECT_EQ(fitter.FitLayers(model, Runs(machine, 1)).error().message,
            "1 co-runs; at least 50 are needed to learn from");
  EXPECT_THAT(fitter.FitNetworks(model, Mixtures(1)).error().message, HasSubstr("at least 50"));
}

TEST(SlowdownModel, IntegratesOverLayersByTheirTime) {
  const MachineData machine = Machine();
  const SlowdownFitter fitter(machine, Boosting(), {});
  SlowdownModel model = SlowdownModel::Learned(2);
  ASSERT_TRUE(fitter.FitLayers(model, Runs(machine, 400)).has_value());
  const LayerSequence& first = fitter.occupants().Network(0, 0);
  const LayerSequence& second = fitter.occupants().Network(1, 1);
  const std::vector<const LayerSequence*> both = {&first, &second};
  double expected = 0;
  for (const Occupant& layer : first.layers) {
    const std::vector<const Occupant*> set = {&layer, &second.mean};
    expected += model.OfLayer(set, 0) / 4;  // all four take equally long
  }
  EXPECT_NEAR(model.OfSequence(both, 0), expected, 1e-6);
  const std::vector<const LayerSequence*> alone = {&first, nullptr};
  EXPECT_EQ(model.OfSequence(alone, 0), 1);
}

TEST(SlowdownModel, IsReadAsItWasWritten) {
  const MachineData machine = Machine();
  const SlowdownFitter fitter(machine, Boosting(), {});
  SlowdownModel model = SlowdownModel::Learned(2);
  const auto runs = Runs(machine, 300);
  ASSERT_TRUE(fitter.FitLayers(model, runs).has_value());
  ASSERT_TRUE(fitter.FitNetworks(model, Mixtures(60)).has_value());
  const auto read = SlowdownModel::Read("m", model.Write());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->Write(), model.Write());
  EXPECT_EQ(read->OfLayer(fitter.occupants().Of(runs[0]), runs[0].partition),
            model.OfLayer(fitter.occupants().Of(runs[0]), runs[0].partition));
}

TEST(SlowdownModel, KnowsTheNetworksThatItLearnedFrom) {
  const MachineData machine = Machine();
  const SlowdownFitter fitter(machine, Boosting(), {});
  SlowdownModel fitted = SlowdownModel::Learned(2);
  ASSERT_TRUE(fitter.FitNetworks(fitted, Mixtures(60)).has_value());
  const auto model = SlowdownModel::Read("m", fitted.Write());
  ASSERT_TRUE(model.has_value()) << model.error().message;
  ASSERT_EQ(model->known().size(), 2);
  EXPECT_EQ(model->known()[1].name, "second");
  const LayerSequence first = model->known()[0].On(0);
  const LayerSequence second = model->known()[1].On(1);
  const auto both = std::vector<const LayerSequence*>{&first, &second};
  const auto measured = std::vector<const LayerSequence*>{&fitter.occupants().Network(0, 0),
                                                          &fitter.occupants().Network(1, 1)};
  EXPECT_EQ(model->OfSequence(both, 0), fitted.OfSequence(measured, 0));
  EXPECT_EQ(model->OfSequence(both, 1), fitted.OfSequence(measured, 1));
}

std::string ReadError(const std::string& text) {
  const auto model = SlowdownModel::Read("m", text);
  return model.has_value() ? "" : model.error().message;
}

TEST(SlowdownModel, OfAnotherVersionIsRefused) {
  EXPECT_EQ(ReadError("fairlead slowdown 2\npartitions 2\n"),
            "m: the first line is not 'fairlead slowdown 1': no slowdown model, or of another "
            "version");
}

TEST(SlowdownModel, ThatIsDamagedIsRefused) {
  EXPECT_THAT(ReadError("fairlead slowdown 1\npartitions 1\nknown 0 1 a\n"), HasSubstr("0 layers"));
  EXPECT_THAT(ReadError("fairlead slowdown 1\npartitions 1\nknown 1 nan a\n"), HasSubstr("'nan'"));
  EXPECT_THAT(ReadError("fairlead slowdown 1\npartitions 1\nknown 2 1 a\n1 1 1 1 1 1\n"),
              HasSubstr("'' where a number"));
  EXPECT_THAT(ReadError("fairlead slowdown 1\npartitions 900\n"), HasSubstr("900 partitions"));
  EXPECT_THAT(ReadError("fairlead slowdown 1\npartitions 2\nlayers boosting 41 999\nbase 1 0\n"),
              HasSubstr("the file ends too early"));
  EXPECT_THAT(ReadError("fairlead slowdown 1\npartitions 2\nlayers boosting 7 9\nbase 1 0\n"),
              HasSubstr("7 inputs; this version makes"));
  EXPECT_THAT(ReadError("fairlead slowdown 1\npartitions 2\nlayers bosting 7 9\nbase 1 0\n"),
              HasSubstr("did you mean 'boosting'?"));
  EXPECT_THAT(ReadError("fairlead slowdown 1\npartitions 2\nsomething\n"),
              HasSubstr("'something' where layers, networks or what is known of one was expected"));
}

}  // namespace
}  // namespace fairlead
