// Requests in the order of their arrival, drawn from random streams or read from a list.
//
// Whoever drives a world pulls one request after another; nothing is generated ahead, so memory
// does not grow with the length of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/random.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/request.h"
#include "fairlead/workload/arrivals.h"

namespace fairlead {

class RequestSource {
 public:
  virtual ~RequestSource() = default;
  // The next request, never earlier than the one before; none when there are no more.
  virtual std::optional<Request> Next() = 0;
};

// A request's deadline is its agreement's times one of these factors, drawn by weight.
struct DeadlineLevels {
  std::vector<double> factors = {0.8, 1.0, 1.2};
  std::vector<double> weights = {1, 1, 1};
};

// The requests of one agreement.
struct RequestStreamOptions {
  AgreementId agreement;
  std::string tenant;   // the names seed the random streams, so that adding a tenant
  std::string network;  // does not change the requests of the others
  ArrivalOptions arrivals;
  Duration deadline{};   // at level 1
  bool levelled = true;  // or of each request
  int priority = 1;
  Instant start{};        // arrivals count from here
  Instant stop = kNever;  // and come before this
};

struct GeneratedRequestsOptions {
  std::vector<RequestStreamOptions> streams;
  DeadlineLevels levels;
  Instant horizon{};  // all arrivals come before this
  std::uint64_t seed = 0;
};

// Merges the streams of all agreements. Requests of one instant come in the order of the streams;
// numbers count from 0. O(log streams) per request. The options must make sense: every stream
// passes CheckArrivals, there are as many weights as factors, not all of them 0.
class GeneratedRequests final : public RequestSource {
 public:
  explicit GeneratedRequests(const GeneratedRequestsOptions& options);
  std::optional<Request> Next() override;

 private:
  struct Stream {
    AgreementId agreement;
    Duration deadline;
    bool levelled;
    int priority;
    Instant end;
    std::unique_ptr<ArrivalProcess> arrivals;
    RandomStream levels;
  };
  struct Arrival {
    Instant at;
    std::uint32_t stream;
    friend auto operator<=>(const Arrival&, const Arrival&) = default;
  };
  // Puts the stream's next arrival after `last` in line, if it still has one.
  void Advance(std::uint32_t stream, Instant last);

  std::vector<Stream> streams_;
  DeadlineLevels levels_;
  std::vector<Arrival> heap_;  // the earliest on top
  RequestNumber next_number_ = 0;
};

// Requests that are already there, in time order.
class ListedRequests final : public RequestSource {
 public:
  explicit ListedRequests(std::vector<Request> requests);
  std::optional<Request> Next() override;

 private:
  std::vector<Request> requests_;
  std::size_t next_ = 0;
};

}  // namespace fairlead
