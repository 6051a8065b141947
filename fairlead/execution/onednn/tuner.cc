#include "fairlead/execution/onednn/tuner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/execution/onednn/bound_recipe.h"
#include "fairlead/execution/onednn/implementations.h"
#include "fairlead/execution/onednn/post_operations.h"
#include "fairlead/execution/onednn/recipe.h"

namespace fairlead {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "fairlead-tunings 2";

// The processor by name and instructions, and the library by version.
std::string MachineName() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string description;
  std::string line;
  while (std::getline(cpuinfo, line) && !line.empty()) {  // of the first core
    if (line.starts_with("model") || line.starts_with("flags") || line.starts_with("vendor") ||
        line.starts_with("cache size"))
      description += line;
  }
  const dnnl_version_t* const version = dnnl_version();
  return fmt::format("{:016x}-onednn-{}.{}.{}", StableHash(description), version->major,
                     version->minor, version->patch);
}

std::string FromEnvironment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT: nobody changes the environment
  return value == nullptr ? "" : value;
}

}  // namespace

std::string DefaultCacheFolder() {
  if (const std::string cache = FromEnvironment("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/fairlead";
  if (const std::string home = FromEnvironment("HOME"); !home.empty())
    return home + "/.cache/fairlead";
  return "";
}

std::map<std::string, std::string> ParseTunings(std::string_view text) {
  std::map<std::string, std::string> table;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (std::exchange(first, false)) {
      if (line != kFirstLine) return {};
      continue;
    }
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || tab == 0) continue;
    table.insert_or_assign(std::string(line.substr(0, tab)), std::string(line.substr(tab + 1)));
  }
  return table;
}

TuningCache::TuningCache(const std::string& folder) {
  if (folder.empty()) return;
  file_ = fmt::format("{}/tunings-{}.txt", folder, MachineName());
  table_ = Read(file_);
}

TuningCache::Table TuningCache::Read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();  // what cannot be read is missing
  return ParseTunings(text.str());
}

std::optional<std::string> TuningCache::Find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = table_.find(key);
  if (found == table_.end()) return std::nullopt;
  return found->second;
}

void TuningCache::Put(const std::string& key, std::string value) {
  const std::lock_guard lock(mutex_);
  table_.insert_or_assign(key, std::move(value));
  changed_ = true;
}

Status TuningCache::Save() {
  const std::lock_guard lock(mutex_);
  if (file_.empty() || !changed_) return {};
  Table all = Read(file_);  // what others have added since
  for (const auto& [key, value] : table_) all.insert_or_assign(key, value);
  std::error_code error;
  fs::create_directories(fs::path(file_).parent_path(), error);
  static std::atomic<int> saves = 0;
  const std::string partial = fmt::format("{}.{}.{}", file_, getpid(), ++saves);
  {
    std::ofstream stream(partial, std::ios::binary);
    stream << kFirstLine << '\n';
    for (const auto& [key, value] : all) stream << key << '\t' << value << '\n';
    stream.flush();
    if (!stream) {
      fs::remove(partial, error);
      return Fail("{}: cannot be written; networks are measured at each load", partial);
    }
  }
  fs::rename(partial, file_, error);
  if (error) return Fail("{}: {}", file_, error.message());
  changed_ = false;
  return {};
}

namespace {

// How long recipes take on the calling thread's partition.

struct TimingCase {
  const Recipe* recipe = nullptr;  // not owned
  std::vector<std::size_t> read_bytes;
  std::size_t output_bytes = 0;
};

constexpr int kRounds = 6;
constexpr int kSlowRounds = 3;
constexpr double kSlow = 3e6;         // nanoseconds: longer ones are disturbed less
constexpr double kHopeless = 3;       // times slower than the best: not timed again
constexpr double kContender = 1.25;   // at most so much slower than the best: timed again
constexpr double kTurn = 3e6;         // nanoseconds that a contender gets in a round
constexpr int kMostRuns = 20;         // in a turn
constexpr double kEndsThreads = 1e3;  // times its time: for a recipe that is the last resort

// Memory that all cases use in turn.
class SharedPlaces {
 public:
  explicit SharedPlaces(std::span<const TimingCase> cases) {
    for (const TimingCase& one : cases) {
      for (std::size_t i = 0; i < one.read_bytes.size(); ++i)
        Raise(read_bytes_, i, one.read_bytes[i]);
      output_bytes_ = std::max(output_bytes_, one.output_bytes);
      for (std::size_t i = 0; i < one.recipe->weights.size(); ++i)
        Raise(weight_bytes_, i, one.recipe->weights[i].to.get_size());
      scratch_bytes_ = std::max(scratch_bytes_, one.recipe->ScratchBytes());
    }
    for (std::size_t bytes : read_bytes_) places_.reads.push_back(Allocate(bytes));
    for (std::size_t bytes : weight_bytes_) places_.weights.push_back(Allocate(bytes));
    places_.output = Allocate(output_bytes_);
    places_.scratch = reinterpret_cast<std::byte*>(Allocate(scratch_bytes_));
  }

