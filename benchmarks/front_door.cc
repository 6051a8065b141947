// What does a request cost that asks for nothing? Calls go through the front door of a live world,
// whose network has one layer that does nothing: what is left is looking up, the inbox, the engine
// and its policy, the way to an accelerator's thread, and the answer.
//
// Rates: clients submit as long as fewer than `--window` of their calls are under way. Latencies:
// one client submits at half that rate, from Submit to the answer. Allocations are of all threads,
// without those for the call itself. The number of tenants, each with an agreement, must not show.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/harness.h"
#include "benchmarks/idle_service.h"
#include "fairlead/world/policy_registry.h"

namespace {

std::atomic<std::uint64_t> allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace fairlead {
namespace {

struct Options {
  bool quick = false;
  int requests = 200'000;
  int window = 32;  // of each client
  int clients = 1;
  int accelerators = 1;
  int spin = 0;  // microseconds
  std::string policies = "edf-h,fairlead";
  std::string tenants = "1,100,10000";
};

InferenceCall CallOf(std::size_t tenant) {
  static const std::vector<float> numbers(4, 1.0F);
  static const std::shared_ptr<const void> owner = std::make_shared<int>(0);
  InferenceCall call{.tenant = TenantId{tenant}, .network = "nothing"};
  call.inputs.push_back({.info = {.name = "x", .shape = {1, 4}},
                         .data = {.owner = owner, .bytes = std::as_bytes(std::span(numbers))}});
  return call;
}

struct Rate {
  double per_second = 0;
  double per_processor_second = 0;
  double allocations = 0;  // a request
  std::uint64_t failed = 0;
};

Rate MeasureRate(IdleService& service, const Options& options, std::size_t tenants) {
  std::atomic<std::uint64_t> failed = 0;
  const auto each = static_cast<std::size_t>(options.requests / options.clients);
  const auto submit_all = [&](std::size_t client, std::size_t count) {
    std::counting_semaphore<> free(options.window);
    for (std::size_t i = 0; i < count; ++i) {
      free.acquire();
      service.world().Submit(CallOf((i * 7919 + client) % tenants),
                             [&](const InferenceAnswer& answer) {
                               if (answer.code != InferenceCode::kOk) ++failed;
                               free.release();
                             });
    }
    for (int i = 0; i < options.window; ++i) free.acquire();
  };
  submit_all(0, 2000);  // warm up
  std::uint64_t before = allocations;
  for (std::size_t i = 0; i < 1000; ++i) CallOf(i % tenants);
  const double per_call = static_cast<double>(allocations - before) / 1000;
  before = allocations;
  const Meter meter;
  std::vector<std::thread> clients;
  for (int c = 0; c < options.clients; ++c)
    clients.emplace_back(submit_all, static_cast<std::size_t>(c), each);
  for (std::thread& client : clients) client.join();
  const Spent spent = meter.Read();
  const double count = static_cast<double>(each) * options.clients;
  return {.per_second = count / spent.wall,
          .per_processor_second = count / spent.processor,
          .allocations = static_cast<double>(allocations - before) / count - per_call,
          .failed = failed};
}

// In microseconds.
std::vector<double> MeasureLatencies(IdleService& service, const Options& options,
                                     std::size_t tenants, double rate) {
  const auto count = static_cast<std::size_t>(options.requests / 4);
  std::vector<double> latencies(count);
  std::atomic<std::size_t> ended = 0;
  const Duration apart{static_cast<std::int64_t>(1e9 / rate)};
  Instant due = service.clock().Now();
  for (std::size_t i = 0; i < count; ++i, due += apart) {
    while (service.clock().Now() < due) PauseBriefly();
    service.world().Submit(CallOf((i * 7919) % tenants), [&, i, due](const InferenceAnswer&) {
      latencies[i] = Seconds(service.clock().Now() - due) * 1e6;
      ++ended;
    });
  }
  while (ended < count) std::this_thread::yield();
  return latencies;
}

std::vector<std::size_t> ParseCounts(const std::string& text) {
  std::vector<std::size_t> counts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    counts.push_back(std::stoul(text.substr(at, end - at)));
    at = end + 1;
  }
  return counts;
}

Status RunAll(const Options& options) {
  ASSIGN_OR_RETURN(const auto policies, ParsePolicyList(options.policies));
  fmt::print(
      "{} clients, {} accelerators, up to {} calls under way each\n{:12}{:>9}{:>12}{:>14}"
      "{:>10}{:>10}{:>10}{:>9}\n",
      options.clients, options.accelerators, options.window, "policy", "tenants", "requests/s",
      "/processor s", "allocated", "median us", "99 % us", "failed");
  for (const std::string& policy : policies) {
    for (const std::size_t tenants : ParseCounts(options.tenants)) {
      ASSIGN_OR_RETURN(const auto service, IdleService::Make({.tenants = tenants,
                                                              .accelerators = options.accelerators,
                                                              .spin = options.spin,
                                                              .policy = policy}));
      const Rate rate = MeasureRate(*service, options, tenants);
      const std::vector<double> latencies =
          MeasureLatencies(*service, options, tenants, rate.per_second / 2);
      fmt::print("{:12}{:>9}{:>12.0f}{:>14.0f}{:>10.2f}{:>10.1f}{:>10.1f}{:>9}\n", policy, tenants,
                 rate.per_second, rate.per_processor_second, rate.allocations,
                 Quantile(latencies, 0.5), Quantile(latencies, 0.99), rate.failed);
    }
  }
  return {};
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("front_door", "What does a request cost that asks for nothing?");
  arguments.Add("--quick", options.quick, "20,000 requests");
  arguments.Add("--requests", options.requests, "of each case; 200,000");
  arguments.Add("--window", options.window, "calls under way of a client; 32");
  arguments.Add("--clients", options.clients, "that submit at once; 1");
  arguments.Add("--accelerators", options.accelerators, "with a thread each; 1");
  arguments.Add("--spin", options.spin, "microseconds that an accelerator looks out; 0");
  arguments.Add("--policies", options.policies, "A,B,...");
  arguments.Add("--tenants", options.tenants, "A,B,...: how many there are; 1,100,10000");
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  if (options.quick) options.requests = 20'000;
  const fairlead::Status status = fairlead::RunAll(options);
  if (status.has_value()) return 0;
  fmt::print(stderr, "front_door: {}\n", status.error().message);
  return 1;
}
