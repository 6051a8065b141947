// fairlead: one program, verbs like kubectl's.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "apps/command_line.h"
#include "apps/verbs.h"
#include "fairlead/base/printable.h"

namespace fairlead {
namespace {

// Messages about bad input quote it, whatever it is: they stay one readable line.
std::string OneLine(std::string_view message) {
  constexpr std::size_t kLongest = 1000;
  constexpr std::size_t kEnd = 300;  // says what was expected
  std::string shortened;
  if (message.size() > kLongest) {
    shortened = message.substr(0, kLongest - kEnd);
    shortened += " [...] ";
    message = shortened += message.substr(message.size() - kEnd);
  }
  return OnOneLine(message);
}

}  // namespace

namespace {
std::string& Typed() {
  static std::string command = "fairlead";
  return command;
}
}  // namespace

// A script in front of the program (./run) says what it is called itself.
void SetTypedCommand(std::string_view program) {
  const char* const script = std::getenv("FAIRLEAD_COMMAND");
  if (script != nullptr && *script != '\0') {
    Typed() = script;
  } else if (!program.empty()) {
    Typed() = program;
  }
}

const std::string& TypedCommand() { return Typed(); }

int Complain(const Error& error, int status) {
  Tell("{}\n", status == kBadInput ? OneLine(error.message) : error.message);
  return status;
}

int ThreadsFor(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void TellText(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

namespace {

int RunCommand(const Command& command) {
  try {
    return std::visit([](const auto& options) { return Run(options); }, command);
  } catch (const std::bad_alloc&) {
    return Complain({"out of memory; output files that are there are complete"}, kCouldNotGoOn);
  } catch (const std::exception& failure) {  // such as the system's, when nothing can be printed
    return Complain({failure.what()}, kCouldNotGoOn);
  }
}

// What was printed may still wait to be written.
int Flushed(int status) {
  std::cout.flush();
  if (status == kCouldNotGoOn) return status;  // for this reason, or a worse one
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return status;
  return Complain({"cannot write to standard output"}, kCouldNotGoOn);
}

}  // namespace

}  // namespace fairlead

int main(int argc, char** argv) {
  if (argc > 0) fairlead::SetTypedCommand(argv[0]);
  const fairlead::ParsedCommandLine parsed = fairlead::ParseCommandLine(argc, argv);
  return fairlead::Flushed(parsed.command.has_value() ? fairlead::RunCommand(*parsed.command)
                                                      : parsed.exit_status);
}