  const RecipePlaces& places() const { return places_; }

 private:
  static void Raise(std::vector<std::size_t>& sizes, std::size_t index, std::size_t bytes) {
    if (sizes.size() <= index) sizes.resize(index + 1);
    sizes[index] = std::max(sizes[index], bytes);
  }
  float* Allocate(std::size_t bytes) {
    blocks_.emplace_back(bytes);
    return blocks_.back().floats(0);
  }

  std::vector<std::size_t> read_bytes_;
  std::vector<std::size_t> weight_bytes_;
  std::size_t output_bytes_ = 0;
  std::size_t scratch_bytes_ = 0;
  std::vector<MemoryBlock> blocks_;
  RecipePlaces places_;
};

struct Contender {
  CompiledRecipe compiled;
  BoundRecipe bound;
  std::size_t index = 0;  // of its case
  double least = std::numeric_limits<double>::infinity();
};

double TimeOnce(Contender& contender, const dnnl::stream& stream) {
  const Stopwatch stopwatch;
  contender.bound.Run(stream);
  return static_cast<double>(stopwatch.ElapsedNanoseconds());
}

void TakeTurn(Contender& contender, const dnnl::stream& stream) {
  double total = 0;
  for (int i = 0; i < kMostRuns && total < kTurn; ++i) {
    const double time = TimeOnce(contender, stream);
    contender.least = std::min(contender.least, time);
    total += time;
  }
}

// The least time of each in nanoseconds, on zeros. Rivals take turns, so that what disturbs the
// machine for a while disturbs all; those far behind the best are timed once or twice only.
// Infinite where oneDNN fails.
std::vector<double> TimeRecipes(std::span<const TimingCase> cases, const dnnl::engine& engine,
                                const dnnl::stream& stream) {
  const SharedPlaces shared(cases);
  std::vector<double> times(cases.size(), std::numeric_limits<double>::infinity());
  std::vector<Contender> contenders;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    try {
      const CompiledRecipe compiled(*cases[i].recipe);
      contenders.push_back({compiled, BoundRecipe(compiled, engine, shared.places()), i});
    } catch (const dnnl::error&) {  // it offers what it cannot make
      continue;
    }
    Contender& contender = contenders.back();
    contender.least = TimeOnce(contender, stream);  // touches the memory
    if (contender.bound.EndsThreads()) {            // calling them anew takes longer than any layer
      times[i] = kEndsThreads * contender.least;
      contenders.pop_back();
      continue;
    }
    if (contender.least < kHopeless * best) contender.least = TimeOnce(contender, stream);
    best = std::min(best, contender.least);
  }
  // Disturbed once, a good one may look bad: all but the hopeless get a second chance.
  double limit = kHopeless;
  const int rounds = best > kSlow ? kSlowRounds : kRounds;
  for (int round = 0; round < rounds; ++round) {
    for (Contender& contender : contenders) {
      if (contender.least > limit * best) continue;
      TakeTurn(contender, stream);
      best = std::min(best, contender.least);
    }
    limit = kContender;
  }
  for (const Contender& contender : contenders) times[contender.index] = contender.least;
  return times;
}

