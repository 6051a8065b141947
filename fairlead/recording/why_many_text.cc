#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "fairlead/recording/why_many.h"

namespace fairlead {
namespace {

constexpr std::size_t kShownTenants = 8;

std::string ShareOf(Duration part, Duration whole) {
  if (whole <= Duration::zero()) return "-";
  return fmt::format("{:.1f} %",
                     100 * static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

std::string Times(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}", count, what);
}

std::string Kinds(const WhyMany& many) {
  std::string text;
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + Times(count, what);
  };
  add(many.missed, "finished late");
  add(many.dropped, "dropped (given up after they began)");
  add(many.rejected, "rejected (given up before)");
  return text;
}

}  // namespace

std::string ToText(const WhyMany& many) {
  std::string text;
  const auto out = std::back_inserter(text);
  if (many.selected() == 0)
    return fmt::format("None of {} is among those asked about.\n",
                       Times(many.requests, many.requests == 1 ? "request" : "requests"));
  fmt::format_to(out, "{} of {} requests: {}\n", many.selected(), many.requests, Kinds(many));
  fmt::format_to(out, "\nwhose they are\n");
  for (std::size_t i = 0; i < std::min(many.losers.size(), kShownTenants); ++i) {
    const TenantSum& loser = many.losers[i];
    fmt::format_to(out, "  {:<50}{:>10}\n", loser.tenant + "'s " + loser.network, loser.requests);
  }
  if (many.losers.size() > kShownTenants)
    fmt::format_to(out, "  and {} more\n", many.losers.size() - kShownTenants);

  fmt::format_to(out, "\nwhere their time went{}\n",
                 static_cast<std::int64_t>(many.accounts) < many.selected()
                     ? fmt::format(", {} of them looked at", many.accounts)
                     : "");
  const auto print = [&](std::string_view what, Duration time) {
    if (time != Duration::zero())
      fmt::format_to(out, "  {:<50}{:>10}\n", what, ShareOf(time, many.total));
  };
  print("not admitted yet", many.admission);
  Duration others{};
  for (std::size_t i = 0; i < many.blockers.size(); ++i) {
    const TenantSum& blocker = many.blockers[i];
    if (i < kShownTenants) {
      print(fmt::format("waiting behind {}'s {}", blocker.tenant, blocker.network), blocker.time);
    } else {
      others += blocker.time;
    }
  }
  print("waiting behind others", others);
  print("waiting for the policy to decide", many.deciding);
  print("waiting for an accelerator that was away", many.away);
  print("waiting beside an idle accelerator", many.idle);
  print("running, as believed alone", many.alone);
  print("switching networks", many.switching);
  print("handing over, taking over, moving", many.going_on);
  print(many.slowed < Duration::zero() ? "running faster than believed" : "slowed by co-runners",
        many.slowed);
  print("lost in tries that failed", many.lost);
  if (!many.worst.empty()) fmt::format_to(out, "\nthe worst\n");
  for (const RequestAccount& account : many.worst)
    fmt::format_to(out, "  request {}, {}'s {}. {}\n", account.request, account.tenant,
                   account.network, Verdict(account));
  return text;
}

}  // namespace fairlead
