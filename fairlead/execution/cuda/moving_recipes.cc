#include <algorithm>

#include "fairlead/execution/cuda/recipe_bodies.h"

namespace fairlead {

Result<BodyRecipes> RecipesOfBody(const Concatenation& body, const OperatorSite& site) {
  return BodyRecipes{
      {.name = "cat",
       .compute = [axis = static_cast<std::int64_t>(body.axis) + 1, parts = site.op.inputs.size()](
                      Reads reads) { return at::cat(at::TensorList(reads.data(), parts), axis); }}};
}

Result<BodyRecipes> RecipesOfBody(const Slice& body, const OperatorSite& site) {
  return BodyRecipes{{.name = "slice", .compute = [body, sizes = site.output()](Reads reads) {
                        at::Tensor x = reads[0];
                        for (std::size_t i = 0; i < sizes.size(); ++i) {
                          const auto axis = static_cast<std::int64_t>(i) + 1;
                          const std::int64_t last = body.start[i] + (sizes[i] - 1) * body.step[i];
                          const std::int64_t low = std::min(body.start[i], last);
                          const std::int64_t high = std::max(body.start[i], last);
                          const std::int64_t step =
                              std::max<std::int64_t>(std::abs(body.step[i]), 1);
                          x = x.slice(axis, low, high + 1, step);
                          if (body.step[i] < 0) x = x.flip(axis);
                        }
                        return x;
                      }}};
}

Result<BodyRecipes> RecipesOfBody(const Transposition& body, const OperatorSite&) {
  std::vector<std::int64_t> order = {0};
  for (std::size_t axis : body.order) order.push_back(static_cast<std::int64_t>(axis) + 1);
  return BodyRecipes{
      {.name = "permute", .compute = [order](Reads reads) { return reads[0].permute(order); }}};
}

Result<BodyRecipes> RecipesOfBody(const Reshape&, const OperatorSite& site) {
  return BodyRecipes{{.name = "reshape",
                      .compute = [sizes = WithBatch(site.setting.batch, site.output())](
                                     Reads reads) { return reads[0].reshape(sizes); }}};
}

Result<BodyRecipes> RecipesOfBody(const Padding& body, const OperatorSite&) {
  std::vector<std::int64_t> pads;  // the last dimension first
  for (std::size_t i = body.before.size(); i-- > 0;) {
    pads.push_back(body.before[i]);
    pads.push_back(body.after[i]);
  }
  return BodyRecipes{{.name = "pad", .compute = [pads, value = body.value](Reads reads) {
                        return at::constant_pad_nd(reads[0], pads, value);
                      }}};
}

}  // namespace fairlead