std::string NameOf(const Recipe& recipe) {
  std::string layouts;
  for (Layout layout : recipe.wants) layouts += fmt::format("{},", Name(layout));
  return fmt::format("{} {}>{}", recipe.name, layouts, Name(recipe.leaves));
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> ParseTime(const std::optional<std::string>& text) {
  if (!text.has_value()) return std::nullopt;
  const auto number = ParseNumber<double>(*text);
  if (!number.has_value() || !(*number >= 0)) return std::nullopt;
  return number;
}

// Parts of a concatenation are computed right into it, so nothing is copied.
bool IsFree(const GraphOperator& op, const Recipe& recipe, std::size_t batch) {
  const auto* concatenation = std::get_if<Concatenation>(&op.body);
  return concatenation != nullptr && concatenation->axis == 0 && batch == 1 && op.then.empty() &&
         recipe.leaves != Layout::kChannelsLast;
}

// Beside others that want the memory too a core is taken to get this share of it.
constexpr double kPressedBytesPerNanosecond = 2;

// What the bytes of a gentle step cost beside its time alone.
double ChargeOf(const OperatorGraph& graph, std::size_t bytes, int threads) {
  if (graph.manner == ExecutionManner::kFast) return 0;
  return static_cast<double>(bytes) / (kPressedBytesPerNanosecond * threads);
}

std::size_t BytesOf(const TensorDims& dims, std::size_t batch, Layout layout) {
  return static_cast<std::size_t>(StoredElements(dims, layout)) * batch * sizeof(float);
}

}  // namespace

// By an operator that is carried out so.
std::size_t TouchedBytes(const OperatorGraph& graph, const GraphOperator& op, std::size_t batch,
                         const Recipe& recipe) {
  if (recipe.passes_on || IsFree(op, recipe, batch)) return 0;
  std::size_t bytes =
      BytesOf(graph.tensors[op.output].dims, batch, recipe.leaves) + recipe.ScratchBytes();
  const std::vector<TensorIndex> reads = op.Reads();
  for (std::size_t i = 0; i < reads.size(); ++i)
    bytes += BytesOf(graph.tensors[reads[i]].dims, batch, recipe.wants[i]);
  for (const PackedWeights& packed : recipe.weights) bytes += packed.to.get_size();
  return bytes;
}

Recipe ConversionRecipe(const dnnl::engine& engine, const TensorDims& dims, std::size_t batch,
                        Layout from, Layout to) {
  const dnnl::memory::desc source = DescOf(dims, batch, from);
  const dnnl::memory::desc result = DescOf(dims, batch, to);
  const auto reorder = [engine, source, result] {
    return dnnl::reorder::primitive_desc(engine, source, engine, result, BareAttributes());
  };
  Recipe recipe{.name = "reorder", .wants = {from}, .leaves = to};
  recipe.calls.emplace_back(CallOf(
      reorder, {{DNNL_ARG_FROM, source, {.index = 0}}, {DNNL_ARG_TO, result, kOutputOperand}}));
  return recipe;
}

Result<LayerRecipes> FindRecipes(const dnnl::engine& engine, const OperatorGraph& graph,
                                 std::size_t batch, InstructionCap cap) {
  LayerRecipes found;
  std::unordered_map<std::string, RecipeList> known;
  for (const GraphOperator& op : graph.operators) {
    const RecipeContext context{engine, graph, op, batch, cap};
    found.signatures.push_back(SignatureOf(context));
    RecipeList& list = known[found.signatures.back()];
    if (list == nullptr) {
      auto recipes = RecipesFor(context);
      if (!recipes.has_value())
        return Fail("network '{}': operator '{}' ({}) cannot be carried out: {}", graph.name,
                    op.name, NameOf(op.body), recipes.error().message);
      list = std::make_shared<const std::vector<Recipe>>(std::move(*recipes));
    }
    found.lists.push_back(list);
  }
  return found;
}

std::vector<RatedChoice> Tuner::Choose(const OperatorGraph& graph, std::size_t batch,
                                       const LayerRecipes& recipes) {
  std::unordered_map<std::string, std::vector<StepOption>> options;
  LayoutProblem problem{.tensors = graph.tensors.size()};
  for (std::size_t layer = 0; layer < graph.operators.size(); ++layer) {
    const GraphOperator& op = graph.operators[layer];
    const auto [entry, fresh] = options.try_emplace(recipes.signatures[layer]);
    if (fresh) {
      const std::vector<Recipe>& list = *recipes.lists[layer];
      const std::vector<double> times = TimesOf(graph, op, batch, recipes.signatures[layer], list);
      for (std::size_t i = 0; i < list.size(); ++i) {
        StepOption option{
            .leaves = static_cast<std::uint8_t>(list[i].leaves),
            .nanoseconds =
                times[i] + ChargeOf(graph, TouchedBytes(graph, op, batch, list[i]), threads_)};
        for (Layout layout : list[i].wants)
          option.wants.push_back(static_cast<std::uint8_t>(layout));
        entry->second.push_back(std::move(option));
      }
    }
    problem.steps.push_back({.reads = op.Reads(), .writes = op.output, .options = entry->second});
  }
  problem.plain = graph.outputs;
  for (TensorIndex tensor = 0; tensor < graph.tensors.size(); ++tensor) {
    if (graph.tensors[tensor].constant != nullptr) problem.plain.push_back(tensor);
  }
  problem.plain.insert(problem.plain.end(), graph.inputs.begin(), graph.inputs.end());
  problem.conversion = [&](std::uint32_t tensor, std::uint8_t from, std::uint8_t to) {
    const TensorDims& dims = graph.tensors[tensor].dims;
    const auto source = static_cast<Layout>(from);
    const auto target = static_cast<Layout>(to);
    if (SameBytes(dims, source, target)) return 0.0;
    return ConversionTime(dims, batch, source, target) +
           ChargeOf(graph, BytesOf(dims, batch, source) + BytesOf(dims, batch, target), threads_);
  };
  return GoodChoices(problem);
}

