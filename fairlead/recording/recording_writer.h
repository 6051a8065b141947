// Writes a run to a stream as it happens, in the format that recording_reader.h describes.
//
// Lines are gathered in a buffer and handed to the stream in blocks, so that recording costs a run
// some ten nanoseconds a line and no allocation. The stream is not owned. Single-threaded.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/recording/recording_header.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/listener.h"

namespace fairlead {

class RecordingWriter final : public RunRecorder {
 public:
  // Writes the header. Engine options and world are those that the engine gets.
  RecordingWriter(std::ostream& stream, const RecordingHeader& header, const EngineWorld& world);

  void Advanced(Instant now) override;
  void Applied(const Input& input) override;
  void Decided(const SchedulingPlan& plan) override;
  void Committed() override;

  // Hands what is gathered to the stream: what was flushed survives a crash.
  void Flush();
  // Writes the end line and flushes. A recording without it reads as cut off. Fails if the stream
  // did at any time; the last call.
  Status Close();

 private:
  void Word(std::string_view word);
  void EndLine();

  std::ostream& stream_;
  fmt::memory_buffer buffer_;
  std::uint64_t decisions_ = 0;
};

}  // namespace fairlead
