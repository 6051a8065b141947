// How long something of ours took in real time: decisions, whole runs. Such fields are exempt from
// byte identity. One of the two files in the tree that read a real clock.
#pragma once

#include <cstdint>

namespace fairlead {

class Stopwatch {
 public:
  Stopwatch();  // starts at once
  std::int64_t ElapsedNanoseconds() const;
  double ElapsedSeconds() const { return static_cast<double>(ElapsedNanoseconds()) * 1e-9; }

 private:
  std::int64_t start_;
};

}  // namespace fairlead