std::vector<double> Tuner::TimesOf(const OperatorGraph& graph, const GraphOperator& op,
                                   std::size_t batch, const std::string& signature,
                                   const std::vector<Recipe>& recipes) {
  if (recipes.size() == 1) return {0};  // nothing to choose
  std::vector<double> times;
  std::vector<std::string> keys;
  std::vector<TimingCase> cases;
  const std::vector<TensorIndex> reads = op.Reads();
  for (const Recipe& recipe : recipes) {
    keys.push_back(fmt::format("{} b{} {} {}", scope_, batch, signature, NameOf(recipe)));
    if (const auto known = ParseTime(cache_.Find(keys.back()))) times.push_back(*known);
    TimingCase one{.recipe = &recipe,
                   .output_bytes = BytesOf(graph.tensors[op.output].dims, batch, recipe.leaves)};
    for (std::size_t i = 0; i < reads.size(); ++i)
      one.read_bytes.push_back(BytesOf(graph.tensors[reads[i]].dims, batch, recipe.wants[i]));
    cases.push_back(std::move(one));
  }
  if (times.size() < recipes.size()) {
    times = TimeRecipes(cases, engine_, stream_);
    for (std::size_t i = 0; i < times.size(); ++i)
      cache_.Put(keys[i], fmt::format("{:.0f}", times[i]));
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (IsFree(op, recipes[i], batch)) times[i] = 0;
  }
  return times;
}

double Tuner::ConversionTime(const TensorDims& dims, std::size_t batch, Layout from, Layout to) {
  if (SameBytes(dims, from, to)) return 0;
  const std::string key = fmt::format("{} b{} reorder({}) {}>{}", scope_, batch,
                                      fmt::join(dims, "x"), Name(from), Name(to));
  if (const auto known = ParseTime(cache_.Find(key))) return *known;
  const Recipe recipe = ConversionRecipe(engine_, dims, batch, from, to);
  const TimingCase one{.recipe = &recipe,
                       .read_bytes = {BytesOf(dims, batch, from)},
                       .output_bytes = BytesOf(dims, batch, to)};
  const double time = TimeRecipes({&one, 1}, engine_, stream_).front();
  cache_.Put(key, fmt::format("{:.0f}", time));
  return time;
}

std::string Tuner::NetworkKey(const Tuned& tuned) const {
  return fmt::format("{} b{} {}network {:016x}", scope_, tuned.batch,
                     tuned.manner == ExecutionManner::kGentle ? "gentle " : "",
                     StableHash(fmt::format("{}", fmt::join(tuned.recipes.signatures, ";"))));
}

std::optional<LayoutChoice> Tuner::Remembered(const Tuned& tuned) const {
  const LayerRecipes& recipes = tuned.recipes;
  const auto text = cache_.Find(NetworkKey(tuned));
  if (!text.has_value()) return std::nullopt;
  LayoutChoice choice;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const auto number = ParseNumber<std::size_t>(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!number.has_value()) return std::nullopt;
    choice.push_back(*number);
  }
  if (choice.size() != recipes.lists.size()) return std::nullopt;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    if (choice[i] >= recipes.lists[i]->size()) return std::nullopt;
  }
  return choice;
}

void Tuner::Remember(const Tuned& tuned, const LayoutChoice& choice) {
  cache_.Put(NetworkKey(tuned), fmt::format("{}", fmt::join(choice, " ")));
}

}  // namespace fairlead
