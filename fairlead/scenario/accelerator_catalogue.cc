#include "fairlead/scenario/accelerator_catalogue.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/printable.h"
#include "fairlead/base/units.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/yaml_reader.h"

namespace fairlead {

std::span<const ReadyPlatform> ReadyPlatforms() {
  static const std::vector<ReadyPlatform> platforms = {
      {.name = "h200-partitions",
       .description = "an H200 cut into 64, 32, 16 and 16 multiprocessors; measured, 16 bit",
       .bandwidth = 4'800'000'000'000,
       .accelerators = {{.kind = "p0"}, {.kind = "p1"}, {.kind = "p2"}, {.kind = "p3"}},
       .measured = true},
      {.name = "xeon-16",
       .description = "16 cores of a Xeon as units of one accelerator; measured, 32 bit",
       .accelerators = {{.kind = "cores", .units = 16}},
       .measured = true},
      {.name = "cores-16",
       .description = "16 cores as units, networks in two versions; our own executor, 32 bit",
       .accelerators = {{.kind = "cores", .units = 16}},
       .measured = true},
      {.name = "xavier",
       .description = "a GPU and two DLAs, which leave some operators to it; rooflines, 16 bit",
       .bandwidth = 137'000'000'000,
       .accelerators = {{.kind = "xavier-gpu"}, {.kind = "xavier-dla", .count = 2}}},
  };
  return platforms;
}

namespace {

constexpr double kMost = 1e12;
constexpr std::int64_t kMostWords = std::int64_t{1} << 40;

// Zero is a value for some quantities only.
Status ReadPositive(const ConfigMap& map, std::string_view key, double& out) {
  return map.ReadNumber(key, out, 1e-6, kMost);
}

Result<Dimension> ReadLoop(const ConfigNode& node) {
  static constexpr std::array<std::string_view, kDimensions> kNames = {"k", "c", "p", "q",
                                                                       "r", "s", "x", "g"};
  ASSIGN_OR_RETURN(const std::size_t chosen, node.AsOneOf(kNames));
  return static_cast<Dimension>(chosen);
}

Status ReadAxes(const ConfigNode& node, std::vector<ArrayAxis>& axes) {
  axes.clear();
  ASSIGN_OR_RETURN(const auto list, node.List());
  std::int64_t macs = 1;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const ConfigMap map,
                     ConfigMap::Open(item, {"size", "loops", "inside_element"}));
    ArrayAxis axis;
    RETURN_IF_ERROR(map.Require("size"));
    RETURN_IF_ERROR(map.ReadInteger("size", axis.size, 1, 65536));
    ASSIGN_OR_RETURN(const ConfigNode loops, map.Require("loops"));
    ASSIGN_OR_RETURN(const auto names, loops.List());
    for (const ConfigNode& name : names) {
      ASSIGN_OR_RETURN(const Dimension loop, ReadLoop(name));
      if (std::ranges::find(axis.loops, loop) != axis.loops.end())
        return name.Wrong("a loop can stand on an axis once");
      axis.loops.push_back(loop);
    }
    RETURN_IF_ERROR(map.ReadBoolean("inside_element", axis.inside_element));
    macs *= axis.size;
    if (macs > (1 << 24) || axes.size() == 6)
      return item.Wrong("an array has at most 6 axes and 16 million multipliers");
    axes.push_back(std::move(axis));
  }
  return {};
}

Status ReadStore(const ConfigMap& elements, std::string_view key, ElementStore& store) {
  const auto node = elements.Find(key);
  if (!node.has_value()) return {};
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(*node, {"words", "read_pj", "write_pj"}));
  RETURN_IF_ERROR(map.ReadInteger("words", store.words, 0, kMostWords));
  RETURN_IF_ERROR(map.ReadNumber("read_pj", store.read_pj, 0, kMost));
  return map.ReadNumber("write_pj", store.write_pj, 0, kMost);
}

