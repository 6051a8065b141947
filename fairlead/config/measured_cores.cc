#include "fairlead/config/measured_cores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/csv.h"
#include "fairlead/config/embedded_files.h"
#include "fairlead/costs/unit_interpolation.h"

namespace fairlead {
namespace {

std::string_view TextOf(std::string_view path) {
  const auto files = EmbeddedFiles();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  CHECK(found != files.end());
  return found->text;
}

// All layers of a network on so many units.
SegmentCost WholeOf(const Profile& profile, std::string_view network, Configuration as) {
  SegmentCost whole;
  for (const ProfileRow& row : profile.rows) {
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

const std::vector<std::vector<MixedCores>>& MeasuredMixes() {
  static const auto mixes = [] {
    constexpr std::string_view kMixes = "data/cores16/mixes.csv";
    auto read = ReadMixedCores(kMixes, TextOf(kMixes));
    CHECK_MSG(read.has_value(), read.error().message);
    return std::move(*read);
  }();
  return mixes;
}

// Those of every other mix.
std::vector<PressedExample> HalfOfExamples(std::size_t first) {
  std::vector<PressedExample> examples;
  for (std::size_t m = first; m < MeasuredMixes().size(); m += 2)
    std::ranges::move(ExamplesOf(MeasuredMixes()[m], MeasuredCoresProfile()),
                      std::back_inserter(examples));
  return examples;
}

}  // namespace

const Profile& MeasuredCoresProfile() {
  static const Profile profile = [] {
    constexpr std::string_view kProfile = "data/cores16/profile.csv";
    auto read = ParseProfile(kProfile, TextOf(kProfile));
    CHECK_MSG(read.has_value(), read.error().message);
    return WithAllUnits(std::move(*read));
  }();
  return profile;
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

const PressureCurve& MeasuredCoresCurve() {
  static const PressureCurve curve = PressureCurve::Fit(HalfOfExamples(0));
  return curve;
}

PressureAccuracy AccuracyOfMeasuredCores() {
  const std::vector<PressedExample> held = HalfOfExamples(1);
  PressureAccuracy accuracy{.count = held.size()};
  for (const PressedExample& one : held) {
    const double said = MeasuredCoresCurve().Slowdown(one.pressed, one.bytes_per_s);
    accuracy.curve += std::abs(said / one.slowdown - 1) / static_cast<double>(held.size());
    accuracy.none += std::abs(1 / one.slowdown - 1) / static_cast<double>(held.size());
  }
  accuracy.curve = 1 - accuracy.curve;
  accuracy.none = 1 - accuracy.none;
  return accuracy;
}

std::vector<MeasuredCopies> MeasuredCopiesOnCores() {
  constexpr std::string_view kCopies = "data/cores16/copies.csv";
  const auto table =
      CsvTable::Parse(kCopies, TextOf(kCopies), {"network", "copies", "alone_us", "us"}, {});
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
