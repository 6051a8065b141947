#include "fairlead/serving/sample_groups.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

// Of one tensor; 1 where it is no stack of what is wanted.
std::int64_t SamplesOf(const TensorInfo& wanted, const TensorData& tensor) {
  const std::vector<std::int64_t>& shape = tensor.info.shape;
  if (wanted.shape.empty() || std::abs(wanted.shape.front()) != 1 ||
      shape.size() != wanted.shape.size() ||
      !std::equal(shape.begin() + 1, shape.end(), wanted.shape.begin() + 1))
    return 1;
  const auto elements = ElementCount(shape);
  const std::size_t each = ElementBytes(tensor.info.type);
  const bool whole = elements.has_value() && each > 0 &&
                     tensor.data.bytes.size() == static_cast<std::size_t>(*elements) * each;
  return whole ? shape.front() : 1;
}

InferenceCall SampleOf(const InferenceCall& call, std::size_t sample, std::size_t samples) {
  InferenceCall one = call;
  for (TensorData& tensor : one.inputs) {
    const std::size_t size = tensor.data.bytes.size() / samples;
    tensor.info.shape.front() = 1;
    tensor.data.bytes = tensor.data.bytes.subspan(sample * size, size);
  }
  return one;
}

// Outputs stacked in the order of the samples.
InferenceAnswer Together(std::vector<InferenceAnswer>& samples) {
  InferenceAnswer whole;
  for (const InferenceAnswer& sample : samples) {
    whole.queued = std::max(whole.queued, sample.queued);
    whole.executed = std::max(whole.executed, sample.executed);
  }
  for (std::size_t output = 0; output < samples.front().outputs.size(); ++output) {
    const std::size_t size = samples.front().outputs[output].data.bytes.size();
    auto bytes = std::make_shared_for_overwrite<std::byte[]>(size * samples.size());
    for (std::size_t s = 0; s < samples.size(); ++s)
      std::memcpy(bytes.get() + s * size, samples[s].outputs[output].data.bytes.data(), size);
    TensorData tensor{.info = samples.front().outputs[output].info, .data = {}};
    tensor.info.shape.front() = static_cast<std::int64_t>(samples.size());
    tensor.data.bytes = {bytes.get(), size * samples.size()};
    tensor.data.owner = std::move(bytes);
    whole.outputs.push_back(std::move(tensor));
  }
  return whole;
}

}  // namespace

std::size_t MostBatch(const NetworkInfo& network) {
  const bool open = std::ranges::all_of(network.inputs, HasOpenBatch);
  return open && !network.inputs.empty() ? kMostSamples : 0;
}

std::size_t SamplesOf(const NetworkInfo& network, const InferenceCall& call) {
  std::int64_t samples = 0;
  if (call.inputs.size() != network.inputs.size()) return 1;
  for (const TensorInfo& wanted : network.inputs) {
    const auto found = std::ranges::find(call.inputs, wanted.name,
                                         [](const TensorData& one) { return one.info.name; });
    if (found == call.inputs.end()) return 1;
    const std::int64_t here = SamplesOf(wanted, *found);
    if (here <= 1 || (samples != 0 && here != samples)) return 1;
    samples = here;
  }
  return static_cast<std::size_t>(std::max<std::int64_t>(samples, 1));
}

class SampleGroups::Group : public std::enable_shared_from_this<Group> {
 public:
  Group(SampleGroups& groups, Ticket ticket, std::size_t samples, AnswerReply reply)
      : groups_(groups),
        ticket_(ticket),
        reply_(std::move(reply)),
        answers_(samples),
        left_(samples) {}

  AnswerReply ReplyOf(std::size_t sample) {
    return [self = shared_from_this(), sample](InferenceAnswer answer) {
      self->Ended(sample, std::move(answer));
    };
  }
  // Of a sample that was submitted. False where nobody waits for the rest.
  bool Note(Ticket sample) {
    {
      const std::lock_guard lock(mutex_);
      if (reply_ != nullptr) {
        if (sample != 0) samples_.push_back(sample);
        return true;
      }
    }
    groups_.service_.Cancel(sample);
    return false;
  }
  void Cancel() {
    Answer(InferenceAnswer{.code = InferenceCode::kCancelled, .message = "it was cancelled"});
  }

 private:
  void Ended(std::size_t sample, InferenceAnswer answer) {
    if (answer.code != InferenceCode::kOk) return Answer(std::move(answer));
    {
      const std::lock_guard lock(mutex_);
      answers_[sample] = std::move(answer);
      if (--left_ > 0) return;
    }
    Answer(std::nullopt);
  }
  // None: with all of them together.
  void Answer(std::optional<InferenceAnswer> answer) {
    AnswerReply reply;
    std::vector<Ticket> others;
    {
      const std::lock_guard lock(mutex_);
      if (reply_ == nullptr) return;
      reply = std::exchange(reply_, nullptr);
      if (answer.has_value()) {
        others = std::move(samples_);
      } else {
        answer = Together(answers_);
      }
    }
    groups_.Forget(ticket_);
    reply(std::move(*answer));
    for (const Ticket other : others) groups_.service_.Cancel(other);
  }

  SampleGroups& groups_;
  const Ticket ticket_;
  std::mutex mutex_;   // guards all below
  AnswerReply reply_;  // empty: it has been answered
  std::vector<InferenceAnswer> answers_;
  std::vector<Ticket> samples_;
  std::size_t left_;
};

Ticket SampleGroups::Submit(const InferenceCall& call, std::size_t samples, AnswerReply reply) {
  Ticket ticket = 0;
  std::shared_ptr<Group> group;
  {
    const std::lock_guard lock(mutex_);
    ticket = ++last_ | kGroupTicket;
    group = std::make_shared<Group>(*this, ticket, samples, std::move(reply));
    groups_[ticket] = group;
  }
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const Ticket one = service_.Submit(SampleOf(call, sample, samples), group->ReplyOf(sample));
    if (!group->Note(one)) break;
  }
  const std::lock_guard lock(mutex_);
  return groups_.contains(ticket) ? ticket : 0;
}

void SampleGroups::Cancel(Ticket ticket) {
  std::shared_ptr<Group> group;
  {
    const std::lock_guard lock(mutex_);
    const auto found = groups_.find(ticket);
    if (found == groups_.end()) return;
    group = found->second;
  }
  group->Cancel();
}

void SampleGroups::Forget(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  groups_.erase(ticket);
}

}  // namespace fairlead
