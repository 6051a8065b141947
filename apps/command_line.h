// The command line of `fairlead`: its verbs, options and help texts.
#pragma once

#include <optional>

#include "apps/options.h"

namespace fairlead {

struct ParsedCommandLine {
  std::optional<Command> command;  // none: help or version was asked for, or the usage was wrong
  int exit_status = 0;             // what to exit with then; everything is printed already
};

ParsedCommandLine ParseCommandLine(int argc, char** argv);

}  // namespace fairlead
