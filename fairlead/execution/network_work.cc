#include "fairlead/execution/network_work.h"

#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/execution/processor.h"

namespace fairlead {
namespace {

template <typename Number>
std::span<Number> SampleOf(std::span<Number> all, std::size_t sample, std::size_t batch) {
  const std::size_t size = all.size() / batch;
  return all.subspan(sample * size, size);
}

}  // namespace

WorkResult NetworkWork::CarryOut(SegmentRun& run) {
  try {
    RunSegment(run);
    return WorkResult::kDone;
  } catch (const ProcessorLost&) {
    tensors_.DiscardAll(run.assignment().accelerator);
    throw;
  }
}

void NetworkWork::RunSegment(SegmentRun& run) {
  const Assignment& assignment = run.assignment();
  const RunnableNetwork& network = networks_.network(assignment.network);
  const std::size_t begin = network.bounds[assignment.segment.index()];
  const std::size_t end = network.bounds[assignment.segment.index() + 1];
  if (begin == end) return;  // all that it does is of no effect
  const GatheredRun gathered = tensors_.Gather(assignment);
  try {
    if (gathered.layer == 0 && hooks_.input != nullptr) WriteInputs(assignment, gathered);
    const std::size_t reached = gathered.run->RunLayers(gathered.layer, end, run.stop());
    if (reached < network.bounds.back()) {
      tensors_.Keep(assignment, gathered, reached);
    } else {
      if (hooks_.output != nullptr && !run.stop()) HandOutOutputs(assignment, gathered);
      tensors_.Discard(assignment, gathered);
    }
  } catch (...) {
    tensors_.Discard(assignment, gathered);
    throw;
  }
}

void NetworkWork::WriteInputs(const Assignment& assignment, const GatheredRun& gathered) const {
  const std::size_t batch = networks_.pools()[gathered.pool].batch;
  const std::size_t inputs = networks_.network(assignment.network).graph.inputs.size();
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t j = 0; j < assignment.jobs.size(); ++j)
      hooks_.input({{assignment.jobs[j], assignment.serials[j]}, assignment.network, i},
                   SampleOf(gathered.run->Input(i), j, batch));
  }
}

void NetworkWork::HandOutOutputs(const Assignment& assignment, const GatheredRun& gathered) const {
  const std::size_t batch = networks_.pools()[gathered.pool].batch;
  const std::size_t outputs = networks_.network(assignment.network).graph.outputs.size();
  for (std::size_t i = 0; i < outputs; ++i) {
    for (std::size_t j = 0; j < assignment.jobs.size(); ++j)
      hooks_.output({{assignment.jobs[j], assignment.serials[j]}, assignment.network, i},
                    SampleOf(gathered.run->Output(i), j, batch));
  }
}

// ---- Changes -------------------------------------------------------------------------------

Result<NetworkId> NetworkWork::Add(LoadedNetworks& networks, RunnableNetwork network) {
  std::vector<std::vector<int>> batches;
  for (std::size_t a = 0; a < networks.accelerators(); ++a)
    batches.push_back(networks.BatchesOn(AcceleratorId{a}));
  const NetworkId id = networks.Add(std::move(network), batches);
  tensors_.FollowNetworks();
  const Status loaded = Load(networks, id, Measure::kSegments);
  if (loaded.has_value()) return id;
  RemoveLast(networks);
  return Fail("{}", loaded.error().message);
}

void NetworkWork::RemoveLast(LoadedNetworks& networks) {
  Unload(networks, NetworkId{networks.networks() - 1});
  networks.RemoveLast();
  tensors_.FollowNetworks();
}

void NetworkWork::Unload(LoadedNetworks& networks, NetworkId network) {
  for (std::size_t pool = 0; pool < networks.pools().size(); ++pool) {
    if (networks.pools()[pool].network != network) continue;
    LoadedPool nothing;
    tensors_.Exchange(networks, pool, nothing);
  }
  tensors_.GiveBackSpares(network);
}

// Those pools of which this accelerator is the one that loads.
template <typename Choose>
Status NetworkWork::LoadPools(LoadedNetworks& networks, AcceleratorId accelerator, Measure measure,
                              const Choose& choose) {
  Status status;
  const auto load = [&]() -> Status {
    RETURN_IF_ERROR(networks.processor(accelerator).Enter());
    for (std::size_t pool = 0; pool < networks.pools().size(); ++pool) {
      const RunPool& about = networks.pools()[pool];
      if (about.accelerators.front() != accelerator || !choose(about)) continue;
      ASSIGN_OR_RETURN(LoadedPool loaded, networks.LoadPool(pool, measure));
      tensors_.Exchange(networks, pool, loaded);
    }
    return {};
  };
  // Entering binds a thread for good.
  std::thread thread([&] {
    try {
      status = load();
    } catch (const std::exception& misfortune) {
      status = Fail("{}: {}", networks.processor(accelerator).name(), misfortune.what());
    }
  });
  thread.join();
  return status;
}

Status NetworkWork::Load(LoadedNetworks& networks, NetworkId network, Measure measure) {
  for (std::size_t a = 0; a < networks.accelerators(); ++a)
    RETURN_IF_ERROR(LoadPools(networks, AcceleratorId{a}, measure,
                              [&](const RunPool& pool) { return pool.network == network; }));
  return {};
}

Status NetworkWork::LoadAgain(LoadedNetworks& networks, AcceleratorId accelerator,
                              std::unique_ptr<Processor> processor) {
  // What was loaded goes before the processor that it was loaded on.
  for (std::size_t pool = 0; pool < networks.pools().size(); ++pool) {
    if (networks.pools()[pool].accelerators.front() != accelerator) continue;
    LoadedPool nothing;
    tensors_.Exchange(networks, pool, nothing);
  }
  networks.Replace(accelerator, std::move(processor));
  return LoadPools(networks, accelerator, Measure::kNothing, [&](const RunPool& pool) {
    return !networks.network(pool.network).graph.operators.empty();
  });
}

}  // namespace fairlead
