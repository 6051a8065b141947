// Which promises are given up when not all can be kept: those whose breach costs least, and no more
// of them than it takes.
//
// Promises stand in an order: what a breach costs (penalty over the share of the machine that a
// request takes), then those of tenants who ask for no more than their part of all that is asked
// before those who do (nobody is to suffer for what another sends), then the cheapest request, the
// lowest target, the largest weight, and then in turn from period to period. Given up are the last
// of that order, and who cannot be made good any more. Who cannot be kept on an idle machine has no
// place in it. How many is learnt from outcomes. What the others lack to a point above their
// targets is weighed in time of the machine: in the requests that have arrived and ended since the
// last judgement, and a part of what they lack in all. As much as that is freed by giving up the
// next of the order, and one more where the others are below their targets by more than chance
// explains, or those of one network in four judgements in a row without recovering, whatever others
// have to spare; where there is more than the first of those given up needs, it is taken up again,
// and where those given up got what they were promised all the same, all of them are. A judgement
// is due when agreements have had four outcomes each on average, and an eighth more than in all
// before: early ones come soon, later ones are sure.
//
// O(1) per outcome on average; O(agreements log agreements) when agreements, costs or periods
// change.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/fairness/agreement_history.h"
#include "fairlead/policies/entitlement.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class Sacrifice {
 public:
  // Where an agreement stands in the order.
  struct Place {
    std::int32_t own = 0;
    std::int32_t equals = 0;  // before all whose breach costs the same
  };

  // To be told of every event.
  void Observe(const SystemView& view, const Event& event);
  // Judges anew where that is due, and tells the plan who is given up and who no longer. At every
  // decision; after Entitlement::Refresh.
  void Decide(const SystemView& view, const Entitlement& entitlement, SchedulingPlan& plan);
  const Place& PlaceOf(AgreementId id) const { return places_[id.index()]; }

 private:
  struct Key {
    bool promised;
    bool floods;   // its tenant asks for more than its part
    double stake;  // of a request, per time of the machine
    double cost;   // of a request, time of the machine
    double target;
    double weight;
    std::size_t periods;  // that have passed
    std::size_t agreement;
    bool CostsTheSame(const Key& other) const {
      return floods == other.floods && stake == other.stake && cost == other.cost;
    }
    bool operator<(const Key& other) const;
  };
  // Of requests that arrived and ended since the last judgement.
  struct Tally {
    double ended = 0;
    double lacking = 0;  // time of the machine, to what was promised
  };
  // The promises of one network that are not given up.
  struct OfNetwork {
    int in_a_row = 0;     // judgements that found them below their targets
    double at_first = 0;  // what `below` was at the first of these
    double below = 0;     // time of the machine that they lack to their targets
    double variance = 0;  // of that, by chance alone
  };
  OfNetwork& NetworkOf(NetworkId id) {
    if (networks_.size() <= id.index()) networks_.resize(id.index() + 1);
    return networks_[id.index()];
  }
  // One agreement, as the ledger has it.
  struct Standing {
    double ended = 0;
    double below = 0;    // hits that lack to what was promised; negative: more than that
    double lacking = 0;  // the same to the aim
    bool lost = false;   // cannot be made good any more
  };

  void PutInOrder(const SystemView& view, const Entitlement& entitlement);
  void TakeTurns();
  void Judge(const SystemView& view);
  void Declare(const SystemView& view, SchedulingPlan& plan) const;
  static Standing StandingOf(const SystemView& view, const Key& key);

  std::uint64_t ordered_ = 0;   // the version of costs that the order is of
  std::uint64_t shares_ = 0;    // likewise, of who is there
  Instant next_turn_ = kNever;  // when a period begins
  std::vector<Key> keys_;       // in order: promises before the rest
  std::vector<Place> places_;   // per agreement
  std::vector<double> costs_;   // per agreement; 0: no promise that could be kept
  std::size_t promises_ = 0;
  std::size_t last_ = 0;  // so many of them, the last, are given up
  Instant since_{};       // what arrived earlier says nothing of how it is now
  double due_ = 0;        // outcomes, until the next judgement
  std::vector<OfNetwork> networks_;
  Tally kept_up_;
  Tally given_up_;
};

}  // namespace fairlead
