// What the command line asked for, verb by verb. command_line.cc fills it, the verbs act on it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fairlead/sharing/actor_critic.h"

namespace fairlead {

enum class OutputForm : std::uint8_t { kTable, kJson };

enum class SimulateForm : std::uint8_t { kTable, kWide, kJson, kCsv };
struct SimulateOptions {
  std::vector<std::string> scenarios;
  std::vector<std::string> settings;  // KEY=V1,V2,...
  std::string profile;                // with requests: instead of a scenario
  std::string requests;
  std::string plan;
  std::string bandwidth;
  std::string sharing = "proportional";
  std::string policies;  // empty: the scenario's, or all
  std::optional<std::uint64_t> seed;
  int seeds = 1;
  int jobs = 0;  // 0: one per core
  std::string outcomes;
  std::string trace;
  std::string trace_from;  // times; empty: the whole run
  std::string trace_to;
  std::string recording;
  std::string books;
  std::string continued;  // books to go on from
  std::string report;
  std::string loads;    // of the report's frontier; empty: the scenario's alone
  std::string command;  // the whole command line, for the report
  std::vector<std::string> require;
  std::string live;      // "sleep", "spin" or "run": in real time
  bool compare = false;  // the live run with a simulated one
  SimulateForm form = SimulateForm::kTable;
};

struct SuiteOptions {
  int scenarios = 20;
  int first = 1;
  std::uint64_t seed = 1;
  bool tuning = false;
  std::string policies = "all";
  std::string policy_file;  // more of them, one a line
  int seeds = 3;
  int jobs = 0;        // 0: one per core
  std::string folder;  // for the scenarios; empty: they are not kept
  std::string report;
  std::string command;  // the whole command line, for the report
  OutputForm form = OutputForm::kTable;
};

// What quote and provision judge agreements by.
struct JudgingOptions {
  std::string scenario;
  std::string policy;  // empty: the scenario's, or fairlead
  std::optional<std::uint64_t> seed;
  int seeds = 0;  // 0: as the work allows
  int jobs = 0;   // 0: one per core
  std::string report;
  std::string command;  // the whole command line, for the report
  OutputForm form = OutputForm::kTable;
};

struct QuoteCommandOptions : JudgingOptions {
  std::vector<std::string> agreements;  // each a YAML mapping
  bool thorough = false;
};

struct ProvisionCommandOptions : JudgingOptions {
  std::vector<std::string> costs;  // kind=3.5
  int most = 0;                    // of each kind; 0: twice as many as there are
};

struct ShareOptions {
  std::string scenario;
  std::string mechanisms;  // empty: the scenario's
  std::string thresholds;  // empty: the scenario's
  std::string train;       // a file for what is learned; empty: nothing is trained
  int episodes = 200;
  ActorCriticOptions learning;
  std::optional<std::uint64_t> seed;
  int seeds = 1;
  bool envy = false;
  OutputForm form = OutputForm::kTable;
};

struct ExperimentOptions {
  std::string name;
  bool list = false;
  bool quick = false;
  int seeds = 10;
  int jobs = 0;          // 0: one per core
  std::string policies;  // more of them; a list
  std::string folder;    // for page and numbers; empty: they are not kept
  std::string command;   // the whole command line, for the page
  OutputForm form = OutputForm::kTable;
};

struct AssignOptions {
  std::string scenario;
  std::string goal = "goodput";
  std::string search = "sampling";
  std::size_t budget = 200;
  std::string route = "arrival";
  std::uint64_t seed = 101;
  std::string out;
  OutputForm form = OutputForm::kTable;
};

struct InterferenceOptions {
  std::string action;
  std::vector<std::string> judged;  // models to evaluate
  std::string model_file;           // one more, before them
  std::string machine;              // the folder of its tables, for those that are not named
  std::string layers;
  std::string coruns;
  std::string models;    // networks as sequences of layers
  std::string networks;  // their latencies
  std::string mixes;
  std::string learner = "boosting";
  std::string mix_learner = "boosting";
  int folds = 5;
  std::uint64_t seed = 1;
  std::string out;
  std::string report;
  OutputForm form = OutputForm::kTable;
};

struct ReplayOptions {
  std::string recording;
  std::string policy;    // a file with the policy that it was recorded under; empty: none
  bool cut_off = false;  // a recording without its end will do
  OutputForm form = OutputForm::kTable;
};

struct CutOptions {
  std::string log;   // a folder, or a piece
  std::string from;  // empty: from its beginning
  std::string to;    // empty: to its end
  std::string last;  // how much of its end; empty: from and to count
  std::string out;
  OutputForm form = OutputForm::kTable;
};

struct WhyOptions {
  std::string recording;
  bool cut_off = false;
  std::optional<std::uint64_t> request;  // none: all that did not hit
  std::optional<std::size_t> worst;
  std::string tenant;   // empty: all
  std::string outcome;  // empty: all
  OutputForm form = OutputForm::kTable;
};

struct CheckOptions {
  std::string scenario;
};

enum class CostForm : std::uint8_t { kTable, kCsv, kJson, kProfile };
struct CostOptions {
  std::vector<std::string> networks;
  std::string layers;  // a file of shapes, instead of networks
  std::vector<std::string> accelerators;
  int batch = 1;
  int units = 0;  // 0: all
  std::string html;
  CostForm form = CostForm::kTable;
};

struct ProfileOptions {
  std::vector<std::string> networks;
  std::string out;
  std::string partitions;  // the cores of each; empty: two halves
  std::string cores;       // empty: all
  std::string instructions;
  std::vector<int> batches = {1};
  std::optional<int> repetitions;
  std::optional<std::size_t> coruns;
  std::optional<std::size_t> mixes;
  std::size_t random_layers = 0;
  bool first_of_alike = false;
  bool no_hand_overs = false;
  std::uint64_t seed = 1;
  std::string time;   // empty: no limit
  std::string visit;  // empty: as usual
  bool quick = false;
  OutputForm form = OutputForm::kTable;
};

struct ImportOptions {
  std::string format;  // of the trace
  std::string file;
  std::string tasks;  // the second table of alibaba-pai-2020; may be empty
  std::string out;
  std::string networks;
  std::string deadline = "50ms";
  double scale = 1;
  double speedup = 1;
  int top = 0;  // 0: all
  std::uint64_t seed = 1;
};

enum class Listing : std::uint8_t { kPolicies, kNetworks, kAccelerators, kMechanisms };
struct ListOptions {
  Listing what = Listing::kPolicies;
  std::string one;  // policy, network or accelerator: its description instead of all
  OutputForm form = OutputForm::kTable;
};

struct ServeOptions {
  std::string config;  // empty: the demo
  std::optional<int> port;
  std::string policy;  // empty: the scenario's first, or fairlead
  std::string recording;
  std::string log;  // a file, "-" for standard error; empty: lines for people alone
  std::string log_level = "info";
  bool print = false;  // the demo's scenario
};

struct LoadOptions {
  std::string scenario;
  std::string url;
  std::vector<std::string> keys;  // TENANT=KEY
  std::string key_file;
  std::string authorities;  // that vouch for the server
  std::string horizon;      // empty: the scenario's
  std::optional<std::uint64_t> seed;
  int connections = 1024;
  bool compare = false;
  std::string policy;  // of the comparison; empty: as for serve
  OutputForm form = OutputForm::kTable;
};

struct TopOptions {
  std::string url = "http://127.0.0.1:8000";
  std::string key;          // an operator's
  std::string authorities;  // that vouch for the server
  std::string interval = "2s";
  bool once = false;
  OutputForm form = OutputForm::kTable;
};

struct TenantOptions {
  std::string action;
  std::string name;
  std::string store = "fairlead.db";
  double weight = 1;
  OutputForm form = OutputForm::kTable;
};

// A term as a scenario has it; empty: not given.
struct TermOption {
  std::string_view key;
  std::string value;
};
struct AgreementOptions {
  std::string action;
  std::string tenant;
  std::string network;
  std::string store = "fairlead.db";
  std::deque<TermOption> terms;     // entries stay where they are
  std::deque<TermOption> contract;  // likewise
  OutputForm form = OutputForm::kTable;
};

// Handed on to fairlead-train.
struct TrainCommandOptions {
  std::vector<std::string> scenarios;
  std::string learner;
  std::string out;
  std::string teacher;
  std::string loads;
  std::string minutes;
  std::string threads;
  std::string seed;
  std::vector<std::string> settings;
  bool fresh = false;
};

using Command =
    std::variant<SimulateOptions, SuiteOptions, QuoteCommandOptions, ProvisionCommandOptions,
                 ShareOptions, TrainCommandOptions, ExperimentOptions, InterferenceOptions,
                 AssignOptions, ReplayOptions, WhyOptions, CutOptions, CheckOptions, CostOptions,
                 ProfileOptions, ImportOptions, ListOptions, ServeOptions, LoadOptions,
                 TenantOptions, AgreementOptions, TopOptions>;

}  // namespace fairlead
