#include "fairlead/networks/onnx/window.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace fairlead {
namespace {

constexpr std::int64_t kLargest = 1'000'000'000;  // of strides, pads and the like

Result<Dims> ReadSizes(const onnx::NodeProto& node, const char* name, std::size_t count,
                       std::int64_t least, std::int64_t otherwise) {
  Dims sizes = IntegersAttribute(node, name);
  if (sizes.empty()) sizes.assign(count, otherwise);
  if (sizes.size() != count)
    return Fail("'{}' has {} entries; expected {}", name, sizes.size(), count);
  for (std::int64_t size : sizes) {
    if (size < least || size > kLargest)
      return Fail("'{}' has an entry {}; expected {} to {}", name, size, least, kLargest);
  }
  return sizes;
}

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

bool Window::IsOnePoint() const {
  const auto all = [](const Dims& sizes, std::int64_t value) {
    return std::ranges::all_of(sizes, [value](std::int64_t size) { return size == value; });
  };
  return all(kernel, 1) && all(strides, 1) && all(pads_before, 0) && all(pads_after, 0);
}

bool Window::IsDilated() const {
  return std::ranges::any_of(dilations, [](std::int64_t dilation) { return dilation > 1; });
}

Result<Window> ReadWindow(const onnx::NodeProto& node, std::size_t spatial, const Dims& weights) {
  Window window;
  if (weights.empty() || FindAttribute(node, "kernel_shape") != nullptr) {
    ASSIGN_OR_RETURN(window.kernel, ReadSizes(node, "kernel_shape", spatial, 1, 0));
  } else {
    window.kernel = weights;
  }
  if (std::ranges::any_of(window.kernel, [](std::int64_t size) { return size > kLargest; }))
    return Fail("has a window of {}; expected at most {}", fmt::join(window.kernel, "x"), kLargest);
  if (!weights.empty() && window.kernel != weights)
    return Fail("'kernel_shape' contradicts the weights' dimensions");
  ASSIGN_OR_RETURN(window.strides, ReadSizes(node, "strides", spatial, 1, 1));
  ASSIGN_OR_RETURN(window.dilations, ReadSizes(node, "dilations", spatial, 1, 1));
  ASSIGN_OR_RETURN(const Dims pads, ReadSizes(node, "pads", 2 * spatial, 0, 0));
  window.pads_before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(spatial));
  window.pads_after.assign(pads.begin() + static_cast<std::ptrdiff_t>(spatial), pads.end());
  return window;
}

Result<Dims> SlideWindow(const onnx::NodeProto& node, const Window& window, const Dims& sizes) {
  const std::string auto_pad = TextAttribute(node, "auto_pad", "NOTSET");
  const bool round_up = IntegerAttribute(node, "ceil_mode", 0) != 0;
  Dims out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (auto_pad.starts_with("SAME")) {
      out.push_back(CeilDiv(sizes[i], window.strides[i]));
      continue;
    }
    const bool padded = auto_pad != "VALID";
    const std::int64_t before = padded ? window.pads_before[i] : 0;
    const std::int64_t after = padded ? window.pads_after[i] : 0;
    const std::int64_t room =
        sizes[i] + before + after - (window.kernel[i] - 1) * window.dilations[i] - 1;
    if (room < 0)
      return Fail("its window of {} is larger than its padded input of {}",
                  (window.kernel[i] - 1) * window.dilations[i] + 1, sizes[i] + before + after);
    std::int64_t steps = room / window.strides[i];
    if (round_up) {
      steps = CeilDiv(room, window.strides[i]);
      if (steps > 0 && steps * window.strides[i] >= sizes[i] + before) --steps;
    }
    out.push_back(steps + 1);
  }
  return out;
}

Result<Window> WithAutoPads(const onnx::NodeProto& node, Window window, const Dims& sizes) {
  const std::string auto_pad = TextAttribute(node, "auto_pad", "NOTSET");
  if (auto_pad.empty() || auto_pad == "NOTSET") return window;
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "VALID")
    return Fail("has 'auto_pad' {}; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", auto_pad);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t reach = (CeilDiv(sizes[i], window.strides[i]) - 1) * window.strides[i] +
                               (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t all = same ? std::max<std::int64_t>(reach - sizes[i], 0) : 0;
    window.pads_before[i] = auto_pad == "SAME_LOWER" ? all - all / 2 : all / 2;
    window.pads_after[i] = all - window.pads_before[i];
  }
  return window;
}

}  // namespace fairlead
