// Asks a learned policy's network only about what it has not judged yet, or some time ago.
//
// Most rows of a decision stood in the last one too, some microseconds before, and would get the
// answer that they got then. So each row's answer is kept, and given again, until
//   - it is older than `refresh` (deadlines draw nearer, and the system goes on), or
//   - an outcome has changed its agreement's indicator, or
//   - beliefs or the kinds that are online have changed.
// The rows that are left are shown in their order, as a decision of their own. What has not been
// among the rows of the last decision that was asked about is forgotten.
//
// Cost: O(rows log rows) for each decision that is asked about, and the network's for the rows that
// it reads. Allocates only for more rows than `most`.
#pragma once

#include <cstddef>
#include <memory>

#include "fairlead/base/time.h"
#include "fairlead/learning/learned_policy.h"

namespace fairlead {

// Of `actor`, which is shown fewer rows this way. Up to `most` rows in a decision.
std::unique_ptr<DecisionActor> RememberAnswers(std::unique_ptr<DecisionActor> actor,
                                               Duration refresh, std::size_t most);

}  // namespace fairlead
