#include "fairlead/execution/machine.h"

#include <hwloc.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <system_error>
#include <type_traits>

#include "fairlead/base/check.h"
#include "fairlead/execution/core_list.h"

namespace fairlead {
namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, FreeBitmap>;

// Null where the core has none, or is none.
hwloc_obj_t LastLevelCache(hwloc_topology_t topology, int core) {
  hwloc_obj_t last = nullptr;
  hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(core));
  for (; object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type) != 0) last = object;
  }
  return last;
}

}  // namespace

void Machine::Destroy::operator()(hwloc_topology* topology) const {
  hwloc_topology_destroy(topology);
}

Machine::Machine(const std::string& description) {
  // It would complain on stderr where /sys is missing, and then find everything all the same.
  setenv("HWLOC_HIDE_ERRORS", "2", 0);  // NOLINT: before there are threads
  hwloc_topology_t topology = nullptr;
  CHECK(hwloc_topology_init(&topology) == 0);
  topology_.reset(topology);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (!description.empty()) CHECK(hwloc_topology_set_synthetic(topology, description.c_str()) == 0);
  CHECK(hwloc_topology_load(topology) == 0);
}

const Machine& Machine::This() {
  static const Machine machine("");
  return machine;
}

Machine Machine::Imagined(const std::string& description) { return Machine(description); }

std::string Machine::ProcessorName() const {
  hwloc_obj_t object = hwloc_get_obj_by_type(topology_.get(), HWLOC_OBJ_PACKAGE, 0);
  if (object == nullptr) object = hwloc_get_root_obj(topology_.get());
  const char* const name = hwloc_obj_get_info_by_name(object, "CPUModel");
  return name == nullptr ? "" : name;
}

std::vector<int> Machine::UsableCores() const {
  const Bitmap set(hwloc_bitmap_alloc());
  std::vector<int> cores;
  if (hwloc_get_cpubind(topology_.get(), set.get(), HWLOC_CPUBIND_THREAD) != 0) return cores;
  for (int core = hwloc_bitmap_first(set.get()); core >= 0;
       core = hwloc_bitmap_next(set.get(), core))
    cores.push_back(core);
  return cores;
}

Status Machine::BindThread(std::span<const int> cores) const {
  const Bitmap set(hwloc_bitmap_alloc());
  for (int core : cores) hwloc_bitmap_set(set.get(), static_cast<unsigned>(core));
  if (hwloc_set_cpubind(topology_.get(), set.get(), HWLOC_CPUBIND_THREAD) == 0) return {};
  return Fail("cannot bind a thread to cores {}: {}", FormatCores(cores),
              std::generic_category().message(errno));
}

std::vector<std::int64_t> Machine::CacheShares(std::span<const std::vector<int>> groups) const {
  std::map<hwloc_obj_t, std::int64_t> users;
  for (const std::vector<int>& group : groups) {
    for (int core : group) ++users[LastLevelCache(topology_.get(), core)];
  }
  std::vector<std::int64_t> shares;
  for (const std::vector<int>& group : groups) {
    std::int64_t& share = shares.emplace_back(0);
    for (int core : group) {
      const hwloc_obj_t cache = LastLevelCache(topology_.get(), core);
      if (cache != nullptr)
        share += static_cast<std::int64_t>(cache->attr->cache.size) / users[cache];
    }
  }
  return shares;
}

}  // namespace fairlead
