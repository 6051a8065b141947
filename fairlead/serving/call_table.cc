#include "fairlead/serving/call_table.h"

#include <algorithm>
#include <utility>

#include "fairlead/serving/tensor_conversion.h"

namespace fairlead {

Ticket CallTable::Open(OpenCall call) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
    free_.reserve(slots_.size());
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.open = true;
  slot.call = std::move(call);
  return TicketOf(index, slot.generation);
}

const CallTable::Slot* CallTable::Find(Ticket ticket) const {
  const auto index = static_cast<std::uint32_t>(ticket);
  if (index >= slots_.size()) return nullptr;
  const Slot& slot = slots_[index];
  return slot.open && slot.generation == ticket >> 32 ? &slot : nullptr;
}

const CallTable::Slot* CallTable::FindByJob(const JobHandle& job) const {
  if (job.id.index() >= by_job_.size()) return nullptr;
  const Slot& slot = slots_[static_cast<std::uint32_t>(by_job_[job.id.index()])];
  return slot.open && slot.call.job.id == job.id && slot.call.job.serial == job.serial ? &slot
                                                                                       : nullptr;
}

bool CallTable::Enter(Ticket ticket, const JobHandle& job) {
  const std::lock_guard lock(mutex_);
  Slot* const slot = Find(ticket);
  if (slot == nullptr) return true;  // it has ended as it arrived
  slot->call.job = job;
  if (job.id.index() >= by_job_.size()) by_job_.resize(job.id.index() + 1, ticket);
  by_job_[job.id.index()] = ticket;
  return !slot->call.cancelled;
}

std::optional<CallTable::Cancelled> CallTable::Cancel(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  Slot* const slot = Find(ticket);
  if (slot == nullptr || slot->call.reply == nullptr) return std::nullopt;
  slot->call.cancelled = true;
  Cancelled cancelled{.reply = std::exchange(slot->call.reply, nullptr),
                      .network = slot->call.network};
  if (slot->call.job.serial != 0) cancelled.job = slot->call.job;
  return cancelled;
}

bool CallTable::IsRefused(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  const Slot* const slot = Find(ticket);
  return slot != nullptr && slot->call.refused;
}

bool CallTable::IsCancelled(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  const Slot* const slot = Find(ticket);
  return slot != nullptr && slot->call.cancelled;
}

std::optional<OpenCall> CallTable::Close(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  Slot* const slot = Find(ticket);
  if (slot == nullptr) return std::nullopt;
  slot->open = false;
  // A ticket is never 0, and leaves its highest bit to those of several samples.
  if (++slot->generation > kLastGeneration) slot->generation = 1;
  free_.push_back(static_cast<std::uint32_t>(ticket));
  return std::exchange(slot->call, {});
}

std::vector<Ticket> CallTable::Tickets() const {
  const std::lock_guard lock(mutex_);
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].open) tickets.push_back(TicketOf(i, slots_[i].generation));
  }
  return tickets;
}

std::optional<CallInput> CallTable::InputOf(const JobHandle& job, std::size_t index) const {
  const std::lock_guard lock(mutex_);
  const Slot* const slot = FindByJob(job);
  if (slot == nullptr) return std::nullopt;
  return slot->call.inputs[index];
}

void CallTable::SetOutput(const JobHandle& job, std::size_t index, std::span<const float> numbers) {
  SharedNetworkInfo network;
  {
    const std::lock_guard lock(mutex_);
    const Slot* const slot = FindByJob(job);
    if (slot == nullptr || std::ranges::find(slot->call.wanted, index) == slot->call.wanted.end())
      return;
    network = slot->call.network;
  }
  TensorData output{.info = network->outputs[index],
                    .data = BytesOf(network->outputs[index].type, numbers)};
  if (HasOpenBatch(output.info)) output.info.shape.front() = 1;
  const std::lock_guard lock(mutex_);
  const Slot* const slot = FindByJob(job);
  if (slot == nullptr) return;
  std::vector<TensorData>& outputs =
      slots_[static_cast<std::size_t>(slot - slots_.data())].call.outputs;
  outputs.resize(network->outputs.size());
  outputs[index] = std::move(output);
}

std::size_t CallTable::size() const {
  const std::lock_guard lock(mutex_);
  return slots_.size() - free_.size();
}

std::size_t CallTable::slots() const {
  const std::lock_guard lock(mutex_);
  return slots_.size();
}

}  // namespace fairlead
