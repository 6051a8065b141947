// fairlead: one program, verbs like kubectl's.
#include <cstdio>
#include <exception>
#include <new>

#include "apps/command_line.h"
#include "apps/verbs.h"

namespace fairlead {

int Complain(const Error& error, int status) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return status;
}

}  // namespace fairlead

int main(int argc, char** argv) {
  const fairlead::ParsedCommandLine parsed = fairlead::ParseCommandLine(argc, argv);
  if (!parsed.command.has_value()) return parsed.exit_status;
  try {
    return std::visit([](const auto& options) { return fairlead::Run(options); },
                      *parsed.command);
  } catch (const std::bad_alloc&) {
    return fairlead::Complain({"out of memory; nothing was left half-written on purpose: remove "
                               "the output files of this run"},
                              fairlead::kCouldNotGoOn);
  }
}
