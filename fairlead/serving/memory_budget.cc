#include "fairlead/serving/memory_budget.h"

#include <unistd.h>

#include <algorithm>
#include <set>

namespace fairlead {
namespace {

constexpr std::int64_t kReservedPart = 16;  // of the whole, one
constexpr std::int64_t kAddressFactor = 3;

}  // namespace

std::int64_t MemoryBudget::Default() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) / 4 * sysconf(_SC_PAGESIZE);
}

MemoryBudget::Share MemoryBudget::Open(const MemoryHolder& holder) {
  Share share;
  const std::lock_guard lock(mutex_);
  share.tenant_ = &*tenants_.try_emplace(holder.tenant).first;
  share.address_ = &*addresses_.try_emplace(holder.address).first;
  share.reserved_ = holder.reserved;
  ++share.tenant_->second.second;
  ++share.address_->second.second;
  share.budget_ = this;
  return share;
}

bool MemoryBudget::Fits(const Share& share, std::int64_t more) const {
  const std::int64_t left = total_ - used_ - more;
  if (share.reserved_) return left >= 0;
  const std::int64_t open = left - total_ / kReservedPart;
  return open >= 0 && share.tenant_->second.first + more <= open &&
         share.address_->second.first + more <= kAddressFactor * open;
}

void MemoryBudget::Add(Share& share, std::int64_t more) {
  used_ += more;
  share.tenant_->second.first += more;
  share.address_->second.first += more;
  share.bytes_ += more;
}

bool MemoryBudget::Share::Hold(std::int64_t bytes) {
  if (bytes <= bytes_) {
    if (bytes < bytes_) budget_->GiveBack(*this, bytes_ - bytes);
    return true;
  }
  const std::lock_guard lock(budget_->mutex_);
  if (!budget_->Fits(*this, bytes - bytes_)) {
    ++budget_->refusals_;
    return false;
  }
  budget_->Add(*this, bytes - bytes_);
  return true;
}

void MemoryBudget::Share::MustHold(std::int64_t bytes) {
  if (bytes <= bytes_) return static_cast<void>(Hold(bytes));
  const std::lock_guard lock(budget_->mutex_);
  budget_->Add(*this, bytes - bytes_);
}

void MemoryBudget::Share::Close() {
  if (budget_ == nullptr) return;
  budget_->GiveBack(*this, bytes_);
  MemoryBudget* const budget = std::exchange(budget_, nullptr);
  const std::lock_guard lock(budget->mutex_);
  if (--tenant_->second.second == 0) budget->tenants_.erase(tenant_->first);
  if (--address_->second.second == 0) budget->addresses_.erase(address_->first);
}

void MemoryBudget::GiveBack(Share& share, std::int64_t bytes) {
  std::list<Waiting> now;
  {
    const std::lock_guard lock(mutex_);
    Add(share, -bytes);
    if (!waiting_.empty()) now = WhoFits();
  }
  for (const Waiting& waiting : now) waiting.granted();
}

// Who of a tenant comes later does not overtake.
std::list<MemoryBudget::Waiting> MemoryBudget::WhoFits() {
  std::list<Waiting> now;
  std::set<const void*> stopped;  // tenants
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto it = next++;
    if (stopped.contains(it->share->tenant_)) continue;
    if (!Fits(*it->share, it->bytes - it->share->bytes_)) {
      stopped.insert(it->share->tenant_);
      continue;
    }
    Add(*it->share, it->bytes - it->share->bytes_);
    now.splice(now.end(), waiting_, it);
  }
  return now;
}

bool MemoryBudget::Wait(Share& share, std::int64_t bytes, std::function<void()> granted) {
  {
    const std::lock_guard lock(mutex_);
    const bool others = std::ranges::any_of(
        waiting_, [&](const Waiting& one) { return one.share->tenant_ == share.tenant_; });
    if (others || !Fits(share, bytes - share.bytes_)) {
      if (waiting_.size() >= kMostWaiting) {
        ++refusals_;
        return false;
      }
      waiting_.push_back({&share, bytes, std::move(granted)});
      return true;
    }
    Add(share, bytes - share.bytes_);
  }
  granted();
  return true;
}

bool MemoryBudget::Forget(const Share& share) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(waiting_, [&](const Waiting& one) { return one.share == &share; }) > 0;
}

std::int64_t MemoryBudget::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::uint64_t MemoryBudget::refusals() const {
  const std::lock_guard lock(mutex_);
  return refusals_;
}

}  // namespace fairlead
