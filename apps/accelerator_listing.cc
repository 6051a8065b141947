#include "apps/accelerator_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "apps/help_text.h"
#include "apps/input_files.h"
#include "apps/verbs.h"
#include "fairlead/scenario/accelerator_catalogue.h"
#include "fairlead/scenario/embedded_files.h"
#include "fairlead/scenario/ready_platforms.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json AcceleratorsJson(std::span<const AcceleratorModel> accelerators) {
  Json list = Json::array();
  for (const AcceleratorModel& accelerator : accelerators) {
    list.push_back({{"name", accelerator.name},
                    {"description", accelerator.description},
                    {"gmacs_per_s", accelerator.PeakGmacsPerSecond()},
                    {"gb_per_s", accelerator.DramGbPerSecond()},
                    {"word_bits", accelerator.WordBits()},
                    {"units", accelerator.UnitChoices().back()}});
  }
  return list;
}

void PrintRows(std::span<const AcceleratorModel> accelerators) {
  fmt::print("{:<17}{:>8}{:>7}{:>6}{:>7}\n", "accelerator", "GMAC/s", "GB/s", "bits", "units");
  for (const AcceleratorModel& accelerator : accelerators) {
    fmt::print("{:<17}{:>8.0f}{:>7.0f}{:>6}{:>7}  {}\n", accelerator.name,
               accelerator.PeakGmacsPerSecond(), accelerator.DramGbPerSecond(),
               accelerator.WordBits(), accelerator.UnitChoices().back(),
               Wrapped(accelerator.description, 47, 47));
  }
}

void PrintAccelerators() {
  PrintRows(BuiltInAccelerators());
  fmt::print("\nplatform (for `platform:` in a scenario)\n");
  for (const ReadyPlatform& platform : ReadyPlatforms())
    fmt::print("{:<17}{}\n", platform.name, Wrapped(platform.description, 17, 17));
  fmt::print(
      "\n`{0} accelerators NAME` prints the description of one: a start for your\n"
      "own, which `{0} cost --on FILE.yaml` takes, and `kind: FILE.yaml` in a\n"
      "scenario.\n",
      TypedCommand());
}

// A built-in one as it is written down, for a start; a file as what it comes to.
int Describe(const ListOptions& options) {
  const auto found = FindAcceleratorModel(options.one, &ReadInput);
  if (!found.has_value()) return Complain(found.error(), kBadInput);
  const auto text = FindEmbeddedFile(fmt::format("data/accelerators/{}.yaml", options.one));
  if (options.form == OutputForm::kJson)
    fmt::print("{}\n", AcceleratorsJson({&*found, 1}).dump(2));
  else if (!text.has_value())
    PrintRows({&*found, 1});
  else
    fmt::print("{}", *text);
  return kDone;
}

}  // namespace

int ListAccelerators(const ListOptions& options) {
  if (!options.one.empty()) return Describe(options);
  if (options.form == OutputForm::kJson)
    fmt::print("{}\n", AcceleratorsJson(BuiltInAccelerators()).dump(2));
  else
    PrintAccelerators();
  return kDone;
}

}  // namespace fairlead
