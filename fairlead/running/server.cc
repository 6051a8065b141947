#include "fairlead/running/server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "fairlead/execution/machine.h"
#include "fairlead/execution/memory_shortage.h"
#include "fairlead/recording/recording_writer.h"
#include "fairlead/running/key_authenticator.h"
#include "fairlead/running/live_machine.h"
#include "fairlead/running/live_networks.h"
#include "fairlead/running/look_ahead.h"
#include "fairlead/running/memory_keeper.h"
#include "fairlead/running/network_source.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/running/store_administration.h"
#include "fairlead/scenario/agreement_text.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/engine_log.h"
#include "fairlead/serving/grpc/grpc_server.h"
#include "fairlead/serving/http/http_server.h"
#include "fairlead/serving/http/protocol.h"
#include "fairlead/serving/inference_world.h"
#include "fairlead/serving/memory_budget.h"
#include "fairlead/serving/recording_log.h"
#include "fairlead/serving/stall_watch.h"
#include "fairlead/serving/store/store_keeper.h"
#include "fairlead/world/long_segments.h"

namespace fairlead {
namespace {

// How long written replies have to reach their clients when all is over.
constexpr Duration kLastWords = std::chrono::seconds{2};

std::optional<TlsFiles> TlsOf(const World& world) {
  const ServeConfig& serve = *world.scenario.serve;
  if (serve.certificate.empty()) return std::nullopt;
  return TlsFiles{.certificates = Beside(world.scenario.file, serve.certificate),
                  .key = Beside(world.scenario.file, serve.key)};
}

HttpOptions HttpOptionsOf(const World& world, MemoryBudget& memory, const StallWatch& time) {
  const ServeConfig& serve = *world.scenario.serve;
  HttpOptions options{
      .address = serve.http.host, .port = serve.http.port, .threads = serve.threads};
  options.limits = {.body = serve.limits.body,
                    .header = static_cast<int>(serve.limits.header),
                    .connections = serve.limits.connections,
                    .per_address = serve.limits.per_address,
                    .header_time = serve.limits.header_time,
                    .body_time = serve.limits.body_time,
                    .idle_time = serve.limits.idle_time,
                    .write_time = serve.limits.write_time};
  options.tls = TlsOf(world);
  options.memory = &memory;
  options.time = &time;
  return options;
}

GrpcOptions GrpcOptionsOf(const World& world, MemoryBudget& memory, const StallWatch& time) {
  const ServeConfig& serve = *world.scenario.serve;
  GrpcOptions options{
      .address = serve.grpc->host, .port = serve.grpc->port, .threads = serve.threads};
  options.limits = {.message = serve.limits.body,
                    .metadata = static_cast<int>(serve.limits.header),
                    .connections = serve.limits.connections,
                    .per_address = serve.limits.per_address,
                    .message_time = serve.limits.body_time,
                    .set_up_time = serve.limits.header_time,
                    .idle_time = serve.limits.idle_time};
  options.tls = TlsOf(world);
  options.reflection = serve.anonymous;
  options.memory = &memory;
  options.time = &time;
  return options;
}

std::string AddressOf(const std::string& host, int port) {
  const bool everywhere = host == "0.0.0.0" || host == "::";
  return fmt::format("{}:{}",
                     everywhere                            ? "localhost"
                     : host.find(':') != std::string::npos ? "[" + host + "]"
                                                           : host,
                     port);
}

Result<std::optional<AnonymousDoor>> DoorWithoutKey(const World& world) {
  const ServeConfig& serve = *world.scenario.serve;
  if (!serve.anonymous) return std::optional<AnonymousDoor>();
  const std::string name =
      serve.anonymous_tenant.empty() ? world.tenants.front().name : serve.anonymous_tenant;
  if (std::ranges::find(world.tenants, name, &Tenant::name) == world.tenants.end())
    return FailAt(serve.anonymous_place, "anonymous: there is no tenant '{}'", name);
  return std::optional<AnonymousDoor>(AnonymousDoor(name));
}

Result<ServiceAgreement> ReadTerms(const StoredAgreement& stored) {
  ASSIGN_OR_RETURN(const StatedTerms terms, ParseTerms(TermsIn(stored)));
  return terms.promise;
}

// Beats as long as the engine can be looked at.
class Heartbeat {
 public:
  Heartbeat(const ServerSetup& setup, const InferenceService& service, const LiveClock& clock) {
    if (!setup.heartbeat.has_value()) return;
    thread_ = std::thread([this, &setup, &service, &clock] {
      std::unique_lock lock(mutex_);
      while (!end_) {
        lock.unlock();
        static_cast<void>(service.Report());
        setup.beat();
        lock.lock();
        const Instant next = clock.Now() + *setup.heartbeat;
        while (!end_ && clock.Now() < next) clock.WaitUntil(ending_, lock, next);
      }
    });
  }
  ~Heartbeat() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      end_ = true;
    }
    ending_.notify_all();
    thread_.join();
  }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

// All that serves, in the order in which it must go away.
class RunningServer {
 public:
  RunningServer(const ServerSetup& setup, LoadedNetworks& networks)
      : setup_(setup),
        serve_(*setup.world->scenario.serve),
        networks_(networks),
        memory_(serve_.memory > 0 ? serve_.memory : MemoryBudget::Default()),
        stalls_(clock_,
                [this](Duration time) {
                  if (setup_.tell)
                    setup_.tell(fmt::format(
                        "the server stood still for {:.1f} s; deadlines went on", Seconds(time)));
                }),
        seeded_(*setup.world, setup.world->scenario.seed, SeededWorld::Order::kAsListed),
        beliefs_(MeasuredBeliefs(seeded_.beliefs(), *setup.world, networks)) {}

