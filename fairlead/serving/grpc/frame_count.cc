#include "fairlead/serving/grpc/frame_count.h"

#include <algorithm>

namespace fairlead::grpc_room {
namespace {

enum FrameType : unsigned char {
  kData = 0,
  kHeaders = 1,
  kPriority = 2,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kContinuation = 9
};
constexpr unsigned char kEndOfStream = 1;

}  // namespace

FramesSeen FrameCount::Take(std::string_view bytes) {
  FramesSeen seen;
  const auto skip = [&](std::size_t& due) {
    const std::size_t size = std::min(due, bytes.size());
    bytes.remove_prefix(size);
    due -= size;
  };
  skip(preface_);
  while (!bytes.empty()) {
    if (payload_ > 0) {
      skip(payload_);
      continue;
    }
    head_[has_++] = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (has_ == kHead) Begin(seen);
  }
  return seen;
}

void FrameCount::Begin(FramesSeen& seen) {
  has_ = 0;
  payload_ = std::size_t{head_[0]} << 16 | std::size_t{head_[1]} << 8 | head_[2];
  switch (head_[3]) {
    case kHeaders:
      ++seen.opened;
      header_ = static_cast<std::int64_t>(payload_);
      break;
    case kContinuation:
      header_ += static_cast<std::int64_t>(payload_);
      if (payload_ == 0) ++seen.in_vain;
      break;
    case kData:
      if (payload_ == 0 && (head_[4] & kEndOfStream) == 0) ++seen.in_vain;
      break;
    case kPriority:
    case kReset:
    case kSettings:
    case kPing: ++seen.in_vain; break;
    default: break;
  }
  if (header_ > kLongestHeader) seen.endless = true;
}

}  // namespace fairlead::grpc_room
