// What a client sends over HTTP/2, counted as it comes, without looking into it: streams that it
// opens, frames that cost more than they carry, and headers that do not end.
//
// One for each connection; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fairlead::grpc_room {

struct FramesSeen {
  int opened = 0;        // streams
  int in_vain = 0;       // streams given up, and frames that carry nothing
  bool endless = false;  // a header is longer than any may be
};

class FrameCount {
 public:
  // Bytes of all frames of a header, as sent.
  static constexpr std::int64_t kLongestHeader = 64 << 10;

  FramesSeen Take(std::string_view bytes);

 private:
  static constexpr std::size_t kPreface = 24;
  static constexpr std::size_t kHead = 9;

  void Begin(FramesSeen& seen);  // a frame whose head is complete

  std::size_t preface_ = kPreface;  // bytes that are to come
  std::array<unsigned char, kHead> head_{};
  std::size_t has_ = 0;      // bytes of the head
  std::size_t payload_ = 0;  // bytes of the frame that are to come
  std::int64_t header_ = 0;  // bytes of the header that is under way
};

}  // namespace fairlead::grpc_room
