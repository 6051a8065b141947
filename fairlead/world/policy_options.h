// The options of each policy as text: which key sets which member of its struct. Defaults are the
// structs' own.
#pragma once

#include <string>

#include "fairlead/policies/ai_mt.h"
#include "fairlead/policies/alpaserve.h"
#include "fairlead/policies/clockwork.h"
#include "fairlead/policies/dbp.h"
#include "fairlead/policies/fairlead_rule.h"
#include "fairlead/policies/free_for_all.h"
#include "fairlead/policies/goal_directed.h"
#include "fairlead/policies/herald.h"
#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/moca.h"
#include "fairlead/policies/planaria.h"
#include "fairlead/policies/prema.h"
#include "fairlead/policies/random.h"
#include "fairlead/policies/sdrm3.h"
#include "fairlead/policies/slo_mael.h"
#include "fairlead/policies/static_partition.h"
#include "fairlead/policies/veltair.h"
#include "fairlead/policies/vtc.h"
#include "fairlead/scenario/option_table.h"
#include "fairlead/sharing/mechanism_policy.h"
#include "fairlead/world/learned_policies.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {

// A policy without options.
struct NoOptions {};

// A sharing mechanism by its name, and the policy around it.
struct SharedEdfOptions {
  std::string_view mechanism = "most-token-first";
  MechanismPolicyOptions policy;
};

// Where ratios come from, and the policy that obeys them.
struct RoutedOptions {
  std::string ratios = "speed";  // or "equal", or a file of them
  GoalDirectedOptions policy;
};

// The table is bound to the struct, which outlives it.
OptionTable OptionsOf(NoOptions& options);
OptionTable OptionsOf(ListPolicyOptions& options);
OptionTable OptionsOf(PremaOptions& options);
OptionTable OptionsOf(Sdrm3Options& options);
OptionTable OptionsOf(VtcOptions& options);
OptionTable OptionsOf(DbpOptions& options);
OptionTable OptionsOf(FairleadOptions& options);
OptionTable OptionsOf(HeraldOptions& options);
OptionTable OptionsOf(AiMtOptions& options);
OptionTable OptionsOf(AlpaServeOptions& options);
OptionTable OptionsOf(ClockworkOptions& options);
OptionTable OptionsOf(PlanariaOptions& options);
OptionTable OptionsOf(MocaOptions& options);
OptionTable OptionsOf(FreeForAllOptions& options);
OptionTable OptionsOf(PartiesOptions& options);
OptionTable OptionsOf(VeltairOptions& options);
OptionTable OptionsOf(StaticPartitionOptions& options);
OptionTable OptionsOf(RandomPolicyOptions& options);
OptionTable OptionsOf(SharedEdfOptions& options);
OptionTable OptionsOf(LearnedPolicyOptions& options);
OptionTable OptionsOf(RoutedOptions& options);
OptionTable OptionsOf(LookAheadOptions& options);
OptionTable OptionsOf(SloMaelOptions& options);

}  // namespace fairlead
