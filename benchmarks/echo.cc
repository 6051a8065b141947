// What does the wire cost? Requests a second, and latencies at half of that, of a bare echo of
// Boost.Beast and of gRPC, and of `infer` through protocol, engine, policy and accelerator for a
// network that does nothing, with few and many tenants: by the same clients, in turns. Clients and
// servers share the machine; what a request takes of its processors, theirs and the server's
// together, is told beside the rates, since others who work there spoil it less.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/beast_echo.h"
#include "benchmarks/grpc_echo.h"
#include "benchmarks/harness.h"
#include "benchmarks/idle_service.h"
#include "fairlead/base/check.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/serving/grpc/grpc_server.h"
#include "fairlead/serving/http/http_server.h"
#include "fairlead/serving/http/protocol.h"

namespace fairlead {
namespace {

struct Options {
  int connections = 8;
  int requests = 20'000;  // in a round, of all connections
  int threads = 2;
  int rounds = 5;
  std::string tenants = "1,100,10000";
  std::string policy = "fairlead";
  std::string wires = "http,grpc";
  int spin = -1;  // microseconds; -1: as a server does on this machine
};

// A server whose partitions have cores of their own lets their threads look out for work
// (running/live_machine.h). Here that is where all who take part have one.
int SpinOf(const Options& options) {
  if (options.spin >= 0) return options.spin;
  const int needed = options.connections + options.threads + 2;
  return needed <= static_cast<int>(std::thread::hardware_concurrency()) ? 200 : 0;
}

// Makes one call, and waits for its reply.
using Caller = std::function<void(std::size_t)>;

class HttpConnection {
 public:
  HttpConnection(int port, const std::vector<std::string>& tenants) {
    constexpr std::string_view kBody =
        R"({"id":"1","inputs":[{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]}]})";
    for (const std::string& tenant : tenants)
      requests_.push_back(
          fmt::format("POST /v2/models/nothing/infer HTTP/1.1\r\nHost: x\r\nFairlead-Tenant: "
                      "{}\r\nContent-Length: {}\r\n\r\n{}",
                      tenant, kBody.size(), kBody));
    handle_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(handle_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const int on = 1;
    setsockopt(handle_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~HttpConnection() { close(handle_); }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void Call(std::size_t i) {
    const std::string& request = requests_[i % requests_.size()];
    CHECK(send(handle_, request.data(), request.size(), MSG_NOSIGNAL) == std::ssize(request));
    received_.clear();
    std::size_t whole = std::string::npos;
    while (received_.size() < whole) {
      char bytes[4096];
      const ssize_t size = recv(handle_, bytes, sizeof bytes, 0);
      CHECK_MSG(size > 0, received_);
      received_.append(bytes, static_cast<std::size_t>(size));
      const std::size_t head = received_.find("\r\n\r\n");
      if (whole != std::string::npos || head == std::string::npos) continue;
      const std::size_t length = received_.find("Content-Length: ");
      CHECK(length < head);
      whole = head + 4 + std::stoul(received_.substr(length + 16));
    }
    CHECK_MSG(received_.starts_with("HTTP/1.1 200"), received_);
  }

 private:
  int handle_ = -1;
  std::vector<std::string> requests_;
  std::string received_;
};

// One server, and what came of its rounds.
struct Contestant {
  std::string name;
  std::function<Caller()> connect;
  std::vector<double> rates;
  std::vector<double> processor;  // µs a request, of clients and server
  std::vector<double> medians;    // µs
  std::vector<double> p99s;       // µs
};

// Each connection makes its calls, one after the other, at the times that `due` says (seconds from
// the beginning); none: as fast as it can. Microseconds from then on, of all calls.
std::vector<double> CallAll(const Contestant& contestant, const Options& options,
                            std::optional<double> rate, double& seconds) {
  const auto connections = static_cast<std::size_t>(options.connections);
  const std::size_t each = static_cast<std::size_t>(options.requests) / connections;
  std::vector<std::vector<double>> times(connections);
  std::vector<Caller> callers;
  for (std::size_t c = 0; c < connections; ++c) {
    callers.push_back(contestant.connect());
    callers.back()(c);  // sets it up
  }
  const Stopwatch stopwatch;
  std::vector<std::thread> threads;
  for (std::size_t c = 0; c < connections; ++c) {
    threads.emplace_back([&, c] {
      for (std::size_t i = 0; i < each; ++i) {
        double due = stopwatch.ElapsedSeconds();
        if (rate.has_value()) {
          const double planned = static_cast<double>(i * connections + c) / *rate;
          while ((due = stopwatch.ElapsedSeconds()) < planned) {
            const auto left = static_cast<useconds_t>((planned - due) * 1e6);
            if (left > 0) usleep(left);
          }
          due = planned;
        }
        callers[c](i * connections + c);
        times[c].push_back((stopwatch.ElapsedSeconds() - due) * 1e6);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  seconds = stopwatch.ElapsedSeconds();
  std::vector<double> all;
  for (const auto& some : times) all.insert(all.end(), some.begin(), some.end());
  return all;
}

void Measure(Contestant& contestant, const Options& options) {
  double seconds = 0;
  const Meter meter;
  const auto count = CallAll(contestant, options, std::nullopt, seconds).size();
  contestant.processor.push_back(meter.Read().processor / static_cast<double>(count) * 1e6);
  const double rate = static_cast<double>(count) / seconds;
  contestant.rates.push_back(rate);
  const std::vector<double> times = CallAll(contestant, options, rate / 2, seconds);
  contestant.medians.push_back(Quantile(times, 0.5));
  contestant.p99s.push_back(Quantile(times, 0.99));
}

// A service, and both doors before it.
struct Served {
  std::unique_ptr<IdleService> service;
  AnonymousDoor door{"tenant-0"};
  std::unique_ptr<ProtocolHandler> protocol;
  std::unique_ptr<HttpServer> http;
  std::unique_ptr<GrpcServer> grpc;
  std::vector<std::string> tenants;  // who calls
};

Result<std::unique_ptr<Served>> Serve(const Options& options, std::size_t tenants) {
  auto served = std::make_unique<Served>();
  ASSIGN_OR_RETURN(
      served->service,
      IdleService::Make({.tenants = tenants, .spin = SpinOf(options), .policy = options.policy}));
  served->protocol = std::make_unique<ProtocolHandler>(served->service->world(), served->door);
  ASSIGN_OR_RETURN(served->http,
                   HttpServer::Start({.threads = options.threads}, *served->protocol));
  ASSIGN_OR_RETURN(served->grpc, GrpcServer::Start({.threads = options.threads},
                                                   served->service->world(), served->door));
  for (std::size_t i = 0; i < std::min<std::size_t>(tenants, 512); ++i)
    served->tenants.push_back(fmt::format("tenant-{}", i * 7919 % tenants));
  return served;
}

Caller ConnectHttp(int port, const std::vector<std::string>& tenants) {
  const auto connection = std::make_shared<HttpConnection>(port, tenants);
  return [connection](std::size_t i) { connection->Call(i); };
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

void Print(const std::vector<Contestant>& contestants) {
  fmt::print("{:<22}{:>12}{:>9}{:>15}{:>9}{:>9}{:>9}{:>14}{:>16}\n", "", "requests/s", "of echo",
             "processor us", "of echo", "p50 us", "p99 us", "p99 - echo's", "p99 of rounds");
  const double echo = Quantile(contestants[0].rates, 0.5);
  const double echo_processor = Quantile(contestants[0].processor, 0.5);
  const double echo_p99 = Quantile(contestants[0].p99s, 0.5);
  for (const Contestant& one : contestants) {
    const double rate = Quantile(one.rates, 0.5);
    const double p99 = Quantile(one.p99s, 0.5);
    const double processor = Quantile(one.processor, 0.5);
    fmt::print(
        "{:<22}{:>12.0f}{:>8.0f}%{:>15.1f}{:>8.0f}%{:>9.0f}{:>9.0f}{:>14.0f}{:>16}\n", one.name,
        rate, 100 * rate / echo, processor, 100 * echo_processor / processor,
        Quantile(one.medians, 0.5), p99, p99 - echo_p99,
        fmt::format("{:.0f} to {:.0f}", std::ranges::min(one.p99s), std::ranges::max(one.p99s)));
  }
}

Status RunAll(const Options& options) {
  const auto beast = BeastEcho::Start(options.threads);
  const auto bare = GrpcEcho::Start();
  std::vector<std::unique_ptr<Served>> all;
  for (const std::string& tenants : Split(options.tenants)) {
    ASSIGN_OR_RETURN(auto served, Serve(options, std::stoul(tenants)));
    all.push_back(std::move(served));
  }
  fmt::print("{} connections, policy {}; accelerators look out for {} us; medians of {} rounds\n",
             options.connections, options.policy, SpinOf(options), options.rounds);
  const std::vector<std::string> nobody = {"nobody"};
  for (const std::string& wire : Split(options.wires)) {
    const bool http = wire == "http";
    std::vector<Contestant> contestants;
    contestants.push_back({http ? "Beast, echo" : "gRPC, echo", [&, http] {
                             return http ? ConnectHttp(beast->port(), nobody)
                                         : ConnectGrpc(bare->port(), nobody);
                           }});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Served& served = *all[i];
      contestants.push_back(
          {fmt::format("{}, {} tenants", wire, Split(options.tenants)[i]), [&served, http] {
             return http ? ConnectHttp(served.http->port(), served.tenants)
                         : ConnectGrpc(served.grpc->port(), served.tenants);
           }});
    }
    for (int round = 0; round < options.rounds; ++round) {
      for (Contestant& contestant : contestants) Measure(contestant, options);
    }
    Print(contestants);
  }
  return {};
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("echo", "What does the wire cost, beside a bare echo?");
  arguments.Add("--connections", options.connections, "each waiting for its reply; 8");
  arguments.Add("--requests", options.requests, "of a round; 20,000");
  arguments.Add("--threads", options.threads, "of each server; 2");
  arguments.Add("--rounds", options.rounds, "of all in turn; 5");
  arguments.Add("--tenants", options.tenants, "A,B,...: how many there are; 1,100,10000");
  arguments.Add("--policy", options.policy, "fairlead");
  arguments.Add("--wires", options.wires, "http,grpc");
  arguments.Add("--spin", options.spin, "us that accelerators look out for work; as a server does");
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  const fairlead::Status status = fairlead::RunAll(options);
  if (status.has_value()) return 0;
  fmt::print(stderr, "echo: {}\n", status.error().message);
  return 1;
}