Status ReadBuffers(const ConfigNode& node, std::vector<SharedBuffer>& buffers) {
  buffers.clear();
  ASSIGN_OR_RETURN(const auto list, node.List());
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(item, {"bytes", "holds", "read_pj",
                                                                 "write_pj", "words_per_cycle"}));
    SharedBuffer buffer;
    RETURN_IF_ERROR(map.Require("bytes"));
    RETURN_IF_ERROR(map.ReadInteger("bytes", buffer.bytes, 1, kMostWords));
    ASSIGN_OR_RETURN(const ConfigNode holds, map.Require("holds"));
    ASSIGN_OR_RETURN(const auto names, holds.List());
    for (const ConfigNode& name : names) {
      static constexpr std::array<std::string_view, 3> kTensors = {"inputs", "weights", "sums"};
      ASSIGN_OR_RETURN(const std::size_t tensor, name.AsOneOf(kTensors));
      bool& held = tensor == 0   ? buffer.holds_inputs
                   : tensor == 1 ? buffer.holds_weights
                                 : buffer.holds_sums;
      held = true;
    }
    RETURN_IF_ERROR(map.ReadNumber("read_pj", buffer.read_pj, 0, kMost));
    RETURN_IF_ERROR(map.ReadNumber("write_pj", buffer.write_pj, 0, kMost));
    RETURN_IF_ERROR(ReadPositive(map, "words_per_cycle", buffer.words_per_cycle));
    buffers.push_back(buffer);
  }
  return {};
}

// The parts of an array that are maps or lists of their own.
Status ReadParts(const ConfigMap& map, ArrayAccelerator& array) {
  if (const auto axes = map.Find("axes")) RETURN_IF_ERROR(ReadAxes(*axes, array.array));
  if (array.array.empty()) {
    ASSIGN_OR_RETURN(const ConfigNode axes, map.Require("axes"));
    return axes.Wrong("an array needs an axis");
  }
  if (const auto node = map.Find("elements")) {
    ASSIGN_OR_RETURN(const ConfigMap elements,
                     ConfigMap::Open(*node, {"inputs", "weights", "sums"}));
    RETURN_IF_ERROR(ReadStore(elements, "inputs", array.inputs));
    RETURN_IF_ERROR(ReadStore(elements, "weights", array.weights));
    RETURN_IF_ERROR(ReadStore(elements, "sums", array.sums));
  }
  if (const auto node = map.Find("buffers")) RETURN_IF_ERROR(ReadBuffers(*node, array.buffers));
  if (const auto node = map.Find("dram")) {
    ASSIGN_OR_RETURN(const ConfigMap dram, ConfigMap::Open(*node, {"gb_per_s", "pj_per_byte"}));
    RETURN_IF_ERROR(ReadPositive(dram, "gb_per_s", array.dram_gb_per_s));
    RETURN_IF_ERROR(dram.ReadNumber("pj_per_byte", array.dram_pj_per_byte, 0, kMost));
  }
  if (const auto node = map.Find("vector")) {
    ASSIGN_OR_RETURN(const ConfigMap vector, ConfigMap::Open(*node, {"lanes", "pj"}));
    RETURN_IF_ERROR(vector.ReadInteger("lanes", array.vector_lanes, 1, kMostWords));
    RETURN_IF_ERROR(vector.ReadNumber("pj", array.vector_pj, 0, kMost));
  }
  return {};
}

bool SpreadsTheKernel(const ArrayAccelerator& array) {
  return std::ranges::any_of(array.array, [](const ArrayAxis& axis) {
    return std::ranges::any_of(
        axis.loops, [](Dimension loop) { return loop == Dimension::kR || loop == Dimension::kS; });
  });
}

