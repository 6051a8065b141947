#include "fairlead/workload/request_source.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

GeneratedRequests::GeneratedRequests(const GeneratedRequestsOptions& options)
    : levels_(options.levels) {
  CHECK(!levels_.factors.empty() && levels_.factors.size() == levels_.weights.size());
  streams_.reserve(options.streams.size());
  heap_.reserve(options.streams.size());
  for (const RequestStreamOptions& stream : options.streams) {
    const auto random = [&](std::string_view use) {
      return RandomStream(options.seed, StreamName(use, stream.tenant, stream.network));
    };
    streams_.push_back({.agreement = stream.agreement,
                        .deadline = stream.deadline,
                        .levelled = stream.levelled,
                        .priority = stream.priority,
                        .end = std::min(stream.stop, options.horizon),
                        .arrivals = MakeArrivals(stream.arrivals, random("arrivals")),
                        .levels = random("levels")});
    Advance(static_cast<std::uint32_t>(streams_.size() - 1), stream.start);
  }
}

void GeneratedRequests::Advance(std::uint32_t stream, Instant last) {
  const Stream& source = streams_[stream];
  if (last >= source.end) return;
  const Duration gap = source.arrivals->NextGap();
  if (gap >= source.end - last) return;
  heap_.push_back({last + gap, stream});
  std::ranges::push_heap(heap_, std::greater<>());
}

std::optional<Request> GeneratedRequests::Next() {
  if (heap_.empty()) return std::nullopt;
  std::ranges::pop_heap(heap_, std::greater<>());
  const Arrival arrival = heap_.back();
  heap_.pop_back();
  Stream& stream = streams_[arrival.stream];
  const double level =
      stream.levelled ? levels_.factors[stream.levels.Weighted(levels_.weights)] : 1;
  const double deadline = std::min(static_cast<double>(stream.deadline.count()) * level, 4e18);
  const Request request{.number = next_number_++,
                        .agreement = stream.agreement,
                        .arrival = arrival.at,
                        .deadline = Duration{std::llround(deadline)},
                        .priority = stream.priority};
  Advance(arrival.stream, arrival.at);
  return request;
}

ListedRequests::ListedRequests(std::vector<Request> requests) : requests_(std::move(requests)) {
  CHECK(std::ranges::is_sorted(requests_, {}, &Request::arrival));
}

std::optional<Request> ListedRequests::Next() {
  if (next_ == requests_.size()) return std::nullopt;
  return requests_[next_++];
}

}  // namespace fairlead
