// A world that is made of nothing but decisions of a given size: a real engine in front of a
// backend that does nothing, kept at a number of idle accelerators and ready segments, decision
// after decision.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "benchmarks/harness.h"
#include "fairlead/base/random.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/platform.h"
#include "fairlead/scheduling/backend.h"
#include "fairlead/scheduling/engine.h"

namespace fairlead {

// The accelerators of the last kind, a quarter of all.
enum class LastKind : std::uint8_t {
  kOrdinary,
  kPoor,    // a hundred times slower than they are: worth waiting for another one
  kUseless  // able to run nothing
};

enum class ReadyBy : std::uint8_t {
  kAndBy,     // most ready segments were there at the decision before
  kBurst,     // all of them have just arrived, on an idle platform
  kHopeless,  // all of them have just lost their last chance to make their deadline
};

inline constexpr int kReadySegments = 1000;
inline constexpr int kAccelerators = 64;
inline constexpr int kKinds = 4;

struct DecisionCase {
  std::string_view name;
  int idle = 1;  // accelerators, before each decision
  LastKind last_kind = LastKind::kOrdinary;
  ReadyBy ready_by = ReadyBy::kAndBy;
  int ready = kReadySegments;
  int accelerators = kAccelerators;  // as many of each kind
};

struct DecisionTimes {
  std::vector<double> decide;      // microseconds of wall time
  std::vector<double> processor;   // microseconds of processor time, in whole ones
  std::vector<double> and_commit;  // microseconds of wall time with carrying out the plan
  double idle = 0;                 // accelerators before a decision, on average
  double ready = 0;                // segments before a decision, on average
};

class DecisionWorld final : private ExecutionBackend {
 public:
  static Result<std::unique_ptr<DecisionWorld>> Create(const DecisionCase& the_case,
                                                       std::string_view policy);

  Result<DecisionTimes> Measure(int decisions);

 private:
  explicit DecisionWorld(const DecisionCase& the_case) : case_(the_case) {}

  void Start(const Assignment& /*assignment*/) override {}
  void Resize(const Assignment& /*assignment*/) override {}
  void Abort(const Assignment& /*assignment*/) override {}

  Status Build(std::string_view policy);
  Status MakeDecision(DecisionTimes* times);  // null: not measured
  Status Prepare();
  Status DrainAll();
  void FinishUntilIdle(int wanted);
  void TopUp();
  int Idle() const;

  DecisionCase case_;
  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::unique_ptr<CostTable> costs_;
  std::unique_ptr<SchedulingEngine> engine_;
  RandomStream random_{1, "decisions"};
  Instant now_{};
  std::uint64_t next_request_ = 0;
};

}  // namespace fairlead
