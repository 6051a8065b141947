#include "fairlead/running/resampled_requests.h"

#include <algorithm>
#include <span>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr int kUsualBlocks = 100;
constexpr int kFewestBlocks = 20;
constexpr int kDeadlinesInABlock = 10;

// What arrived from `from` on, for so long, moved to `to`.
void CopyBlock(const std::vector<Request>& recorded, Instant from, Duration length, Instant to,
               std::vector<Request>& out) {
  for (auto request = std::ranges::lower_bound(recorded, from, {}, &Request::arrival);
       request != recorded.end() && request->arrival < from + length; ++request) {
    out.push_back(*request);
    out.back().arrival = to + (request->arrival - from);
  }
}

std::vector<Request> InBlocks(const World& world, std::uint64_t seed) {
  const Resampling& how = *world.resampling;
  RandomStream random(seed, "resampled");
  std::vector<Request> requests;
  for (Duration at{}; at < how.length; at += how.block) {
    const Duration block = std::min(how.block, how.length - at);
    const Duration from{
        static_cast<std::int64_t>(random.Uniform() * static_cast<double>(how.length.count()))};
    const Duration before_the_end = std::min(block, how.length - from);
    CopyBlock(world.requests, Instant{} + from, before_the_end, Instant{} + at, requests);
    CopyBlock(world.requests, Instant{}, block - before_the_end, Instant{} + at + before_the_end,
              requests);
  }
  return requests;
}

// The same requests go first at every share that is kept.
void Thin(std::span<const double> kept, std::uint64_t seed, std::vector<Request>& requests) {
  if (std::ranges::all_of(kept, [](double share) { return share >= 1; })) return;
  RandomStream random(seed, "thinned");
  std::erase_if(requests, [&](const Request& request) {
    return random.Uniform() >= kept[request.agreement.index()];
  });
}

}  // namespace

Result<Resampling> ResamplingOf(const World& world, std::uint64_t as_recorded) {
  CHECK(world.listed());
  if (world.requests.empty())
    return FailAt(world.scenario.requests_place, "there are no requests to judge by");
  Duration longest{};
  for (const Request& request : world.requests) longest = std::max(longest, request.deadline);
  const Duration length = world.requests.back().arrival - Instant{} + Duration{1};
  const Duration needed = longest * kDeadlinesInABlock * kFewestBlocks;
  if (length < needed)
    return FailAt(world.scenario.requests_place,
                  "{} of requests with deadlines of up to {} are too few to say something about "
                  "other traffic: give at least {}",
                  FormatDuration(length), FormatDuration(longest), FormatDuration(needed));
  return Resampling{.length = length,
                    .block = std::max(length / kUsualBlocks, longest * kDeadlinesInABlock),
                    .as_recorded = as_recorded,
                    .kept = std::vector<double>(world.agreements.size(), 1)};
}

std::vector<Request> ResampledRequests(const World& world, std::uint64_t seed,
                                       RequestSource& described) {
  const Resampling& how = *world.resampling;
  std::vector<Request> requests = seed == how.as_recorded ? world.requests : InBlocks(world, seed);
  Thin(how.kept, seed, requests);
  while (const auto request = described.Next()) requests.push_back(*request);
  std::ranges::stable_sort(requests, {}, &Request::arrival);
  RequestNumber number = 0;
  for (Request& request : requests) request.number = number++;
  return requests;
}

}  // namespace fairlead