Status ReadArray(const ConfigNode& node, ArrayAccelerator& array) {
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(node, {"clock_ghz", "word_bits", "sum_bits", "dataflow", "unrolling", "axes",
                             "mac_pj", "elements", "buffers", "dram", "double_buffering",
                             "fill_and_drain_cycles", "vector"}));
  RETURN_IF_ERROR(map.ReadNumber("clock_ghz", array.clock_ghz, 1e-3, 1000));
  RETURN_IF_ERROR(map.ReadInteger("word_bits", array.word_bits, 1, 64));
  RETURN_IF_ERROR(map.ReadInteger("sum_bits", array.sum_bits, 1, 64));
  if (const auto dataflow = map.Find("dataflow")) {
    static constexpr std::array<std::string_view, 3> kNames = {
        "weight-stationary", "row-stationary", "output-stationary"};
    ASSIGN_OR_RETURN(const std::size_t chosen, dataflow->AsOneOf(kNames));
    array.dataflow = static_cast<Dataflow>(chosen);
  }
  if (const auto unrolling = map.Find("unrolling")) {
    static constexpr std::array<std::string_view, 2> kNames = {"any", "divisors"};
    ASSIGN_OR_RETURN(const std::size_t chosen, unrolling->AsOneOf(kNames));
    array.unrolling = static_cast<Unrolling>(chosen);
  }
  RETURN_IF_ERROR(map.ReadNumber("mac_pj", array.mac_pj, 0, kMost));
  RETURN_IF_ERROR(map.ReadBoolean("double_buffering", array.double_buffering));
  RETURN_IF_ERROR(
      map.ReadInteger("fill_and_drain_cycles", array.fill_and_drain_cycles, 0, 1'000'000));
  RETURN_IF_ERROR(ReadParts(map, array));
  if (array.dataflow == Dataflow::kRowStationary && !SpreadsTheKernel(array))
    return map.Find("dataflow")
        .value_or(node)
        .Wrong("row-stationary needs an axis with the loop r or s");
  return {};
}

Status ReadProcessor(const ConfigNode& node, UnitRoofline& processor) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"units", "gmacs_per_s", "depthwise_gmacs_per_s",
                                          "vector_gops_per_s", "unit_gb_per_s", "dram_gb_per_s",
                                          "overhead", "word_bits", "mac_pj", "dram_pj_per_byte"}));
  RETURN_IF_ERROR(map.ReadInteger("units", processor.units, 1, 65536));
  RETURN_IF_ERROR(ReadPositive(map, "gmacs_per_s", processor.gmacs_per_s));
  RETURN_IF_ERROR(ReadPositive(map, "depthwise_gmacs_per_s", processor.depthwise_gmacs_per_s));
  RETURN_IF_ERROR(ReadPositive(map, "vector_gops_per_s", processor.vector_gops_per_s));
  RETURN_IF_ERROR(ReadPositive(map, "unit_gb_per_s", processor.unit_gb_per_s));
  RETURN_IF_ERROR(ReadPositive(map, "dram_gb_per_s", processor.dram_gb_per_s));
  RETURN_IF_ERROR(map.ReadDuration("overhead", processor.overhead, std::chrono::seconds{1}));
  RETURN_IF_ERROR(map.ReadInteger("word_bits", processor.word_bits, 1, 64));
  RETURN_IF_ERROR(map.ReadNumber("mac_pj", processor.mac_pj, 0, kMost));
  return map.ReadNumber("dram_pj_per_byte", processor.dram_pj_per_byte, 0, kMost);
}

Status ReadCannotRun(const ConfigNode& node, std::vector<LayerKind>& kinds) {
  kinds.clear();
  std::array<std::string_view, kLayerKinds> names;
  for (std::size_t i = 0; i < kLayerKinds; ++i) names[i] = Name(static_cast<LayerKind>(i));
  ASSIGN_OR_RETURN(const auto list, node.List());
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const std::size_t kind, item.AsOneOf(names));
    kinds.push_back(static_cast<LayerKind>(kind));
  }
  return {};
}

}  // namespace

