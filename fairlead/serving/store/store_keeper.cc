#include "fairlead/serving/store/store_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <new>
#include <optional>

namespace fairlead {
namespace {

template <typename Value>
Status StatusOf(const Result<Value>& result) {
  if (!result.has_value()) return tl::unexpected(result.error());
  return {};
}

}  // namespace

StoreKeeper::StoreKeeper(StoreKeeperSetup setup) : setup_(std::move(setup)) {}

StoreKeeper::~StoreKeeper() { static_cast<void>(End()); }

Status TakeUpPending(const std::string& file, Store& store) {
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open()) return {};
  const std::string text(std::istreambuf_iterator<char>(in), {});
  ASSIGN_OR_RETURN(const auto books, ParseBooks(file, text));
  RETURN_IF_ERROR(store.WriteIndicators(books));
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return {};
}

void StoreKeeper::Begin() {
  auto books = setup_.store->Indicators();
  if (Good(StatusOf(books))) {
    for (KeptAgreement& kept : *books)
      books_.emplace(Names(kept.tenant, kept.network), std::move(kept.history));
  }
  Join();
  thread_ = std::thread([this] { KeepOn(); });
}

Status StoreKeeper::End() {
  if (!thread_.joinable()) return {};
  bool in_time = false;
  {
    std::unique_lock lock(mutex_);
    end_ = true;
    ending_.notify_all();
    in_time = ending_.wait_for(lock, setup_.patience, [this] { return ended_; });
  }
  Status status;
  if (!in_time || !good_) {
    const std::string why = fmt::format("the store does not take what is pending within {:.0f} s",
                                        Seconds(setup_.patience));
    if (setup_.pending.empty()) {
      status = Fail("{}; it is lost", why);
    } else if (std::ofstream out(setup_.pending, std::ios::binary | std::ios::trunc);
               !(out << FormatBooks(All())) || !out.flush()) {
      status = Fail("{}, and {} cannot be written; it is lost", why, setup_.pending);
    } else {
      status = Fail("{}; it is in {}, and the next start takes it up", why, setup_.pending);
    }
  }
  // Its calls have limits of their own. One that has none left is not waited for.
  std::unique_lock lock(mutex_);
  if (ending_.wait_for(lock, setup_.patience, [this] { return ended_; })) {
    lock.unlock();
    thread_.join();
    return status;
  }
  lock.unlock();
  if (setup_.tell && !status.has_value()) setup_.tell(status.error().message);
  if (setup_.give_up) setup_.give_up();
  thread_.join();
  return status;
}

void StoreKeeper::KeepOn() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, setup_.interval, [this] { return end_; })) {
    lock.unlock();
    try {
      Pass();
    } catch (const std::bad_alloc&) {
      good_ = false;  // there is another time
    }
    lock.lock();
  }
  lock.unlock();
  good_ = true;
  try {
    Write();
    if (good_ && !setup_.holder.empty()) static_cast<void>(setup_.store->GiveLeaseBack());
  } catch (const std::bad_alloc&) {
    good_ = false;
  }
  lock.lock();
  ended_ = true;
  ending_.notify_all();
}

std::vector<KeptAgreement> StoreKeeper::All() const {
  std::vector<KeptAgreement> books;
  setup_.service->VisitAgreements([&](const AgreementReport& report) {
    const AgreementHistory& history = report.history;
    if (report.open && history.lifetime.ended() + history.uncovered.ended() > 0)
      books.push_back({std::string(report.tenant), std::string(report.network), history});
  });
  return books;
}

void StoreKeeper::Pass() {
  good_ = true;
  if (setup_.holder.empty() ||
      Good(setup_.store->TakeLease(setup_.holder, LeaseFor(setup_.interval))))
    Write();
  Join();
  for (const std::string& trouble : setup_.store->TakeTroubles()) Tell(trouble);
  if (!good_ || !trouble_.has_value()) return;
  trouble_.reset();
  if (setup_.tell) setup_.tell("the store is there again, and has all that happened meanwhile");
}

void StoreKeeper::Tell(const std::string& line) {
  constexpr std::size_t kMost = 1000;  // then it has said enough
  if (told_.size() < kMost && told_.insert(line).second && setup_.tell) setup_.tell(line);
}

bool StoreKeeper::Good(const Status& status) {
  if (status.has_value()) return true;
  good_ = false;
  if (trouble_ != status.error().message && setup_.tell) setup_.tell(status.error().message);
  trouble_ = status.error().message;
  return false;
}

InputAnswer StoreKeeper::Apply(ClientChange change) {
  const auto answered = std::make_shared<std::promise<InputAnswer>>();
  setup_.service->Change(std::move(change),
                         [answered](const InputAnswer& answer) { answered->set_value(answer); });
  return answered->get_future().get();
}

void StoreKeeper::Join() {
  const auto version = setup_.store->Version();
  if (!Good(StatusOf(version))) return;
  if (version_ == *version) return JoinWaiting();
  waiting_.clear();
  const auto keys = setup_.store->Keys();
  const auto tenants = setup_.store->Tenants();
  const auto agreements = setup_.store->Agreements();
  if (!Good(StatusOf(keys))) return;
  if (!Good(StatusOf(tenants))) return;
  if (!Good(StatusOf(agreements))) return;
  JoinTenants(*tenants);
  JoinAgreements(*agreements);
  if (setup_.use_keys) setup_.use_keys(KeyRing(*keys));
  version_ = *version;
}

