// What best effort has a right to although promises are behind: the `floor` of its agreement, a
// share of the machine.
//
// Each agreement with a floor has an account in seconds of the machine. It earns its floor as time
// passes and pays for each request that starts on its account, less what was left to do of it if it
// is dropped; and for each that an idle machine served in time: what it gets anyway counts, what
// ends in vain does not. It saves no more than a second's earnings, or one request, and
// owes no more than that either. A request that the account can pay for is owed, and stays owed
// when it has started so. While requests of the agreement wait, whoever serves what is owed first
// gives it its floor, up to these amounts; and no more for the floor's sake.
//
// A policy that keeps floors tells it of every event, and lets those for which Owed is true stand
// before promises. Entitlement says what a request takes of the machine; it is refreshed before
// Owed, and before Observe of a start or an end.
//
// O(1) per event and question; allocates only when there are more jobs or agreements than ever.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/policies/entitlement.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class FloorCredits {
 public:
  void Observe(const SystemView& view, const Event& event, const Entitlement& costs);
  // The job goes first on account of its agreement's floor. False without a floor, and for what the
  // contract does not cover.
  bool Owed(const SystemView& view, JobId id, const Entitlement& costs) const;

 private:
  struct Account {
    double level = 0;  // seconds of the machine
    Instant at{};
    bool opened = false;
  };
  // The last job of a slot that started.
  struct Begun {
    std::uint64_t serial = 0;
    bool owed = false;  // when it did
  };
  void Start(const SystemView& view, JobId id, const Entitlement& costs);
  void End(const SystemView& view, const Event& event, const Entitlement& costs);
  void Pay(const SystemView& view, const Job& job, double amount, double cost);
  static double LevelOf(const SystemView& view, const Job& job, const Account& account,
                        double cost);
  bool CanPay(const SystemView& view, const Job& job, const Entitlement& costs) const;

  std::vector<Account> accounts_;  // per agreement
  std::vector<Begun> begun_;       // per job slot
};

}  // namespace fairlead