  Status Prepare() {
    RETURN_IF_ERROR(CheckLongSegments(*setup_.world, beliefs_));
    std::vector<KeptAgreement> books;
    if (!serve_.store.empty()) {
      ASSIGN_OR_RETURN(store_, OpenStore());
      RETURN_IF_ERROR(store_->TakeLease(LeaseHolder(), LeaseFor(serve_.flush)));
      RETURN_IF_ERROR(TakeUpPending(PendingFile(), *store_));
      ASSIGN_OR_RETURN(books, store_->Indicators());
    }
    seeded_.Continue(books);
    ASSIGN_OR_RETURN(auto policy, seeded_.Policy(setup_.policy));
    RETURN_IF_ERROR(TryLaterPolicies());
    seeded_.ReadNoMoreFiles();
    SimulationSetup run = seeded_.Setup();
    InferenceSetup inference{.live = LiveSetup(std::move(static_cast<RunSetup&>(run))),
                             .networks = &networks_};
    inference.processors = [world = setup_.world](AcceleratorId accelerator) {
      return MakeProcessor(*world, accelerator);
    };
    inference.live.world.beliefs = &beliefs_;
    inference.network_source = NetworkSourceOf(*setup_.world, &ReadFile);
    inference.newcomers_for = WhoHasNewNetworks();
    inference.live.requests = nullptr;
    inference.live.policy = setup_.policy;
    inference.live.clock = &clock_;
    inference.live.engine.wrong_plan = WrongPlan::kSkip;
    inference.live.engine.measured_from = Instant{};
    if (CoresOf(*setup_.world, Machine::This().UsableCores()).AreEnough())
      inference.live.spin = kLookOut;
    look_ahead_ = MakeLookAhead(
        setup_.policy, inference.live, LookAhead::Judges::kOnAThread,
        [this] { return seeded_.BelievedInterference(); }, setup_.world->scenario.seed);
    inference.live.advisor = look_ahead_.get();
    RETURN_IF_ERROR(PrepareRecording(*policy, inference.live));
    if (setup_.log != nullptr) {
      events_.emplace(inference.live.world, *setup_.log, inference.live.recorder);
      inference.live.listener = &*events_;
      inference.live.recorder = &*events_;
    }
    world_.emplace(std::move(inference), std::move(policy));
    ASSIGN_OR_RETURN(auto without_key, DoorWithoutKey(*setup_.world));
    door_.emplace(std::move(without_key));
    if (store_ != nullptr) {
      ASSIGN_OR_RETURN(auto another, OpenStore());
      administration_.emplace(std::move(another));
    }
    protocol_.emplace(*world_, *door_, administration_.has_value() ? &*administration_ : nullptr,
                      serve_.names, [this] {
                        return DoorMetrics{.memory_total = memory_.total(),
                                           .memory_used = memory_.used(),
                                           .memory_refusals = memory_.refusals(),
                                           .stalls = stalls_.stalls(),
                                           .stalled = stalls_.stalled()};
                      });
    ASSIGN_OR_RETURN(http_,
                     HttpServer::Start(HttpOptionsOf(*setup_.world, memory_, stalls_), *protocol_));
    if (serve_.grpc.has_value()) {
      ASSIGN_OR_RETURN(grpc_, GrpcServer::Start(GrpcOptionsOf(*setup_.world, memory_, stalls_),
                                                *world_, *door_));
    }
    return {};
  }

