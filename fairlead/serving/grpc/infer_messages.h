// `infer` as messages: what a client sent, made into a call, and an answer, made into what it gets.
// Plain functions; whatever comes in is a call or an error.
#pragma once

#include <memory>
#include <string>

#include "fairlead/base/result.h"
#include "fairlead/serving/inference.h"
#include "proto/inference.pb.h"

namespace fairlead {

// Without its tenant; it shares the bytes of the message.
Result<InferenceCall> CallOf(const std::shared_ptr<const inference::ModelInferRequest>& request);

// Whether the highest elements of some output are asked for, in place of all.
bool WantsClasses(const inference::ModelInferRequest& request);

// Of an answer that is well: as bytes where the client sent bytes, or where nothing else can hold
// it, and as numbers else. `stacked`: the network takes samples in a stack; heeded for classes.
void WriteAnswer(const inference::ModelInferRequest& request, const InferenceAnswer& answer,
                 bool stacked, inference::ModelInferResponse& response);

}  // namespace fairlead