Result<AcceleratorModel> ParseAccelerator(std::string_view file, const std::string& text,
                                          const FindAccelerator& find_base) {
  ASSIGN_OR_RETURN(const ConfigNode top, ConfigNode::Parse(file, text));
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(top, {"name", "description", "like",
                                                              "array", "processor", "cannot_run"}));
  AcceleratorModel accelerator;
  const auto array = map.Find("array");
  const auto processor = map.Find("processor");
  if (array.has_value() && processor.has_value())
    return processor->Wrong("an accelerator is an array or a processor, not both");
  if (const auto like = map.Find("like")) {
    ASSIGN_OR_RETURN(const std::string base, like->Text());
    auto found = find_base(base);
    if (!found.has_value()) return like->Wrong(found.error().message);
    accelerator = std::move(*found);
  } else if (!array.has_value() && !processor.has_value()) {
    return top.Wrong("an accelerator needs 'array', 'processor' or 'like'");
  } else if (processor.has_value()) {
    accelerator.model = UnitRoofline{};
  }
  RETURN_IF_ERROR(map.Require("name"));
  RETURN_IF_ERROR(map.ReadText("name", accelerator.name));
  if (const std::string why = WhyNoName(accelerator.name, 100); !why.empty())
    return map.Find("name")->Wrong(why);
  RETURN_IF_ERROR(map.ReadText("description", accelerator.description));
  if (array.has_value()) {
    if (!std::holds_alternative<ArrayAccelerator>(accelerator.model))
      return array->Wrong("what it is like is a processor; say 'processor', or leave 'like' out");
    RETURN_IF_ERROR(ReadArray(*array, std::get<ArrayAccelerator>(accelerator.model)));
  }
  if (processor.has_value()) {
    if (!std::holds_alternative<UnitRoofline>(accelerator.model))
      return processor->Wrong("what it is like is an array; say 'array', or leave 'like' out");
    RETURN_IF_ERROR(ReadProcessor(*processor, std::get<UnitRoofline>(accelerator.model)));
  }
  if (const auto cannot = map.Find("cannot_run"))
    RETURN_IF_ERROR(ReadCannotRun(*cannot, accelerator.cannot_run));
  return accelerator;
}

namespace {

constexpr std::string_view kFolder = "data/accelerators/";

Result<AcceleratorModel> ReadBuiltIn(std::string_view name) {
  const std::string path = fmt::format("{}{}.yaml", kFolder, name);
  const auto text = FindEmbeddedFile(path);
  if (text.has_value()) return ParseAccelerator(path, std::string(*text), &ReadBuiltIn);
  return Fail("there is no accelerator '{}'", name);
}

std::vector<AcceleratorModel> ReadAll() {
  std::vector<AcceleratorModel> all;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (!file.path.starts_with(kFolder)) continue;
    std::string_view name = file.path.substr(kFolder.size());
    name.remove_suffix(std::string_view(".yaml").size());
    auto accelerator = ReadBuiltIn(name);
    CHECK_MSG(accelerator.has_value(), accelerator.error().message);
    all.push_back(std::move(*accelerator));
  }
  std::ranges::sort(all, {}, &AcceleratorModel::name);
  return all;
}

Result<AcceleratorModel> FindByName(std::string_view name) {
  const auto known = BuiltInAccelerators();
  const auto found = std::ranges::find(known, name, &AcceleratorModel::name);
  if (found != known.end()) return *found;
  std::vector<std::string_view> names;
  for (const AcceleratorModel& accelerator : known) names.push_back(accelerator.name);
  return Fail("unknown kind of accelerator '{}'{}", name, Suggest(name, names));
}

}  // namespace

std::span<const AcceleratorModel> BuiltInAccelerators() {
  static const std::vector<AcceleratorModel> all = ReadAll();
  return all;
}

Result<AcceleratorModel> FindAcceleratorModel(std::string_view name, const FileReader& read) {
  if (!name.ends_with(".yaml") && !name.ends_with(".yml")) return FindByName(name);
  ASSIGN_OR_RETURN(const std::string text, read(std::string(name)));
  return ParseAccelerator(name, text, &FindByName);
}

}  // namespace fairlead
