#include "fairlead/world/policy_plugin.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "fairlead/scenario/split.h"

namespace fairlead {
namespace {

struct LoadedPlugin {
  std::string path;
  PolicyEntry entry;
};

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// The file whose code this thread runs; null: none.
thread_local const char* running_file = nullptr;

std::array<struct sigaction, kCrashes.size()> actions_before{};

void WriteText(const char* text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
}

// Names the policy that crashed, and leaves the rest to whoever handled the signal before.
void NameCrashed(int signal) {
  if (running_file != nullptr) {
    WriteText("fairlead: the policy ");
    WriteText(running_file);
    WriteText(" crashed\n");
  }
  const auto* const found = std::ranges::find(kCrashes, signal);
  sigaction(signal, &actions_before[static_cast<std::size_t>(found - kCrashes.begin())], nullptr);
  raise(signal);
}

void WatchForCrashes() {
  struct sigaction tell = {};
  tell.sa_handler = NameCrashed;
  tell.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < kCrashes.size(); ++i)
    sigaction(kCrashes[i], &tell, &actions_before[i]);
}

// A stack for the handler, for as long as the thread lasts: a recursion without end leaves none.
std::unique_ptr<char[]> MakeHandlerStack() {
  constexpr std::size_t kBytes = std::size_t{64} << 10;
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return nullptr;
  auto memory = std::make_unique<char[]>(kBytes);
  stack = {.ss_sp = memory.get(), .ss_flags = 0, .ss_size = kBytes};
  sigaltstack(&stack, nullptr);
  return memory;
}

// While it is there, this thread runs code of the file.
class Running {
 public:
  explicit Running(const std::string& path) : before_(running_file) {
    thread_local const auto stack = MakeHandlerStack();
    running_file = path.c_str();
  }
  ~Running() { running_file = before_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  const char* before_;
};

// A policy of a file, so that a crash can be told apart from one of ours.
class PluginPolicy final : public SchedulingPolicy {
 public:
  PluginPolicy(const std::string& path, std::unique_ptr<SchedulingPolicy> policy)
      : path_(path), policy_(std::move(policy)) {}
  ~PluginPolicy() override {
    const Running running(path_);
    policy_.reset();
  }

  std::string_view Name() const override { return policy_->Name(); }
  void Observe(const SystemView& view, const Event& event) override {
    const Running running(path_);
    policy_->Observe(view, event);
  }
  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    const Running running(path_);
    policy_->Decide(view, plan);
  }

 private:
  const std::string& path_;  // of the loaded file, which stays
  std::unique_ptr<SchedulingPolicy> policy_;
};

// Filled before runs begin, and never emptied: what was loaded stays.
std::deque<LoadedPlugin>& Plugins() {
  static std::deque<LoadedPlugin> plugins;
  return plugins;
}

std::string_view PathOf(std::string_view spec) { return spec.substr(0, spec.find(':')); }

Status Load(const std::string& path) {
  void* const object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) return Fail("{}: cannot be loaded: {}", path, dlerror());
  using EntryPoint = const PolicyPlugin* (*)();
  const auto entry_point =
      reinterpret_cast<EntryPoint>(dlsym(object, std::string(kPluginEntryPoint).c_str()));
  if (entry_point == nullptr)
    return Fail(
        "{}: has no {}: it is no policy, or one for another fairlead; see FAIRLEAD_POLICY in "
        "docs/guide/your-own-policy.md",
        path, kPluginEntryPoint);
  const PolicyPlugin* const plugin = entry_point();
  if (plugin == nullptr) return Fail("{}: hands over nothing", path);
  if (plugin->layout != kPluginLayout)
    return Fail("{}: made for {}, and this is {}: compile it again with this fairlead's headers",
                path, plugin->made_for, FAIRLEAD_PLUGIN_HEADERS);
  if (Plugins().empty()) WatchForCrashes();
  LoadedPlugin& loaded = Plugins().emplace_back(path);
  {
    const Running running(loaded.path);
    loaded.entry = plugin->entry();
  }
  loaded.entry.name = loaded.path;
  loaded.entry.choose = [&path = loaded.path, choose = std::move(loaded.entry.choose)](
                            std::optional<std::string_view> options) -> Result<PolicyChoice> {
    const Running running(path);
    auto choice = choose(options);
    if (!choice.has_value()) return Fail("{}: {}", path, choice.error().message);
    choice->canonical = path + choice->canonical;
    choice->make = [&path, name = choice->canonical, make = std::move(choice->make)](
                       const PolicyContext& context) -> Result<std::unique_ptr<SchedulingPolicy>> {
      PolicyContext named = context;
      named.name = name;
      const Running making(path);
      ASSIGN_OR_RETURN(auto policy, make(named));
      return std::make_unique<PluginPolicy>(path, std::move(policy));
    };
    return choice;
  };
  return {};
}

}  // namespace

bool IsPluginFile(std::string_view spec) {
  const std::string_view path = PathOf(spec);
  return path.find('/') != std::string_view::npos && path.ends_with(".so");
}

Status LoadPolicyPlugins(std::string_view list) {
  for (const std::string_view spec : SplitAt(list, ',')) {
    if (IsPluginFile(spec) && FindPlugin(PathOf(spec)) == nullptr)
      RETURN_IF_ERROR(Load(std::string(PathOf(spec))));
  }
  return {};
}

const PolicyEntry* FindPlugin(std::string_view path) {
  const auto found = std::ranges::find(Plugins(), path, &LoadedPlugin::path);
  return found == Plugins().end() ? nullptr : &found->entry;
}

}  // namespace fairlead
