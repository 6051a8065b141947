#include "fairlead/report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/report/json_text.h"
#include "fairlead/scheduling/guard.h"

namespace fairlead {
namespace {

constexpr std::size_t kBufferSize = 1 << 16;
constexpr int kAccelerators = 1;  // process numbers
constexpr int kTenants = 2;
constexpr int kGuard = 3;
constexpr int kChanges = 4;

// Microseconds with three decimals. Times of a run are never negative.
std::string Microseconds(std::int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}
std::string Microseconds(Instant time) { return Microseconds(Nanoseconds(time)); }

}  // namespace

TraceWriter::~TraceWriter() {
  if (state_ != nullptr) Close();
}

void TraceWriter::Open(const SystemState& state) {
  CHECK(state_ == nullptr);
  state_ = &state;
  buffer_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  separator_ = "";
  for (const NetworkGraph& network : state.networks) {
    std::vector<std::string>& names = segments_.emplace_back();
    for (std::size_t s = 0; s < network.size(); ++s)
      names.push_back(JsonOf(network.name() + "/" + network.SegmentName(SegmentId{s})));
  }
  NameProcess(kAccelerators, "accelerators");
  NameProcess(kTenants, "tenants");
  lanes_.resize(state.platform->accelerators.size());
  for (std::size_t a = 0; a < lanes_.size(); ++a) {
    lanes_[a].emplace_back();
    NameLane(AcceleratorId{a}, 0);
  }
}

void TraceWriter::Close() {
  CHECK(state_ != nullptr);
  for (auto& [serial, path] : paths_) WriteFlow(std::move(path));
  paths_.clear();
  if (counting_) WriteCounts(since_);
  buffer_ += "\n]}\n";
  Flush();
  out_.flush();
  state_ = nullptr;
}

void TraceWriter::SegmentEnded(const Assignment& assignment, Instant now) {
  CHECK(state_ != nullptr);
  const std::size_t lane = LaneOf(assignment);
  const std::uint64_t track = TrackOf(assignment.accelerator, lane);
  const bool shown = window_.Shows(assignment.start, now);
  if (shown) {
    WriteSlice(assignment, track, now);
    WriteHandOver(assignment, track, now);
  }
  for (JobId id : assignment.jobs) {
    const Job& job = state_->jobs[id.index()];
    Path& path = paths_[job.serial];
    path.request = job.request;
    if (shown) path.slices.push_back({assignment.start, track});
    // A job that was given up while this ran, and of which nothing else is left.
    if (!job.active && job.segments_taken == 1) EndPath(job);
  }
  lanes_[assignment.accelerator.index()][lane] = {.occupant = {}, .free_since = now};
}

void TraceWriter::JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) {
  CHECK(state_ != nullptr);
  --requests_;
  if (window_.Shows(job.arrival, now)) WriteRequest(job, outcome, reason, now);
  if (job.segments_taken == 0 || !Runs(job)) EndPath(job);
}

void TraceWriter::WriteRequest(const Job& job, Outcome outcome, Reason reason, Instant now) {
  const std::string common = fmt::format(R"("cat":"request","id":{},"pid":{},"tid":{},"name":{})",
                                         job.request, kTenants, job.tenant.index() + 1,
                                         JsonOf(state_->tenants[job.tenant.index()].name + "/" +
                                                state_->networks[job.network.index()].name()));
  Write(fmt::format(R"({{"ph":"b",{},"ts":{},)"
                    R"("args":{{"request":{},"deadline_us":{},"outcome":"{}","reason":"{}"}}}})",
                    common, Microseconds(job.arrival), job.request,
                    Microseconds(Nanoseconds(job.deadline - job.arrival)), ToString(outcome),
                    ToString(reason)));
  Write(fmt::format(R"({{"ph":"e",{},"ts":{}}})", common, Microseconds(now)));
}

void TraceWriter::Advanced(Instant now) {
  if (state_ == nullptr) return;
  if (now > since_ && counting_) WriteCounts(since_);
  counting_ = true;
  since_ = now;
}

// Before the input takes effect.
void TraceWriter::Applied(const Input& input) {
  if (state_ == nullptr) return;
  const auto name_of = [this](AcceleratorId id) -> const std::string& {
    return state_->platform->accelerators[id.index()].name;
  };
  if (std::holds_alternative<Arrival>(input)) {
    ++requests_;
  } else if (const auto* loss = std::get_if<AcceleratorLoss>(&input)) {
    WriteMark(name_of(loss->accelerator) + " leaves");
  } else if (const auto* back = std::get_if<AcceleratorReturn>(&input)) {
    WriteMark(name_of(back->accelerator) + " returns");
  } else if (const auto* change = std::get_if<PolicyChange>(&input)) {
    WriteMark(change->policy + " takes over");
  }
}

