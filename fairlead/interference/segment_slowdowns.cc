#include "fairlead/interference/segment_slowdowns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostOccupants = 32;
constexpr std::size_t kMostRemembered = 200'000;
constexpr std::uint64_t kIdlePlace = 0;

std::size_t HashOf(std::span<const std::uint64_t> words) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint64_t word : words) hash = (hash ^ word) * 0x100000001b3;
  return hash;
}

struct PlacesHash {
  std::size_t operator()(const std::vector<std::uint64_t>& set) const { return HashOf(set); }
};

class SlowdownInterference final : public InterferenceModel {
 public:
  explicit SlowdownInterference(std::shared_ptr<const SegmentSlowdowns> slowdowns)
      : slowdowns_(std::move(slowdowns)),
        caps_(MakeBandwidthSharing(Sharing::kNone, 0)),
        set_(slowdowns_->accelerators()) {}

  void Rates(std::span<const RunningSegment> running, std::span<Rate> rates) override {
    caps_->Rates(running, rates);
    const std::vector<double>& slowdowns = Remembered(running);
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (!running[i].network.valid()) continue;  // a decision
      const double rate = static_cast<double>(rates[i]) / slowdowns[running[i].accelerator.index()];
      rates[i] = std::max<Rate>(static_cast<Rate>(rate), 1);
    }
  }

 private:
  // By accelerator. Sets come again, and asking a model costs more than remembering.
  const std::vector<double>& Remembered(std::span<const RunningSegment> running) {
    std::ranges::fill(set_, kIdlePlace);
    others_.clear();
    for (const RunningSegment& one : running) {
      if (!one.network.valid()) continue;
      std::uint64_t& place = set_[one.accelerator.index()];
      CHECK_MSG(place == kIdlePlace,
                "two segments on one accelerator, which slowdowns do not know");
      place = (std::uint64_t{one.network.index()} << 32 | one.segment.index()) + 1;
      others_.push_back({one.accelerator, one.network, one.segment});
    }
    const auto found = remembered_.find(set_);
    if (found != remembered_.end()) return found->second;
    if (remembered_.size() >= kMostRemembered) remembered_.clear();
    std::vector<double>& slowdowns = remembered_[set_];
    slowdowns.assign(set_.size(), 1);
    for (const PlacedOccupant& one : others_)
      slowdowns[one.accelerator.index()] = slowdowns_->Of(one, others_);
    return slowdowns;
  }

  std::shared_ptr<const SegmentSlowdowns> slowdowns_;
  std::unique_ptr<InterferenceModel> caps_;
  std::vector<std::uint64_t> set_;
  std::vector<PlacedOccupant> others_;
  std::unordered_map<std::vector<std::uint64_t>, std::vector<double>, PlacesHash> remembered_;
};

}  // namespace

std::size_t SlowdownMemory::SetHash::operator()(const Set& set) const { return HashOf(set); }

std::optional<double> SlowdownMemory::Find(const Set& set) const {
  const auto found = known_.find(set);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void SlowdownMemory::Keep(const Set& set, double slowdown) {
  if (known_.size() >= kMostRemembered) known_.clear();
  known_.emplace(set, slowdown);
}

SegmentSlowdowns::SegmentSlowdowns(std::shared_ptr<const SlowdownModel> model,
                                   std::vector<std::size_t> partition_of,
                                   std::vector<std::size_t> first_of,
                                   std::vector<LayerSequence> sequences,
                                   RememberedNetworks remembered)
    : model_(std::move(model)),
      partition_of_(std::move(partition_of)),
      partitions_(model_->partitions() != 0 ? model_->partitions() : partition_of_.size()),
      first_of_(std::move(first_of)),
      sequences_(std::move(sequences)),
      remembered_(std::move(remembered)) {
  CHECK(partitions_ <= kMostOccupants);
  for (const std::size_t partition : partition_of_) CHECK(partition < partitions_);
}

const LayerSequence& SegmentSlowdowns::SequenceOf(const PlacedOccupant& one) const {
  const std::size_t number = first_of_[one.network.index()] + one.segment.index();
  return sequences_[number * partitions_ + partition_of_[one.accelerator.index()]];
}

double SegmentSlowdowns::Of(const PlacedOccupant& one,
                            std::span<const PlacedOccupant> others) const {
  if (remembered_.memory == nullptr) return Asked(one, others);
  SlowdownMemory::Set set(2 * partitions_ + 1, 0);
  const auto place = [&](const PlacedOccupant& occupant) {
    const std::size_t partition = PartitionOf(occupant.accelerator);
    set[2 * partition] = remembered_.numbers[occupant.network.index()];
    set[2 * partition + 1] = occupant.segment.index() + 1;
  };
  for (const PlacedOccupant& other : others) place(other);
  place(one);
  set.back() = PartitionOf(one.accelerator);
  if (const auto known = remembered_.memory->Find(set)) return *known;
  const double slowdown = Asked(one, others);
  remembered_.memory->Keep(set, slowdown);
  return slowdown;
}

double SegmentSlowdowns::Asked(const PlacedOccupant& one,
                               std::span<const PlacedOccupant> others) const {
  std::array<const LayerSequence*, kMostOccupants> occupants{};
  for (const PlacedOccupant& other : others)
    occupants[partition_of_[other.accelerator.index()]] = &SequenceOf(other);
  const std::size_t partition = partition_of_[one.accelerator.index()];
  occupants[partition] = &SequenceOf(one);
  const double slowdown = model_->OfSequence(std::span(occupants).first(partitions_), partition);
  // Not a number counts as none.
  return slowdown > 1 ? std::min(slowdown, kMostSlowdown) : 1;
}

std::unique_ptr<InterferenceModel> MakeSlowdownInterference(
    std::shared_ptr<const SegmentSlowdowns> slowdowns) {
  return std::make_unique<SlowdownInterference>(std::move(slowdowns));
}

}  // namespace fairlead
