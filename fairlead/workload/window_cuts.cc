#include "fairlead/workload/window_cuts.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace fairlead {
namespace {

struct Waiting {
  Instant deadline{};
  double work = 0;
  friend bool operator>(const Waiting& a, const Waiting& b) { return a.deadline > b.deadline; }
};

// What has arrived, the earliest deadline first.
class EarliestFirst {
 public:
  void Add(Instant deadline, double work) { waiting_.push({deadline, work}); }

  void DropUntil(Instant now) {
    while (!waiting_.empty() && waiting_.top().deadline <= now) waiting_.pop();
  }

  // What of so much work there is to do.
  double Do(double work) {
    double left = work;
    while (left > 0 && !waiting_.empty()) {
      Waiting first = waiting_.top();
      waiting_.pop();
      const double part = std::min(left, first.work);
      left -= part;
      first.work -= part;
      if (first.work > 0) waiting_.push(first);
    }
    return work - std::max(left, 0.0);
  }

 private:
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
};

}  // namespace

MostWork::MostWork(std::vector<RequestWindow> windows, std::span<const PresenceStretch> stretches)
    : by_arrival_(std::move(windows)), by_deadline_(by_arrival_) {
  std::ranges::sort(by_arrival_, {}, &RequestWindow::arrival);
  std::ranges::sort(by_deadline_, {}, &RequestWindow::deadline);
  for (const PresenceStretch& stretch : stretches) stretches_.push_back(stretch.from);
}

double MostWork::Of(std::span<const ClassWork> classes, std::span<const double> capacity) const {
  constexpr double kRounding = 1e-9;  // of the sum of rates
  const double largest = *std::ranges::max_element(capacity);
  const auto rate_of = [&](const RequestWindow& window) {
    return std::min(classes[window.requests].most_rate, largest);
  };
  EarliestFirst waiting;
  double alive_rate = 0;
  double done = 0;
  std::size_t arrived = 0;
  std::size_t ended = 0;
  std::size_t stretch = 0;
  Instant now = by_arrival_.empty() ? kNever : by_arrival_.front().arrival;
  while (ended < by_deadline_.size()) {
    for (; arrived < size() && by_arrival_[arrived].arrival <= now; ++arrived) {
      const RequestWindow& window = by_arrival_[arrived];
      if (!classes[window.requests].counts) continue;
      waiting.Add(window.deadline, classes[window.requests].work);
      alive_rate += rate_of(window);
    }
    for (; ended < size() && by_deadline_[ended].deadline <= now; ++ended) {
      if (classes[by_deadline_[ended].requests].counts) alive_rate -= rate_of(by_deadline_[ended]);
    }
    while (stretch + 1 < stretches_.size() && stretches_[stretch + 1] <= now) ++stretch;
    if (ended == size()) break;
    waiting.DropUntil(now);
    Instant next = by_deadline_[ended].deadline;
    if (arrived < size()) next = std::min(next, by_arrival_[arrived].arrival);
    if (stretch + 1 < stretches_.size()) next = std::min(next, stretches_[stretch + 1]);
    const double speed = std::min(capacity[stretch], alive_rate + kRounding * largest);
    done += waiting.Do(speed * Seconds(next - now));
    now = next;
  }
  return done;
}

namespace {

constexpr double kWorthACut = 1e-5;               // by how much of a row a solution must break it
constexpr std::size_t kMostWindows = 20'000'000;  // looked at, in all
constexpr std::size_t kFewestLooks = 8;
constexpr std::size_t kMostPrefixes = 12;
constexpr std::size_t kMostPieces = 8;  // of a request
constexpr std::size_t kMostPieceWindows = 200'000;

// The runs of a longest path, when all is at its fastest.
std::vector<bool> OnLongestPath(const FluidShape& shape) {
  std::vector<bool> on(shape.runs.size());
  const auto longest = [&](std::size_t a, std::size_t b) {
    return shape.runs[a].through < shape.runs[b].through;
  };
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < shape.runs.size(); ++i) {
    if (shape.runs[i].last) candidates.push_back(i);
  }
  while (!candidates.empty()) {
    const std::size_t run = *std::ranges::max_element(candidates, longest);
    on[run] = true;
    candidates = shape.runs[run].after;
  }
  return on;
}

// The least price of a placement when a second on the longest path costs so much more, and how
// long that path then is.
struct Placement {
  double price = 0;
  double seconds = 0;
};

