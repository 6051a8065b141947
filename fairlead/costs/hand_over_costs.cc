#include "fairlead/costs/hand_over_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <tuple>

#include "fairlead/base/csv.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr std::string_view kHandOver = "hand_over";
constexpr std::string_view kTakeOver = "take_over";
constexpr std::string_view kMove = "move";

class HandOverParser {
 public:
  HandOverParser(const CsvTable& table, std::span<const std::string> kinds)
      : table_(table), kinds_(kinds.begin(), kinds.end()), costs_(kinds.size()) {}

  Result<HandOverCosts> Parse() {
    for (std::size_t row = 0; row < table_.rows(); ++row) RETURN_IF_ERROR(AddRow(row));
    return std::move(costs_);
  }

 private:
  Result<KindId> Kind(std::size_t row, std::string_view column) const {
    ASSIGN_OR_RETURN(const std::string_view name, table_.Name(row, column));
    const auto found = std::ranges::find(kinds_, name);
    if (found == kinds_.end())
      return FailAt(table_.PlaceOf(row, column), "the profile has no accelerator '{}'{}", name,
                    Suggest(name, kinds_));
    return KindId{static_cast<std::size_t>(found - kinds_.begin())};
  }

  Status AddRow(std::size_t row) {
    ASSIGN_OR_RETURN(const std::string_view what, table_.Word(row, "what"));
    ASSIGN_OR_RETURN(const KindId to, Kind(row, "to"));
    ASSIGN_OR_RETURN(const std::int64_t fixed,
                     table_.Integer(row, "fixed_ns", 0, HandOverCosts::kLongestPart.count()));
    const bool move = what == kMove;
    KindId from;
    if (move) {
      ASSIGN_OR_RETURN(from, Kind(row, "from"));
    }
    if (!seen_.emplace(what, from, to).second)
      return FailAt(table_.PlaceOf(row, "what"), "{} stands twice", what);
    if (move) {
      MoveCost cost{.fixed = Duration{fixed}};
      if (!table_.Text(row, "bytes_per_s").empty()) {
        ASSIGN_OR_RETURN(cost.bandwidth,
                         table_.Integer(row, "bytes_per_s", 1, HandOverCosts::kMostBandwidth));
      }
      costs_.SetMove(from, to, cost);
      return {};
    }
    for (std::string_view column : {"from", "bytes_per_s"}) {
      if (!table_.Text(row, column).empty())
        return FailAt(table_.PlaceOf(row, column), "{} belongs to a move", column);
    }
    if (what == kHandOver) {
      costs_.SetHandOver(to, Duration{fixed});
    } else if (what == kTakeOver) {
      costs_.SetTakeOver(to, Duration{fixed});
    } else {
      constexpr std::array kWords = {kHandOver, kTakeOver, kMove};
      return FailAt(table_.PlaceOf(row, "what"), "unknown cost '{}'{}", what,
                    Suggest(what, kWords));
    }
    return {};
  }

  const CsvTable& table_;
  std::vector<std::string_view> kinds_;
  HandOverCosts costs_;
  std::set<std::tuple<std::string, KindId, KindId>> seen_;
};

}  // namespace

Duration MoveCost::For(std::int64_t bytes) const {
  if (bandwidth == 0 || bytes == 0) return fixed;
  __extension__ using Wide = unsigned __int128;
  const Wide scaled = static_cast<Wide>(bytes) * 1'000'000'000;
  const Wide per_second = static_cast<Wide>(bandwidth);
  const Wide time = (scaled + per_second - 1) / per_second;
  const auto longest = static_cast<Wide>(kLongest.count());
  return std::min(fixed + Duration{static_cast<std::int64_t>(std::min(time, longest))}, kLongest);
}

bool HandOverCosts::None() const {
  const auto free = [](Duration cost) { return cost == Duration::zero(); };
  return !depend_on_places_ && std::ranges::all_of(hand_over_, free);
}

bool HandOverCosts::CountBytes() const {
  return std::ranges::any_of(moves_, [](const MoveCost& move) { return move.bandwidth > 0; });
}

void HandOverCosts::SetTakeOver(KindId kind, Duration cost) {
  take_over_[kind.index()] = cost;
  depend_on_places_ = depend_on_places_ || cost > Duration::zero();
}

void HandOverCosts::SetMove(KindId from, KindId to, const MoveCost& cost) {
  moves_[from.index() * kinds() + to.index()] = cost;
  depend_on_places_ = depend_on_places_ || cost != MoveCost{};
}

HandOverCosts HandOverCosts::Renumbered(std::span<const KindId> kinds) const {
  HandOverCosts costs(kinds.size());
  for (std::size_t to = 0; to < kinds.size(); ++to) {
    if (!kinds[to].valid()) continue;
    costs.SetHandOver(KindId{to}, HandOver(kinds[to]));
    costs.SetTakeOver(KindId{to}, TakeOver(kinds[to]));
    for (std::size_t from = 0; from < kinds.size(); ++from) {
      if (kinds[from].valid())
        costs.SetMove(KindId{from}, KindId{to}, Move(kinds[from], kinds[to]));
    }
  }
  return costs;
}

Result<HandOverCosts> ParseHandOvers(std::string_view file, std::string_view text,
                                     std::span<const std::string> kinds) {
  ASSIGN_OR_RETURN(const CsvTable table, CsvTable::Parse(file, text, {"what", "to", "fixed_ns"},
                                                         {"from", "bytes_per_s"}));
  return HandOverParser(table, kinds).Parse();
}

std::string FormatHandOvers(const HandOverCosts& costs, std::span<const std::string> kinds) {
  std::string text = "what,from,to,fixed_ns,bytes_per_s\n";
  const auto add = [&](std::string_view what, Duration cost, std::size_t to) {
    if (cost > Duration::zero())
      text += fmt::format("{},,{},{},\n", what, CsvField(kinds[to]), cost.count());
  };
  for (std::size_t k = 0; k < costs.kinds(); ++k) add(kHandOver, costs.HandOver(KindId{k}), k);
  for (std::size_t k = 0; k < costs.kinds(); ++k) add(kTakeOver, costs.TakeOver(KindId{k}), k);
  for (std::size_t from = 0; from < costs.kinds(); ++from) {
    for (std::size_t to = 0; to < costs.kinds(); ++to) {
      const MoveCost& cost = costs.Move(KindId{from}, KindId{to});
      if (cost == MoveCost{}) continue;
      fmt::format_to(std::back_inserter(text), "{},{},{},{},", kMove, CsvField(kinds[from]),
                     CsvField(kinds[to]), cost.fixed.count());
      if (cost.bandwidth > 0) text += std::to_string(cost.bandwidth);
      text += '\n';
    }
  }
  return text;
}

}  // namespace fairlead