TraceWriter::Counts TraceWriter::Count() const {
  Counts counts{.requests = requests_};
  for (const AcceleratorState& accelerator : state_->accelerators) {
    for (AssignmentId id : accelerator.running) {
      const Assignment& assignment = state_->assignments[id.slot];
      ++counts.running;
      const SegmentCost* const cost = state_->beliefs->Find(
          assignment.network, assignment.segment, accelerator.kind, assignment.configuration());
      if (cost != nullptr && cost->latency > Duration::zero())
        counts.demand += static_cast<double>(cost->dram_bytes) / Seconds(cost->latency);
    }
  }
  return counts;
}

void TraceWriter::WriteCounts(Instant at) {
  if (!window_.Shows(at, at)) return;
  const Counts counts = Count();
  if (shown_ == counts) return;
  const auto write = [&](std::string_view name, std::string_view what, const std::string& value) {
    Write(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":"{}","args":{{"{}":{}}}}})",
                      kAccelerators, Microseconds(at), name, what, value));
  };
  if (!shown_.has_value() || shown_->requests != counts.requests)
    write("requests here", "requests", std::to_string(counts.requests));
  if (!shown_.has_value() || shown_->running != counts.running)
    write("segments running", "segments", std::to_string(counts.running));
  if (state_->platform->bandwidth > 0 && (!shown_.has_value() || shown_->demand != counts.demand))
    write("memory asked for", "GB/s", fmt::format("{:.3f}", counts.demand * 1e-9));
  shown_ = counts;
}

void TraceWriter::WriteMark(std::string_view what) {
  if (!window_.Shows(since_, since_)) return;
  if (!std::exchange(changed_, true)) NameProcess(kChanges, "changes");
  Write(fmt::format(R"({{"ph":"i","s":"g","cat":"change","pid":{},"tid":1,"ts":{},"name":{}}})",
                    kChanges, Microseconds(since_), JsonOf(std::string(what))));
}

void TraceWriter::GuardActed(const GuardAct& act, Instant now) {
  CHECK(state_ != nullptr);
  if (!window_.Shows(now, now)) return;
  if (!std::exchange(guarded_, true)) NameProcess(kGuard, "guard");
  Write(fmt::format(R"({{"ph":"i","s":"g","cat":"guard","pid":{},"tid":1,"ts":{},"name":{}}})",
                    kGuard, Microseconds(now), JsonOf(Describe(act))));
}

// Whether any segment of a job still runs; others may be enqueued and never start.
bool TraceWriter::Runs(const Job& job) const {
  for (const AcceleratorState& accelerator : state_->accelerators) {
    for (AssignmentId id : accelerator.running) {
      const auto is_job = [&](JobId other) {
        return state_->jobs[other.index()].serial == job.serial;
      };
      if (std::ranges::any_of(state_->assignments[id.slot].jobs, is_job)) return true;
    }
  }
  return false;
}

// ---- Lanes ---------------------------------------------------------------------------------

// Segments only start between two ends on an accelerator, so giving lanes to all that have started
// at each end keeps those that run together apart, with no more lanes than segments.
std::size_t TraceWriter::LaneOf(const Assignment& assignment) {
  for (AssignmentId id : state_->accelerators[assignment.accelerator.index()].running)
    Occupy(state_->assignments[id.slot]);
  return Occupy(assignment);
}

std::size_t TraceWriter::Occupy(const Assignment& assignment) {
  std::vector<Lane>& lanes = lanes_[assignment.accelerator.index()];
  auto lane = std::ranges::find(lanes, assignment.id, &Lane::occupant);
  if (lane == lanes.end()) {
    lane = std::ranges::find_if(lanes, [&](const Lane& one) {
      return one.occupant == AssignmentId{} && one.free_since <= assignment.start;
    });
  }
  if (lane == lanes.end()) {
    NameLane(assignment.accelerator, lanes.size());
    lanes.emplace_back();
    lane = lanes.end() - 1;
  }
  lane->occupant = assignment.id;
  return static_cast<std::size_t>(lane - lanes.begin());
}