Placement Cheapest(const FluidClass& requests, const std::vector<bool>& on_path,
                   const ResourcePrices& prices, double of_latency) {
  Placement placement;
  for (std::size_t i = 0; i < on_path.size(); ++i) {
    const FluidRun& run = requests.shape->runs[i];
    const FluidTime slack = SlackIn(run, requests.bucket.deadline);
    for (const FluidStep& step : run.steps) {
      const FluidTime fastest = step.Fastest();
      double least = std::numeric_limits<double>::infinity();
      double seconds = 0;
      for (const PlacementOption& option : step.options) {
        const FluidTime latency = option.latency;
        if (latency > fastest && latency - fastest > slack) continue;
        const double extra = on_path[i] ? of_latency * InSeconds(latency) : 0;
        const double price = prices.Of(option) + extra;
        if (price > least || (price == least && InSeconds(latency) >= seconds)) continue;
        least = price;
        seconds = InSeconds(latency);
      }
      placement.price += least * step.segments;
      if (on_path[i]) placement.seconds += seconds * step.segments;
    }
  }
  return placement;
}

double MostRate(const FluidClass& requests, const ResourcePrices& prices) {
  double most = 0;
  for (const FluidRun& run : requests.shape->runs) {
    for (const FluidStep& step : run.steps) {
      for (const PlacementOption& option : step.options) {
        const double price = prices.Of(option);
        if (price == 0) continue;
        if (option.latency == Duration::zero()) return std::numeric_limits<double>::infinity();
        most = std::max(most, price / Seconds(option.latency));
      }
    }
  }
  // One segment of a run at a time.
  return most * static_cast<double>(requests.shape->runs.size());
}

// Along the longest path, of about equal lengths.
std::vector<RequestPiece> PiecesOf(const FluidClass& requests, std::size_t of_class,
                                   std::size_t most) {
  std::vector<RequestPiece> pieces(most);
  const FluidShape& shape = *requests.shape;
  for (std::size_t s = 0; s < shape.segments.size(); ++s) {
    const TimedSegment& segment = shape.segments[s];
    const double middle =
        (segment.head + FluidTime(segment.fastest) / 2) / std::max(shape.fastest, FluidTime(1));
    const auto at =
        std::min(most - 1, static_cast<std::size_t>(middle * static_cast<double>(most)));
    RequestPiece& piece = pieces[at];
    const auto head = std::chrono::floor<Duration>(segment.head);
    const auto tail = std::chrono::floor<Duration>(segment.tail);
    piece.head = piece.segments.empty() ? head : std::min(piece.head, head);
    piece.tail = piece.segments.empty() ? tail : std::min(piece.tail, tail);
    piece.segments.push_back(s);
    piece.of_class = of_class;
  }
  std::erase_if(pieces, [](const RequestPiece& piece) { return piece.segments.empty(); });
  return pieces;
}

std::vector<RequestPiece> PiecesOfAll(const FluidLoads& loads, std::size_t requests) {
  const std::size_t most = std::clamp<std::size_t>(
      kMostPieceWindows / std::max<std::size_t>(requests, 1), 1, kMostPieces);
  std::vector<RequestPiece> pieces;
  for (std::size_t c = 0; c < loads.classes().size(); ++c) {
    for (RequestPiece& piece : PiecesOf(loads.classes()[c], c, most))
      pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::vector<RequestWindow> WindowsOf(std::span<const RequestPiece> pieces,
                                     std::span<const RequestWindow> requests) {
  std::vector<std::vector<std::size_t>> of_class;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    of_class.resize(std::max(of_class.size(), pieces[p].of_class + 1));
    of_class[pieces[p].of_class].push_back(p);
  }
  std::vector<RequestWindow> windows;
  for (const RequestWindow& request : requests) {
    for (std::size_t p : of_class[request.requests]) {
      windows.push_back({request.arrival + pieces[p].head, request.deadline - pieces[p].tail, p});
    }
  }
  return windows;
}

// The least that a segment takes of a request that keeps its deadline.
double LeastWork(const TimedSegment& segment, Duration deadline, const ResourcePrices& prices) {
  const FluidTime fastest = segment.fastest;
  const FluidTime slack = FluidTime(deadline) * (1 + 1e-9) - segment.head - fastest - segment.tail;
  double least = std::numeric_limits<double>::infinity();
  for (const PlacementOption& option : segment.options) {
    const FluidTime latency = option.latency;
    if (latency <= fastest || latency - fastest <= slack)
      least = std::min(least, prices.Of(option));
  }
  return least;
}

}  // namespace

// The deadline of the longest path, with a multiplier: whatever the multiplier, no placement that
// keeps the deadline is cheaper; the largest such bound is where the path just fits.
double LeastWork(const FluidClass& requests, const ResourcePrices& prices) {
  constexpr int kHalvings = 50;
  const std::vector<bool> on_path = OnLongestPath(*requests.shape);
  const double deadline = Seconds(requests.bucket.deadline) * (1 + 1e-9);
  const Placement free = Cheapest(requests, on_path, prices, 0);
  if (free.seconds <= deadline || deadline == 0) return free.price;
  double best = free.price;
  double low = 0;
  double high = free.price / deadline;
  const auto evaluate = [&](double multiplier) {
    const Placement placement = Cheapest(requests, on_path, prices, multiplier);
    best = std::max(best, placement.price - multiplier * deadline);
    return placement.seconds <= deadline;
  };
  for (int i = 0; i < kHalvings && !evaluate(high); ++i) high *= 2;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (evaluate(middle) ? high : low) = middle;
  }
  return best;
}

