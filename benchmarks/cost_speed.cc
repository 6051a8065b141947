// How long do the cost models take for the whole zoo on every built-in accelerator, cold, on one
// core? And does the time grow with the number of layers no faster than they do, and that of
// reading a profile with its rows?
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/costs/accelerator_model.h"
#include "fairlead/costs/profile.h"
#include "fairlead/networks/zoo.h"
#include "fairlead/scenario/accelerator_catalogue.h"

namespace fairlead {
namespace {

constexpr double kAskedSeconds = 1;  // for the zoo

// A network of layers that all differ.
LayeredNetwork RandomNetwork(int layers) {
  RandomStream random(1, "shapes");
  const auto up_to = [&](std::uint64_t bound) {
    return static_cast<std::int64_t>(1 + random.Below(bound));
  };
  LayeredNetwork network{.name = "random", .description = {}, .input = {}, .layers = {}};
  for (int i = 0; i < layers; ++i) {
    const std::int64_t side = up_to(112);
    const std::int64_t kernel = 1 + 2 * static_cast<std::int64_t>(random.Below(3));
    network.layers.push_back(
        {.name = fmt::format("layer{}", i),
         .shape =
             {.k = up_to(1024), .c = up_to(1024), .p = side, .q = side, .r = kernel, .s = kernel},
         .parameters = 0,
         .after = {}});
  }
  return network;
}

double Seconds(std::span<const LayeredNetwork> networks) {
  const Stopwatch stopwatch;
  const Profile profile = ProfileOf(networks, BuiltInAccelerators());
  const double seconds = stopwatch.ElapsedSeconds();
  fmt::print("{:>9} rows {:>9.3f} s", profile.rows.size(), seconds);
  return seconds;
}

// ---- Profiles made to hurt a parser that is not linear --------------------------------------

constexpr std::string_view kHeader = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj";

std::string OneLongNetwork(int rows) {
  std::string text = fmt::format("{},after\n", kHeader);
  for (int i = rows; i-- > 0;)  // the last layer first
    text += fmt::format("n,{},x,1,0,,{}\n", i, i > 0 ? std::to_string(i - 1) : "");
  return text;
}

std::string ManyNetworks(int rows) {
  std::string text = fmt::format("{}\n", kHeader);
  for (int i = 0; i < rows; ++i) text += fmt::format("n{},0,x,1,0,\n", i);
  return text;
}

std::string OneWideLayer(int rows) {
  std::string text = fmt::format("{},batch\n", kHeader);
  for (int i = rows; i > 0; --i) text += fmt::format("n,0,x,1,0,,{}\n", i);
  return text;
}

void ReadProfiles(std::string_view name, std::string (*make)(int)) {
  fmt::print("profile of {:<17}", name);
  for (const int rows : {6'250, 25'000, 100'000}) {
    const std::string text = make(rows);
    const Stopwatch stopwatch;
    const Result<Profile> profile = ParseProfile("p.csv", text);
    const std::int64_t elapsed = stopwatch.ElapsedNanoseconds();
    CHECK(profile.has_value() && std::ssize(profile->rows) == rows);
    fmt::print("  {:>6} rows {:>5} ns each", rows, elapsed / rows);
  }
  fmt::print("\n");
}

void Measure() {
  BuiltInAccelerators();  // their descriptions are read once
  const auto zoo = Zoo();
  fmt::print("zoo, {} networks on {} accelerators: ", zoo.size(), BuiltInAccelerators().size());
  const double seconds = Seconds(zoo);
  fmt::print("  asked: below {} s: {}\n", kAskedSeconds, seconds < kAskedSeconds ? "yes" : "NO");
  double before = 0;
  for (const int layers : {250, 500, 1000, 2000}) {
    const std::vector<LayeredNetwork> one = {RandomNetwork(layers)};
    fmt::print("{:>6} layers that all differ:      ", layers);
    const double now = Seconds(one);
    fmt::print("{}\n",
               before > 0 ? fmt::format("  {:.2f} times the line before", now / before) : "");
    before = now;
  }
  ReadProfiles("one long network", OneLongNetwork);
  ReadProfiles("many networks", ManyNetworks);
  ReadProfiles("one wide layer", OneWideLayer);
}

}  // namespace
}  // namespace fairlead

int main() {
  fairlead::Measure();
  return 0;
}
