// Laws that every mechanism keeps, for the tests of all of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct MechanismUnderTest {
  std::string name;
  std::function<std::unique_ptr<SharingMechanism>(const Market&)> make;
  bool hands_out_all = false;  // what is of no use to its holder too
  int kinds = 2;               // of accelerators, where weights count in the long run
  int worlds = 20;             // random ones to go through
};

// A market of agents a0, a1, ... with these weights, and of groups of one accelerator each, of so
// many kinds in turns.
Market MarketOf(const std::vector<std::int64_t>& weights, int accelerators, int kinds = 2);

// How many accelerators each agent had in so many rounds of the same reports.
std::vector<std::int64_t> CountHeld(SharingMechanism& mechanism, const Market& market,
                                    const Reports& reports, int rounds);

// Random markets and reports, more agents than accelerators and one accelerator among them: holders
// exist, what is useless stays idle or not as promised, and a second mechanism does the same.
void ExpectSoundAndDeterministic(const MechanismUnderTest& under_test);
// Nothing is of use to anybody.
void ExpectZeroUtilitiesToDo(const MechanismUnderTest& under_test);
// Where all is worth the same to all, accelerators follow weights, with one accelerator and with
// fewer than agents too.
void ExpectWeightsInTheLongRun(const MechanismUnderTest& under_test);

// Where no two numbers are equal, the order in which agents and accelerators are listed decides
// nothing, in any of many rounds.
void ExpectOrderOfListsDecidesNothing(const MechanismUnderTest& under_test);

}  // namespace fairlead