WindowCuts::WindowCuts(const FluidLoads& loads, const Presence& presence,
                       const std::vector<RequestWindow>& windows)
    : loads_(loads),
      presence_(presence),
      pieces_(PiecesOfAll(loads, windows.size())),
      of_wholes_(windows, presence.stretches()),
      of_pieces_(WindowsOf(pieces_, windows), presence.stretches()),
      windows_left_(std::max(kFewestLooks * of_pieces_.size(), kMostWindows)) {}

double WindowCuts::Taken::Of(std::size_t of_class) const {
  double work = 0;
  for (std::size_t part : parts[of_class]) work += works[part].work;
  return work;
}

WindowCuts::Taken WindowCuts::Whole(const ResourcePrices& prices) const {
  Taken taken{.most_work = of_wholes_, .parts = {}, .works = {}};
  for (const FluidClass& requests : loads_.classes()) {
    taken.parts.push_back({taken.works.size()});
    taken.works.push_back({LeastWork(requests, prices), MostRate(requests, prices), false});
  }
  return taken;
}

WindowCuts::Taken WindowCuts::InPieces(const ResourcePrices& prices) const {
  Taken taken{.most_work = of_pieces_, .parts = {}, .works = {}};
  taken.parts.resize(loads_.classes().size());
  for (const RequestPiece& piece : pieces_) {
    const FluidClass& requests = loads_.classes()[piece.of_class];
    double work = 0;
    for (std::size_t s : piece.segments)
      work += LeastWork(requests.shape->segments[s], requests.bucket.deadline, prices);
    taken.parts[piece.of_class].push_back(taken.works.size());
    taken.works.push_back({work, std::numeric_limits<double>::infinity(), false});
  }
  return taken;
}

ResourcePrices WindowCuts::OwnPrices(const FluidProgram& program) const {
  ResourcePrices prices = program.Prices();
  for (const Cut& cut : cuts_) {
    const double price = program.linear().Price(cut.row) / cut.total;
    for (std::size_t kind = 0; kind < prices.of_second.size(); ++kind)
      prices.of_second[kind] += price * cut.prices.of_second[kind];
    prices.of_byte += price * cut.prices.of_byte;
  }
  return prices;
}

bool WindowCuts::Add(FluidProgram& program, std::span<const int> amounts) {
  std::vector<ResourcePrices> all = tried_;
  all.push_back(OwnPrices(program));
  bool added = false;
  for (const ResourcePrices& prices : all) {
    added = AddAt(prices, Whole(prices), program.linear(), amounts) || added;
    added = AddAt(prices, InPieces(prices), program.linear(), amounts) || added;
  }
  return added;
}

std::vector<double> WindowCuts::CapacityAt(const ResourcePrices& prices) const {
  std::vector<double> capacity;
  for (const PresenceStretch& stretch : presence_.stretches()) {
    double worth = prices.of_byte * loads_.options().bandwidth();
    for (std::size_t kind = 0; kind < stretch.count.size(); ++kind)
      worth += stretch.count[kind] * prices.of_second[kind];
    capacity.push_back(worth);
  }
  return capacity;
}

bool WindowCuts::AddAt(const ResourcePrices& prices, Taken taken, LinearProgram& linear,
                       std::span<const int> amounts) {
  const std::span<const FluidClass> all = loads_.classes();
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const double of_a = linear.Value(amounts[a]);
    const double of_b = linear.Value(amounts[b]);
    return of_a != of_b ? of_a > of_b : taken.Of(a) < taken.Of(b);
  });
  const std::vector<double> capacity = CapacityAt(prices);
  const std::size_t stride = (order.size() + kMostPrefixes - 1) / kMostPrefixes;
  std::vector<LinearProgram::Term> terms;
  double served = 0;
  double most = 0;
  bool added = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t c = order[i];
    for (std::size_t part : taken.parts[c]) taken.works[part].counts = taken.works[part].work > 0;
    const double work = taken.Of(c) * all[c].bucket.weight;
    served += work * linear.Value(amounts[c]);
    if (work > 0) terms.push_back({amounts[c], work});
    if ((order.size() - 1 - i) % stride != 0 || served <= most) continue;
    if (windows_left_ < taken.most_work.size()) break;
    windows_left_ -= taken.most_work.size();
    most = taken.most_work.Of(taken.works, capacity);
    if (served <= most * (1 + kWorthACut) || most <= 0) continue;
    std::vector<LinearProgram::Term> row = terms;
    for (LinearProgram::Term& term : row) term.coefficient /= most;
    cuts_.push_back({linear.AddConstraint(0, 1, row), prices, most});
    added = true;
  }
  return added;
}

}  // namespace fairlead
