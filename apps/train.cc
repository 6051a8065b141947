// fairlead train: hands everything on to fairlead-train, which links libtorch.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/verbs.h"

namespace fairlead {
namespace {

// Beside this program, as when installed; or in the build folder of the preset `train`; else by
// PATH.
std::string Trainer() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& there :
       {folder / "fairlead-train", folder.parent_path() / "train" / "fairlead-train"}) {
    if (fs::exists(there, ignored)) return there.string();
  }
  return "fairlead-train";
}

std::vector<std::string> WordsOf(const TrainCommandOptions& options) {
  std::vector<std::string> words = {Trainer()};
  words.insert(words.end(), options.scenarios.begin(), options.scenarios.end());
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(name);
    words.push_back(value);
  };
  add("--learner", options.learner);
  add("--out", options.out);
  add("--teacher", options.teacher);
  add("--loads", options.loads);
  add("--minutes", options.minutes);
  add("--threads", options.threads);
  add("--seed", options.seed);
  for (const std::string& setting : options.settings) add("--set", setting);
  if (options.fresh) words.emplace_back("--fresh");
  return words;
}

}  // namespace

int Run(const TrainCommandOptions& options) {
  std::vector<std::string> words = WordsOf(options);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());  // comes back only if it fails
  return Complain({"fairlead train: there is no fairlead-train beside this program or on the PATH. "
                   "It is built apart, since it links libtorch: tools/install-packages train && "
                   "cmake --preset train && cmake --build --preset train"},
                  kCouldNotGoOn);
}

}  // namespace fairlead
