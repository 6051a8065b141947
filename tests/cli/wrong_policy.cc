// A policy for another fairlead, as plugin_test.py needs it: the entry point is there, and what it
// hands over was made with other headers. Nothing of it may be called.
#include <cstdint>

struct Plugin {
  std::uint64_t layout;
  const char* made_for;
  void (*entry)();
};

extern "C" const Plugin* fairlead_policy_plugin_1() {
  static const Plugin plugin{42, "fairlead interface 0, compiler of old", nullptr};
  return &plugin;
}