  Status Run(const std::stop_token& stop) {
    std::thread opening([this] { Open(); });
    Status status;
    {
      const Heartbeat heartbeat(setup_, *world_, clock_);
      const MemoryKeeper memory({.clock = &clock_,
                                 .quiet = [this] { return world_->calls_under_way() == 0; },
                                 .give_back = [this] { world_->GiveBackSpares(); }});
      const std::stop_callback drain(stop, [this] {
        if (setup_.draining) setup_.draining();
        world_->Drain(serve_.drain);
      });
      status = world_->Run();
    }
    opening.join();
    Status kept;
    if (keeper_.has_value()) kept = keeper_->End();
    if (grpc_ != nullptr) grpc_->Close(kLastWords);
    http_->Close(kLastWords);
    if (recordings_ != nullptr) recordings_->Close();
    if (recorder_.has_value() && status.has_value()) status = recorder_->Close();
    return status.has_value() ? kept : status;
  }

 private:
  // One recording of all, or a log of pieces.
  Status PrepareRecording(const SchedulingPolicy& policy, LiveSetup& live) {
    header_ = {.scenario = setup_.world->scenario.name,
               .seed = setup_.world->scenario.seed,
               .policy = setup_.policy,
               .policy_name = std::string(policy.Name()),
               .engine = ServingOptions(live.engine),
               .extras = {}};
    if (setup_.recording != nullptr) {
      live.recorder = &recorder_.emplace(*setup_.recording, HeaderNow(), live.world);
    } else if (const ServeRecordings& log = serve_.recordings; !log.folder.empty()) {
      ASSIGN_OR_RETURN(recordings_, RecordingLog::Open(
                                        {.folder = Beside(setup_.world->scenario.file, log.folder),
                                         .keep = log.keep,
                                         .piece = log.piece,
                                         .span = log.span},
                                        &WallNanoseconds, setup_.tell));
      recordings_->Begin(HeaderNow(), live.world, clock_.Now());
      live.recorder = recordings_.get();
      live.renewal = Renewal{.due = [this](Instant now) { return recordings_->Due(now); },
                             .begin = [this](const Renewal::Beginning& beginning) -> RunRecorder* {
                               header_.policy = beginning.policy;
                               header_.policy_name = beginning.policy_name;
                               recordings_->Begin(HeaderNow(), beginning.world, beginning.now);
                               return recordings_.get();
                             }};
    }
    return {};
  }

  // Those that the scenario has take over later, with the files that they are made from.
  Status TryLaterPolicies() const {
    const World& world = *setup_.world;
    if (world.scenario.guard.has_value())
      RETURN_IF_ERROR(seeded_.Policy(world.scenario.guard->fallback));
    for (const TimedInput& timed : world.changes) {
      if (const auto* change = std::get_if<PolicyChange>(&timed.input))
        RETURN_IF_ERROR(seeded_.Policy(change->policy));
    }
    return {};
  }

  // With the files that policies have read so far.
  RecordingHeader HeaderNow() const {
    RecordingHeader header = header_;
    header.extras["config"] = ScenarioJson(setup_.world->scenario);
    for (const auto& [path, text] : seeded_.files_read()) header.extras[KeptFile(path)] = text;
    return header;
  }

  // Where nobody needs a key, who says no name may call what was loaded.
  TenantId WhoHasNewNetworks() const {
    if (!serve_.anonymous) return {};
    const auto& tenants = setup_.world->tenants;
    const auto found = std::ranges::find(tenants, serve_.anonymous_tenant, &Tenant::name);
    return TenantId{found == tenants.end() ? 0 : static_cast<std::size_t>(found - tenants.begin())};
  }

