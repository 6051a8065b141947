// The vector instructions that a partition may use. A cap makes two kinds of accelerators out of
// equal cores.
//
// oneDNN's own limit holds for a whole process; ours holds for a partition, since it chooses among
// oneDNN's implementations by their names. Conversions between layouts are not capped.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fairlead {

enum class InstructionCap : std::uint8_t { kSse41, kAvx, kAvx2, kAvx512, kNone };

// "sse41", "avx", "avx2", "avx512", "none".
std::string_view Name(InstructionCap cap);
std::optional<InstructionCap> FindInstructionCap(std::string_view name);

// Whether an implementation with this name ("jit:avx512_core", "gemm:jit") stays below the cap.
// Those that do not say what they use, and choose by themselves, do not.
bool Permits(InstructionCap cap, std::string_view implementation);

}  // namespace fairlead