// Those whose networks have come.
void StoreKeeper::JoinWaiting() {
  std::vector<StoredAgreement> now;
  std::erase_if(waiting_, [&](auto& entry) {
    if (!setup_.service->FindNetwork(entry.second.network).has_value()) return false;
    now.push_back(std::move(entry.second));
    return true;
  });
  for (const StoredAgreement& stored : now) JoinAgreement(stored);
}

void StoreKeeper::JoinTenants(const std::vector<StoredTenant>& tenants) {
  for (const StoredTenant& tenant : tenants) {
    if (setup_.service->FindTenant(tenant.name).has_value()) continue;  // the scenario's, or ours
    const InputAnswer answer = Apply(TenantJoin{{.name = tenant.name, .weight = tenant.weight}});
    if (!answer.has_value()) {
      Tell(fmt::format("tenant '{}' cannot join: {}", tenant.name, answer.error().message));
    } else {
      joined_[tenant.name] = answer->tenant;
    }
  }
  std::set<std::string_view> there;
  for (const StoredTenant& tenant : tenants) there.insert(tenant.name);
  std::set<std::string> gone;
  std::erase_if(joined_, [&](const auto& joined) {
    if (there.contains(joined.first)) return false;
    Apply(TenantLeave{joined.second});
    gone.insert(joined.first);
    return true;
  });
  if (gone.empty()) return;
  std::erase_if(started_, [&](const auto& entry) { return gone.contains(entry.first.first); });
  std::erase_if(terms_, [&](const auto& entry) { return gone.contains(entry.first.first); });
}

void StoreKeeper::JoinAgreements(const std::vector<StoredAgreement>& agreements) {
  for (const StoredAgreement& agreement : agreements) JoinAgreement(agreement);
  EndAgreements(agreements);
}

void StoreKeeper::JoinAgreement(const StoredAgreement& stored) {
  const Names names(stored.tenant, stored.network);
  if (const auto known = terms_.find(names); known != terms_.end() && known->second == stored.terms)
    return;
  const auto wrong = [&](std::string_view why) {
    Tell(fmt::format("the agreement of tenant '{}' on '{}': {}", stored.tenant, stored.network,
                     why));
  };
  terms_[names] = stored.terms;
  const auto tenant = setup_.service->FindTenant(stored.tenant);
  const auto network = setup_.service->FindNetwork(stored.network);
  if (!tenant.has_value()) return wrong("the tenant is not there");
  if (!network.has_value()) {
    waiting_[names] = stored;
    terms_.erase(names);
    return wrong("there is no such network as yet");
  }
  auto agreement = setup_.read_terms(stored);
  if (!agreement.has_value()) return wrong(agreement.error().message);
  agreement->tenant = *tenant;
  agreement->network = network->id;
  if (const auto started = started_.find(names); started != started_.end()) {
    // Where another network took the place of the one that it was on, it is another.
    started->second =
        setup_.service->FindAgreement(*tenant, stored.network).value_or(started->second);
    const InputAnswer answer = Apply(AgreementChange{started->second, *agreement});
    if (!answer.has_value()) wrong(answer.error().message);
    return;
  }
  if (setup_.service->FindAgreement(*tenant, stored.network).has_value())
    return wrong("it stands in the scenario as well, and that counts");
  const InputAnswer answer = Apply(AgreementStart{*agreement});
  if (!answer.has_value()) return wrong(answer.error().message);
  started_[names] = answer->agreement;
  Continue(answer->agreement, names);
}

// An agreement that was there before goes on where it was left.
void StoreKeeper::Continue(AgreementId id, const Names& names) {
  const auto kept = books_.find(names);
  if (kept == books_.end()) return;
  const InputAnswer answer = Apply(AgreementContinue{id, kept->second});
  if (!answer.has_value())
    Tell(fmt::format("the agreement of tenant '{}' on '{}' begins anew: {}", names.first,
                     names.second, answer.error().message));
  books_.erase(kept);
}

void StoreKeeper::EndAgreements(const std::vector<StoredAgreement>& agreements) {
  std::set<Names> there;
  for (const StoredAgreement& agreement : agreements)
    there.emplace(agreement.tenant, agreement.network);
  std::erase_if(terms_, [&](const auto& entry) { return !there.contains(entry.first); });
  std::erase_if(started_, [&](const auto& entry) {
    if (there.contains(entry.first)) return false;
    const auto& [tenant, network] = entry.first;
    const auto who = setup_.service->FindTenant(tenant);
    const auto current =
        who.has_value() ? setup_.service->FindAgreement(*who, network) : std::nullopt;
    Apply(AgreementEnd{current.value_or(entry.second)});
    return true;
  });
}

void StoreKeeper::Write() {
  std::vector<KeptAgreement> books;
  std::vector<AgreementId> ids;
  setup_.service->VisitAgreements([&](const AgreementReport& report) {
    if (!report.open) return;
    const auto& history = report.history;
    const auto found = written_.find(report.id);
    const bool same = found != written_.end() && found->second.first == history.lifetime &&
                      found->second.second == history.uncovered;
    const bool nothing = history.lifetime.ended() + history.uncovered.ended() == 0;
    if (same || nothing) return;
    books.push_back({std::string(report.tenant), std::string(report.network), history});
    ids.push_back(report.id);
  });
  const Status status = setup_.store->WriteIndicators(books);
  if (!Good(status)) return;
  for (std::size_t i = 0; i < books.size(); ++i)
    written_[ids[i]] = {books[i].history.lifetime, books[i].history.uncovered};
}

}  // namespace fairlead