  Result<std::unique_ptr<Store>> OpenStore() const {
    const std::string where = IsStoreAddress(serve_.store)
                                  ? serve_.store
                                  : Beside(setup_.world->scenario.file, serve_.store);
    return Store::Open(where, Store::IfMissing::kCreate);
  }

  // Beside the store, or beside the scenario where that is no file.
  std::string PendingFile() const {
    const bool file = !IsStoreAddress(serve_.store);
    return Beside(setup_.world->scenario.file, (file ? serve_.store : "fairlead") + ".pending");
  }

  // Beside the world, which runs.
  void Open() {
    if (store_ != nullptr) {
      keeper_.emplace(
          StoreKeeperSetup{.service = &*world_,
                           .store = store_.get(),
                           .interval = serve_.flush,
                           .read_terms = ReadTerms,
                           .use_keys = [this](KeyRing keys) { door_->Use(std::move(keys)); },
                           .tell = setup_.tell,
                           .holder = LeaseHolder(),
                           .pending = PendingFile(),
                           .give_up = setup_.give_up});
      keeper_->Begin();
    }
    door_->Open();
    if (setup_.ready) setup_.ready(Where());
  }

  ServedAt Where() const {
    const char* const scheme = serve_.certificate.empty() ? "http" : "https";
    ServedAt at{.url = fmt::format("{}://{}", scheme, AddressOf(serve_.http.host, http_->port())),
                .networks = world_->Networks()};
    if (grpc_ != nullptr) at.grpc = AddressOf(serve_.grpc->host, grpc_->port());
    return at;
  }

  const ServerSetup& setup_;
  const ServeConfig& serve_;
  LoadedNetworks& networks_;
  RealClock clock_;
  MemoryBudget memory_;
  StallWatch stalls_;
  SeededWorld seeded_;
  const CostTable beliefs_;
  std::unique_ptr<Store> store_;
  RecordingHeader header_;
  std::optional<RecordingWriter> recorder_;
  std::unique_ptr<RecordingLog> recordings_;
  std::optional<EngineLog> events_;
  std::unique_ptr<LookAhead> look_ahead_;
  std::optional<InferenceWorld> world_;
  std::optional<KeyAuthenticator> door_;
  std::optional<StoreAdministration> administration_;
  std::optional<ProtocolHandler> protocol_;
  std::optional<StoreKeeper> keeper_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<GrpcServer> grpc_;
};

}  // namespace

Status Serve(const ServerSetup& setup, const std::stop_token& stop) {
  OutliveMemoryShortages();
  ASSIGN_OR_RETURN(const auto networks,
                   LoadLiveNetworks(*setup.world, setup.read, Measuring::kSegments));
  const OffThePartitions off(CoresOf(*setup.world, Machine::This().UsableCores()));
  RunningServer server(setup, *networks);
  RETURN_IF_ERROR(server.Prepare());
  return server.Run(stop);
}

// A core is left for the front door where there are several.
std::string DemoScenario() {
  std::vector<int> cores = Machine::This().UsableCores();
  if (cores.size() > 1) cores.erase(cores.begin());
  if (cores.size() > 2) cores.resize(2);
  return fmt::format(R"(# Three tenants on {0} of this machine's cores, for `fairlead serve`.
# `fairlead simulate` takes the same file.
name: demo
platform:
  accelerators:
    - {{kind: cpu, count: {0}, units: 1, cores: [{1}]}}
networks: {{segments: blocks, layers_per_block: 5}}
policies: [fairlead]
horizon: 10s
tenants:
  - name: ada
    networks: [squeezenet1-1]
    rate: 5/s
    deadline: 500ms
    target: 95%
    contract: {{rate: 20/s, burst: 20, over: refuse}}
  - {{name: ben, networks: [shufflenet-v2-x1-0], rate: 5/s, deadline: 1s, target: 90%}}
  - name: cleo    # best effort
    networks: [squeezenet1-1, shufflenet-v2-x1-0]
    rate: 2/s
    deadline: 2s
serve:
  http: 127.0.0.1:8000
  grpc: 127.0.0.1:8001
  anonymous: ada    # who says no name; others: curl -H 'Fairlead-Tenant: ben'
)",
                     cores.size(), fmt::join(cores, ", "));
}

}  // namespace fairlead
