#include "fairlead/recording/books_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "fairlead/recording/json_fields.h"

namespace fairlead {

template <>
struct ObjectFields<KeptAgreement> {
  static void Walk(auto& walker, auto& kept) {
    walker.Text("tenant", kept.tenant);
    walker.Text("network", kept.network);
    walker.Inside("history", kept.history);
  }
};

std::vector<KeptAgreement> BooksOf(const SystemState& state) {
  std::vector<KeptAgreement> books;
  for (std::size_t a = 0; a < state.ledger.size(); ++a) {
    const AgreementId id{a};
    if (!state.ledger.IsOpen(id)) continue;
    const ServiceAgreement& promise = state.ledger.Promise(id);
    books.push_back({.tenant = state.tenants[promise.tenant.index()].name,
                     .network = state.networks[promise.network.index()].name(),
                     .history = state.ledger.History(id)});
  }
  std::ranges::sort(books, {},
                    [](const KeptAgreement& kept) { return std::tie(kept.tenant, kept.network); });
  return books;
}

std::string FormatBooks(std::span<const KeptAgreement> books) {
  std::vector<std::string> lines;
  lines.reserve(books.size());
  for (const KeptAgreement& kept : books) lines.push_back(Dump(JsonOf(kept)));
  return fmt::format("{{\"fairlead\": {}, \"agreements\": [\n{}\n]}}\n",
                     Dump(OrderedJson(FAIRLEAD_VERSION)), fmt::join(lines, ",\n"));
}

Result<std::vector<KeptAgreement>> ParseBooks(std::string_view file, const std::string& text) {
  const auto json = ParseJson(text);
  if (!json.has_value()) return Fail("{}: {}", file, json.error().message);
  JsonFields fields(*json, "");
  std::string version;
  fields.Text("fairlead", version);
  const nlohmann::json* const list = fields.List("agreements", INT64_MAX);
  if (Status status = fields.Done(); !status.has_value())
    return Fail("{}: {}", file, status.error().message);

  std::vector<KeptAgreement> books(list->size());
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (std::size_t a = 0; a < books.size(); ++a) {
    Status status = ReadObject((*list)[a], fmt::format("agreements[{}]", a), books[a]);
    if (!status.has_value()) return Fail("{}: {}", file, status.error().message);
    const std::string wrong = WhatIsWrong(books[a].history);
    if (!wrong.empty()) return Fail("{}: agreements[{}].history: {}", file, a, wrong);
    if (!names.emplace(books[a].tenant, books[a].network).second)
      return Fail("{}: agreements[{}]: '{}' with network '{}' stands there twice", file, a,
                  books[a].tenant, books[a].network);
  }
  return books;
}

}  // namespace fairlead
