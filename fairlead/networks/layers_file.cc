#include "fairlead/networks/layers_file.h"

#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "fairlead/base/csv.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr std::int64_t kMost = 10'000'000;

Result<LayerKind> ReadKind(const CsvTable& table, std::size_t row) {
  static constexpr std::array<std::string_view, 3> kKinds = {"conv", "depthwise", "linear"};
  const std::string_view text = table.Text(row, "kind");
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (text == kKinds[i]) return static_cast<LayerKind>(i);
  }
  return FailAt(table.PlaceOf(row, "kind"), "unknown kind of layer '{}'{}", text,
                Suggest(text, kKinds));
}

Status CheckShape(const CsvTable& table, std::size_t row, const LayerShape& shape) {
  if (shape.k % shape.groups != 0 || shape.c % shape.groups != 0)
    return FailAt(table.PlaceOf(row, "groups"), "{} groups do not divide {} inputs and {} outputs",
                  shape.groups, shape.c, shape.k);
  double macs = 1;
  for (const std::int64_t factor : {shape.n, shape.k, shape.c, shape.p, shape.q, shape.r, shape.s})
    macs *= static_cast<double>(factor);
  const double inputs = static_cast<double>(shape.n) * static_cast<double>(shape.c) *
                        static_cast<double>(shape.p * shape.stride + shape.r) *
                        static_cast<double>(shape.q * shape.stride + shape.s);
  if (macs > kMostMacs || inputs > kMostMacs)
    return FailAt(table.PlaceOf(row, "layer"), "the layer is too large: more than {} operations",
                  kMostMacs);
  return {};
}

Result<LayerShape> ReadShape(const CsvTable& table, std::size_t row) {
  LayerShape shape;
  ASSIGN_OR_RETURN(shape.kind, ReadKind(table, row));
  struct Field {
    std::string_view column;
    std::int64_t LayerShape::*value;
  };
  for (const Field& field :
       {Field{"n", &LayerShape::n}, Field{"k", &LayerShape::k}, Field{"c", &LayerShape::c},
        Field{"p", &LayerShape::p}, Field{"q", &LayerShape::q}, Field{"r", &LayerShape::r},
        Field{"s", &LayerShape::s}, Field{"stride", &LayerShape::stride},
        Field{"groups", &LayerShape::groups}}) {
    if (!table.Has(field.column)) continue;
    ASSIGN_OR_RETURN(shape.*field.value, table.Integer(row, field.column, 1, kMost));
  }
  // Each channel is a group of its own, whether the file says so or not.
  if (shape.kind == LayerKind::kDepthwise && shape.groups == 1) shape.groups = shape.c;
  RETURN_IF_ERROR(CheckShape(table, row, shape));
  return shape;
}

}  // namespace

Result<std::vector<LayeredNetwork>> ParseLayers(std::string_view file, std::string_view text) {
  ASSIGN_OR_RETURN(const CsvTable table,
                   CsvTable::Parse(file, text, {"network", "layer", "kind", "k", "c", "p", "q"},
                                   {"n", "r", "s", "stride", "groups"}));
  if (table.rows() == 0) return Fail("{}: no rows; expected one for each layer", file);
  std::vector<LayeredNetwork> networks;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ASSIGN_OR_RETURN(const std::string_view network, table.Name(row, "network"));
    ASSIGN_OR_RETURN(const std::string_view layer, table.Name(row, "layer"));
    ASSIGN_OR_RETURN(const LayerShape shape, ReadShape(table, row));
    const auto found = known.try_emplace(std::string(network), networks.size());
    if (found.second)
      networks.push_back(
          {.name = std::string(network), .description = {}, .input = {}, .layers = {}});
    networks[found.first->second].layers.push_back(
        {.name = std::string(layer), .shape = shape, .parameters = shape.Weights(), .after = {}});
  }
  return networks;
}

}  // namespace fairlead
