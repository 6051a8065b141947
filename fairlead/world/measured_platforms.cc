#include "fairlead/world/measured_platforms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/csv.h"
#include "fairlead/base/statistics.h"
#include "fairlead/costs/measured.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

constexpr std::string_view kH200 = "h200-partitions";
constexpr std::array<MeasuredColumn, 4> kH200Columns = {
    {{"us_sm64_0", "p0"}, {"us_sm32_1", "p1"}, {"us_sm16_2", "p2"}, {"us_sm16_3", "p3"}}};
constexpr std::size_t kEveryOther = 2;  // mix is fitted to

NamedText Embedded(std::string_view path) { return {path, EmbeddedText(path)}; }

// All layers of a network on so many units.
SegmentCost WholeOf(const Profile& profile, std::string_view network, Configuration as) {
  SegmentCost whole;
  for (const CostRow& row : profile.rows) {
    if (profile.networks[row.network.index()].name() != network || row.configuration != as)
      continue;
    whole.latency += row.cost.latency;
    whole.dram_bytes += row.cost.dram_bytes;
    whole.pressed_latency += row.cost.Pressed();
  }
  return whole;
}

// By mix.
Result<std::vector<std::vector<MixedCores>>> ReadMixedCores(std::string_view file,
                                                            std::string_view text) {
  ASSIGN_OR_RETURN(
      const CsvTable table,
      CsvTable::Parse(file, text, {"mix", "network", "version", "units", "alone_us", "us"}, {}));
  std::vector<std::vector<MixedCores>> mixes;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ASSIGN_OR_RETURN(const std::int64_t mix, table.Integer(row, "mix", 0, 1'000'000));
    ASSIGN_OR_RETURN(const std::string_view network, table.Name(row, "network"));
    ASSIGN_OR_RETURN(const std::int64_t version, table.Integer(row, "version", 0, 15));
    ASSIGN_OR_RETURN(const std::int64_t units, table.Integer(row, "units", 1, 1024));
    ASSIGN_OR_RETURN(const double alone, table.Number(row, "alone_us", 1e-3, 1e12));
    ASSIGN_OR_RETURN(const double us, table.Number(row, "us", 1e-3, 1e12));
    const auto index = static_cast<std::size_t>(mix);
    if (index > mixes.size())
      return FailAt(table.PlaceOf(row, "mix"), "mixes count from 0, one after the other");
    if (index == mixes.size()) mixes.emplace_back();
    mixes[index].push_back(
        {std::string(network), static_cast<int>(version), static_cast<int>(units), alone, us});
  }
  return mixes;
}

Profile OwnProfile() {
  constexpr std::string_view kProfile = "data/cores16/profile.csv";
  auto read = ParseProfile(kProfile, EmbeddedText(kProfile));
  CHECK_MSG(read.has_value(), read.error().message);
  return WithAllUnits(std::move(*read));
}

// How much longer each network takes beside others in one of ten cases; at least 1.
std::map<std::string, double> SufferedIn(std::span<const std::vector<MixedCores>> mixes) {
  std::map<std::string, std::vector<double>> slowdowns;
  for (std::size_t m = 0; m < mixes.size(); m += kEveryOther) {
    for (const MixedCores& one : mixes[m]) slowdowns[one.network].push_back(one.us / one.alone_us);
  }
  std::map<std::string, double> suffered;
  for (auto& [network, all] : slowdowns) {
    std::ranges::sort(all);
    suffered[network] = std::max(Quantile(all, 0.9), 1.0);
  }
  return suffered;
}

Profile XeonProfile(std::span<const std::vector<MixedCores>> mixes) {
  constexpr std::array<MeasuredColumn, 5> kColumns = {{{"us_1c", "cores", 1},
                                                       {"us_2c", "cores", 2},
                                                       {"us_4c", "cores", 4},
                                                       {"us_8c", "cores", 8},
                                                       {"us_16c", "cores", 16}}};
  auto profile = ProfileOf({.layers = Embedded("data/cpu16/layers.csv"),
                            .models = Embedded("data/cpu16/models.csv"),
                            .networks = Embedded("data/cpu16/networks.csv"),
                            .columns = kColumns});
  CHECK_MSG(profile.has_value(), profile.error().message);
  const auto suffered = SufferedIn(mixes);
  for (CostRow& row : profile->rows) {
    const auto found = suffered.find(profile->networks[row.network.index()].name());
    if (found == suffered.end()) continue;
    const double pressed = static_cast<double>(row.cost.latency.count()) * found->second;
    row.cost.pressed_latency = Duration{static_cast<std::int64_t>(pressed)};
  }
  return std::move(*profile);
}

// Those of every other mix.
std::vector<PressedExample> HalfOfExamples(std::span<const std::vector<MixedCores>> mixes,
                                           const Profile& profile, std::size_t first) {
  std::vector<PressedExample> examples;
  for (std::size_t m = first; m < mixes.size(); m += kEveryOther)
    std::ranges::move(ExamplesOf(mixes[m], profile), std::back_inserter(examples));
  return examples;
}

