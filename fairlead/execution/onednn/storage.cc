#include "fairlead/execution/onednn/storage.h"

#include <algorithm>
#include <utility>

#include "fairlead/execution/live_tensors.h"

namespace fairlead {
namespace {

class StoragePlanner {
 public:
  StoragePlanner(const OperatorGraph& graph, const std::vector<const Recipe*>& recipes,
                 std::size_t batch)
      : graph_(graph), recipes_(recipes), batch_(batch), versions_of_(graph.tensors.size()) {}

  Storage Plan() {
    AddGiven();
    for (std::size_t layer = 0; layer < graph_.operators.size(); ++layer) AddLayer(layer);
    for (TensorIndex output : graph_.outputs) {
      storage_.outputs.push_back(*FindVersion(output, Layout::kPlain));
      Use(storage_.outputs.back(), graph_.operators.size());
    }
    groups_.resize(storage_.versions.size());
    for (VersionIndex v = 0; v < groups_.size(); ++v) groups_[v] = {.members = {v}};
    homes_.resize(storage_.versions.size());
    for (std::size_t layer = 0; layer < recipes_.size(); ++layer) PassOn(layer);
    if (batch_ == 1) {
      for (std::size_t layer = recipes_.size(); layer-- > 0;) ConcatenateInPlace(layer);
    }
    for (std::size_t layer = 0; layer < recipes_.size(); ++layer) AccumulateInPlace(layer);
    LayOut();
    return std::move(storage_);
  }

 private:
  // Where a version lies: in another one, so many bytes from its beginning.
  struct Home {
    VersionIndex in = 0;
    std::size_t offset = 0;
    bool own = true;  // not in another one
  };
  struct Group {
    std::vector<VersionIndex> members;  // of its root
  };
  struct Place {
    VersionIndex root = 0;
    std::size_t offset = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  // ---- Versions ----------------------------------------------------------------------------

  VersionIndex AddVersion(TensorIndex tensor, Layout layout, std::size_t layer) {
    const auto elements =
        static_cast<std::size_t>(StoredElements(graph_.tensors[tensor].dims, layout)) * batch_;
    const auto index = static_cast<VersionIndex>(storage_.versions.size());
    storage_.versions.push_back({.tensor = tensor,
                                 .layout = layout,
                                 .bytes = elements * sizeof(float),
                                 .first = layer,
                                 .last = layer});
    versions_of_[tensor].push_back(index);
    return index;
  }

  void AddGiven() {
    for (TensorIndex input : graph_.inputs) {
      storage_.inputs.push_back(AddVersion(input, Layout::kPlain, 0));
      Pin(storage_.inputs.back());
    }
    for (TensorIndex tensor = 0; tensor < graph_.tensors.size(); ++tensor) {
      if (graph_.tensors[tensor].constant == nullptr) continue;
      storage_.constants.push_back(AddVersion(tensor, Layout::kPlain, 0));
      Pin(storage_.constants.back());
    }
  }

  void Pin(VersionIndex version) {
    storage_.versions[version].pinned = true;
    storage_.versions[version].last = graph_.operators.size();
  }

  void Use(VersionIndex version, std::size_t layer) {
    std::size_t& last = storage_.versions[version].last;
    last = std::max(last, layer);
  }

  std::optional<VersionIndex> FindVersion(TensorIndex tensor, Layout layout) const {
    for (VersionIndex version : versions_of_[tensor]) {
      if (SameBytes(graph_.tensors[tensor].dims, storage_.versions[version].layout, layout))
        return version;
    }
    return std::nullopt;
  }

  VersionIndex Convert(TensorIndex tensor, Layout layout, std::size_t layer,
                       std::vector<Conversion>& conversions) {
    const VersionIndex from = versions_of_[tensor].front();
    const VersionIndex to = AddVersion(tensor, layout, layer);
    Use(from, layer);
    conversions.push_back({from, to});
    return to;
  }

  void AddLayer(std::size_t layer) {
    const GraphOperator& op = graph_.operators[layer];
    const Recipe& recipe = *recipes_[layer];
    PlacedLayer placed;
    const std::vector<TensorIndex> reads = op.Reads();
    for (std::size_t i = 0; i < reads.size(); ++i) {
      auto version = FindVersion(reads[i], recipe.wants[i]);
      if (!version.has_value()) version = Convert(reads[i], recipe.wants[i], layer, placed.before);
      Use(*version, layer);
      placed.reads.push_back(*version);
    }
    placed.in_place.assign(reads.size(), false);
    placed.copies_addend = recipe.accumulates.has_value();
    placed.output = AddVersion(op.output, recipe.leaves, layer);
    const bool is_output = std::ranges::find(graph_.outputs, op.output) != graph_.outputs.end();
    if (is_output && !FindVersion(op.output, Layout::kPlain).has_value())
      Convert(op.output, Layout::kPlain, layer, placed.after);
    storage_.layers.push_back(std::move(placed));
  }

  // ---- Sharing -----------------------------------------------------------------------------

  Place PlaceOf(VersionIndex version) const {
    Place place{version, 0};
    while (!homes_[place.root].own) {
      place.offset += homes_[place.root].offset;
      place.root = homes_[place.root].in;
    }
    return place;
  }

  void Settle(VersionIndex version, VersionIndex in, std::size_t offset) {
    homes_[version] = {.in = in, .offset = offset, .own = false};
    std::vector<VersionIndex>& members = groups_[PlaceOf(in).root].members;
    std::vector<VersionIndex> moved = std::move(groups_[version].members);
    members.insert(members.end(), moved.begin(), moved.end());
  }

