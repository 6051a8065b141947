// The requests of a run on their way, for who wants to know how far it has come.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "fairlead/workload/request_source.h"

namespace fairlead {

// Passes requests on, and tells how far the run has come.
class WatchedRequests final : public RequestSource {
 public:
  WatchedRequests(std::unique_ptr<RequestSource> source, Instant end,
                  std::function<void(double)> progressed)
      : source_(std::move(source)), end_(end), progressed_(std::move(progressed)) {}

  std::optional<Request> Next() override {
    std::optional<Request> request = source_->Next();
    if (request.has_value() && request->arrival >= next_ && end_ > Instant{}) {
      progressed_(Seconds(request->arrival - Instant{}) / Seconds(end_ - Instant{}));
      next_ = request->arrival + (end_ - Instant{}) / kSteps;
    }
    return request;
  }

 private:
  std::unique_ptr<RequestSource> source_;
  Instant end_;
  static constexpr int kSteps = 1000;  // that are told, few as requests may be

  std::function<void(double)> progressed_;
  Instant next_{};
};

}  // namespace fairlead