struct CoresMachine {
  std::vector<std::vector<MixedCores>> mixes;
  Profile profile;
  PressureCurve curve;
};

CoresMachine MakeMachine(std::string_view platform) {
  const bool own = platform == kMeasuredCores;
  const std::string_view file = own ? "data/cores16/mixes.csv" : "data/cpu16/mixes.csv";
  auto mixes = ReadMixedCores(file, EmbeddedText(file));
  CHECK_MSG(mixes.has_value(), mixes.error().message);
  CoresMachine machine{.mixes = std::move(*mixes), .profile = {}, .curve = {}};
  machine.profile = own ? OwnProfile() : XeonProfile(machine.mixes);
  machine.curve = PressureCurve::Fit(HalfOfExamples(machine.mixes, machine.profile, 0));
  return machine;
}

const CoresMachine& MachineOf(std::string_view platform) {
  CHECK(AreMeasuredCores(platform));
  static const CoresMachine own = MakeMachine(kMeasuredCores);
  if (platform == kMeasuredCores) return own;
  static const CoresMachine xeon = MakeMachine(kXeonCores);
  return xeon;
}

}  // namespace

bool AreMeasuredCores(std::string_view platform) {
  return platform == kMeasuredCores || platform == kXeonCores;
}

const Profile& MeasuredCoresProfile(std::string_view platform) {
  return MachineOf(platform).profile;
}

std::vector<PressedExample> ExamplesOf(std::span<const MixedCores> mix, const Profile& profile) {
  std::vector<SegmentCost> wholes;
  for (const MixedCores& one : mix)
    wholes.push_back(WholeOf(profile, one.network, {.units = one.units, .version = one.version}));
  double all = 0;
  const auto touched = [](const SegmentCost& whole) {
    return static_cast<double>(whole.dram_bytes) / Seconds(whole.latency);
  };
  for (const SegmentCost& whole : wholes) all += touched(whole);
  std::vector<PressedExample> examples;
  for (std::size_t i = 0; i < mix.size(); ++i)
    examples.push_back({.pressed = Seconds(wholes[i].Pressed()) / Seconds(wholes[i].latency),
                        .bytes_per_s = all - touched(wholes[i]),
                        .slowdown = mix[i].us / mix[i].alone_us});
  return examples;
}

const PressureCurve& MeasuredCoresCurve(std::string_view platform) {
  return MachineOf(platform).curve;
}

PressureAccuracy AccuracyOfMeasuredCores(std::string_view platform) {
  const auto& [mixes, profile, curve] = MachineOf(platform);
  const std::vector<PressedExample> held = HalfOfExamples(mixes, profile, 1);
  PressureAccuracy accuracy{.count = held.size()};
  for (const PressedExample& one : held) {
    const double said = curve.Slowdown(one.pressed, one.bytes_per_s);
    accuracy.curve += std::abs(said / one.slowdown - 1) / static_cast<double>(held.size());
    accuracy.none += std::abs(1 / one.slowdown - 1) / static_cast<double>(held.size());
  }
  accuracy.curve = 1 - accuracy.curve;
  accuracy.none = 1 - accuracy.none;
  return accuracy;
}

Profile MeasuredProfileOf(std::string_view platform) {
  if (AreMeasuredCores(platform)) return MeasuredCoresProfile(platform);
  CHECK(platform == kH200);
  auto profile = ProfileOf({.layers = Embedded("data/h200/layers.csv"),
                            .models = Embedded("data/h200/models.csv"),
                            .networks = Embedded("data/h200/networks.csv"),
                            .columns = kH200Columns,
                            .word_bytes = 2});
  CHECK_MSG(profile.has_value(), profile.error().message);
  return std::move(*profile);
}

std::vector<MeasuredCopies> MeasuredCopiesOnCores() {
  constexpr std::string_view kCopies = "data/cores16/copies.csv";
  const auto table =
      CsvTable::Parse(kCopies, EmbeddedText(kCopies), {"network", "copies", "alone_us", "us"}, {});
  CHECK_MSG(table.has_value(), table.error().message);
  std::vector<MeasuredCopies> copies;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const auto alone = table->Number(row, "alone_us", 1e-3, 1e12);
    const auto us = table->Number(row, "us", 1e-3, 1e12);
    const auto count = table->Integer(row, "copies", 2, 4);
    CHECK(alone.has_value() && us.has_value() && count.has_value());
    copies.push_back(
        {std::string(table->Text(row, "network")), static_cast<int>(*count), *us / *alone});
  }
  return copies;
}

double SecondsOnCores(std::string_view network, int units) {
  return Seconds(WholeOf(MeasuredCoresProfile(), network, {.units = units}).latency);
}

}  // namespace fairlead