  void PassOn(std::size_t layer) {
    if (!recipes_[layer]->passes_on) return;
    PlacedLayer& placed = storage_.layers[layer];
    placed.nothing_to_do = true;
    Settle(placed.output, placed.reads[0], 0);
  }

  bool MayMove(VersionIndex version, VersionIndex into) const {
    return homes_[version].own && !storage_.versions[version].pinned &&
           PlaceOf(into).root != version;
  }

  // Later concatenations first: an earlier one whose parts lie side by side in a later one is a
  // part of that.
  void ConcatenateInPlace(std::size_t layer) {
    const GraphOperator& op = graph_.operators[layer];
    PlacedLayer& placed = storage_.layers[layer];
    const auto* concatenation = std::get_if<Concatenation>(&op.body);
    if (concatenation == nullptr || concatenation->axis != 0 || !op.then.empty() ||
        recipes_[layer]->leaves == Layout::kChannelsLast)
      return;
    if (homes_[placed.output].own && LieSideBySide(placed.reads) &&
        MayMove(placed.output, placed.reads[0])) {
      const Place first = PlaceOf(placed.reads[0]);
      Settle(placed.output, first.root, first.offset);
    }
    std::size_t offset = 0;
    for (std::size_t i = 0; i < placed.reads.size(); ++i) {
      const VersionIndex part = placed.reads[i];
      if (MayMove(part, placed.output)) Settle(part, placed.output, offset);
      Place wanted = PlaceOf(placed.output);
      wanted.offset += offset;
      placed.in_place[i] = PlaceOf(part) == wanted;
      offset += storage_.versions[part].bytes;
    }
    placed.nothing_to_do = std::ranges::find(placed.in_place, false) == placed.in_place.end();
  }

  bool LieSideBySide(const std::vector<VersionIndex>& versions) const {
    Place next = PlaceOf(versions[0]);
    if (next.root == versions[0]) return false;
    for (VersionIndex version : versions) {
      if (PlaceOf(version) != next) return false;
      next.offset += storage_.versions[version].bytes;
    }
    return true;
  }

  void AccumulateInPlace(std::size_t layer) {
    if (!recipes_[layer]->accumulates.has_value()) return;
    PlacedLayer& placed = storage_.layers[layer];
    const std::size_t addend = *recipes_[layer]->accumulates;
    const Place place = PlaceOf(placed.reads[addend]);
    if (!MayMove(placed.output, place.root) || place.offset != 0) return;
    if (storage_.versions[place.root].bytes != storage_.versions[placed.output].bytes) return;
    for (VersionIndex member : groups_[place.root].members) {
      const TensorVersion& version = storage_.versions[member];
      if (version.pinned || version.last > layer) return;
    }
    for (std::size_t i = 0; i < placed.reads.size(); ++i) {
      if (i != addend && PlaceOf(placed.reads[i]).root == place.root) return;
    }
    Settle(placed.output, place.root, 0);
    placed.copies_addend = false;
  }

  void LayOut() {
    std::vector<BufferLife> lives;
    std::vector<VersionIndex> roots;
    for (VersionIndex root = 0; root < homes_.size(); ++root) {
      if (!homes_[root].own) continue;
      BufferLife life{.bytes = storage_.versions[root].bytes,
                      .first = storage_.versions[root].first,
                      .last = storage_.versions[root].last};
      for (VersionIndex member : groups_[root].members) {
        life.first = std::min(life.first, storage_.versions[member].first);
        life.last = std::max(life.last, storage_.versions[member].last);
      }
      lives.push_back(life);
      roots.push_back(root);
    }
    const MemoryPlan plan = PlanMemory(lives);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      for (VersionIndex member : groups_[roots[i]].members)
        storage_.versions[member].offset = plan.offsets[i] + PlaceOf(member).offset;
    }
    storage_.bytes = plan.bytes;
  }

  const OperatorGraph& graph_;
  const std::vector<const Recipe*>& recipes_;
  const std::size_t batch_;
  Storage storage_;
  std::vector<std::vector<VersionIndex>> versions_of_;  // of each tensor; the computed one first
  std::vector<Home> homes_;
  std::vector<Group> groups_;
};

}  // namespace

Storage PlanStorage(const OperatorGraph& graph, const std::vector<const Recipe*>& recipes,
                    std::size_t batch) {
  return StoragePlanner(graph, recipes, batch).Plan();
}

std::vector<LiveTensor> LiveTensorsOf(const OperatorGraph& graph, const Storage& storage,
                                      std::size_t layer) {
  std::vector<LiveTensor> all(graph.tensors.size());
  for (VersionIndex v = 0; v < storage.versions.size(); ++v) {
    const TensorVersion& version = storage.versions[v];
    if ((version.pinned || version.first < layer) && version.last >= layer)
      all[version.tensor].versions.push_back(v);
  }
  const std::vector<TensorIndex> computed = LiveTensors(graph, layer);
  std::vector<LiveTensor> live;
  for (TensorIndex tensor = 0; tensor < all.size(); ++tensor) {
    LiveTensor& one = all[tensor];
    one.tensor = tensor;
    one.constant = graph.tensors[tensor].constant != nullptr;
    const bool needed = one.constant || std::ranges::binary_search(computed, tensor);
    if (needed && !one.versions.empty()) live.push_back(std::move(one));
  }
  return live;
}

}  // namespace fairlead
