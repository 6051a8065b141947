#include "fairlead/domain/platform.h"

#include <algorithm>
#include <utility>

namespace fairlead {
namespace {

template <typename IdType, typename List, typename Projection>
IdType FindByName(const List& list, std::string_view name, Projection projection) {
  const auto found = std::ranges::find(list, name, projection);
  return found == list.end() ? IdType{} : IdType{static_cast<std::size_t>(found - list.begin())};
}

}  // namespace

KindId Platform::AddKind(std::string name, int count, int units) {
  const KindId kind{kinds.size()};
  for (int i = 0; i < count; ++i) {
    accelerators.push_back({count == 1 ? name : name + "." + std::to_string(i), kind});
  }
  kinds.push_back({std::move(name), units});
  return kind;
}

KindId Platform::FindKind(std::string_view name) const {
  return FindByName<KindId>(kinds, name, &AcceleratorKind::name);
}

AcceleratorId Platform::FindAccelerator(std::string_view name) const {
  return FindByName<AcceleratorId>(accelerators, name, &Accelerator::name);
}

std::vector<int> Platform::CountByKind() const {
  std::vector<int> count(kinds.size());
  for (const Accelerator& accelerator : accelerators) ++count[accelerator.kind.index()];
  return count;
}

}  // namespace fairlead