std::uint64_t TraceWriter::TrackOf(AcceleratorId accelerator, std::size_t lane) const {
  return lane * lanes_.size() + accelerator.index() + 1;
}

// ---- Events --------------------------------------------------------------------------------

void TraceWriter::NameProcess(int process, std::string_view name) {
  Write(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{}"}}}})",
                    process, name));
}

void TraceWriter::NameLane(AcceleratorId accelerator, std::size_t lane) {
  std::string name = state_->platform->accelerators[accelerator.index()].name;
  if (lane > 0) name += fmt::format(" ({})", lane + 1);
  const std::uint64_t track = TrackOf(accelerator, lane);
  Write(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
                    kAccelerators, track, JsonOf(name)));
  Write(fmt::format(
      R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
      kAccelerators, track, accelerator.index() * 1000 + lane));
}

const std::string& TraceWriter::TenantName(TenantId tenant) {
  while (tenants_.size() <= tenant.index())
    tenants_.push_back(JsonOf(state_->tenants[tenants_.size()].name));
  return tenants_[tenant.index()];
}

void TraceWriter::WriteSlice(const Assignment& assignment, std::uint64_t track, Instant now) {
  const Job& job = state_->jobs[assignment.jobs.front().index()];
  std::string batch;
  if (assignment.batch() > 1) {
    for (JobId id : assignment.jobs)
      batch += fmt::format("{}{}", batch.empty() ? "" : ",", state_->jobs[id.index()].request);
    batch = fmt::format(R"(,"batch":[{}])", batch);
  }
  Write(fmt::format(R"({{"ph":"X","cat":"segment","pid":{},"tid":{},"ts":{},"dur":{},"name":{},)"
                    R"("args":{{"request":{},"tenant":{},"segment":{},"units":{}{}}}}})",
                    kAccelerators, track, Microseconds(assignment.start),
                    Microseconds(Nanoseconds(now - assignment.start)),
                    segments_[assignment.network.index()][assignment.segment.index()], job.request,
                    TenantName(job.tenant), assignment.segment.index(), assignment.units, batch));
}

// What came before its work, as believed: a slice inside the segment's.
void TraceWriter::WriteHandOver(const Assignment& assignment, std::uint64_t track, Instant now) {
  const HandOver& found = assignment.hand_over;
  const KindId kind = state_->accelerators[assignment.accelerator.index()].kind;
  const Duration time = state_->beliefs->hand_overs().HandOver(kind) + found.cost();
  if (time == Duration::zero()) return;
  Write(fmt::format(R"({{"ph":"X","cat":"hand_over","pid":{},"tid":{},"ts":{},"dur":{},)"
                    R"("name":"{}","args":{{"moved_bytes":{},"move_us":{},"take_over_us":{}}}}})",
                    kAccelerators, track, Microseconds(assignment.start),
                    Microseconds(Nanoseconds(std::min(time, now - assignment.start))),
                    found.moves > 0    ? "move"
                    : found.takes_over ? "take over"
                                       : "hand over",
                    found.moved_bytes, Microseconds(Nanoseconds(found.move)),
                    Microseconds(Nanoseconds(found.take_over))));
}

void TraceWriter::EndPath(const Job& job) {
  auto node = paths_.extract(job.serial);
  if (!node.empty()) WriteFlow(std::move(node.mapped()));
}

// A flow event belongs to the slice that begins with it on its track.
void TraceWriter::WriteFlow(Path path) {
  if (path.slices.size() < 2) return;
  std::ranges::stable_sort(path.slices, {}, &Slice::start);
  for (std::size_t i = 0; i < path.slices.size(); ++i) {
    const bool last = i + 1 == path.slices.size();
    Write(fmt::format(
        R"({{"ph":"{}","cat":"flow","name":"request","id":{},"pid":{},"tid":{},"ts":{}{}}})",
        i == 0 ? "s" : (last ? "f" : "t"), path.request, kAccelerators, path.slices[i].track,
        Microseconds(path.slices[i].start), last ? R"(,"bp":"e")" : ""));
  }
}

void TraceWriter::Write(std::string_view event) {
  buffer_ += separator_;
  buffer_ += event;
  separator_ = ",\n";
  if (buffer_.size() >= kBufferSize) Flush();
}

void TraceWriter::Flush() {
  out_ << buffer_;
  const bool was_large = written_ >= kLarge;
  written_ += buffer_.size();
  if (!was_large && written_ >= kLarge && large_) large_();
  buffer_.clear();
}

}  // namespace fairlead
