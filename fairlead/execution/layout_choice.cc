#include "fairlead/execution/layout_choice.h"

#include <algorithm>
#include <array>
#include <limits>

namespace fairlead {
namespace {

constexpr int kMostSweeps = 20;

// A choice, with what each tensor has and what its readers want.
class ChoiceState {
 public:
  ChoiceState(const LayoutProblem& problem, LayoutChoice choice)
      : problem_(problem), choice_(std::move(choice)), tensors_(problem.tensors) {
    for (std::uint32_t tensor : problem.plain) ++tensors_[tensor].wanted[0];
    for (std::size_t step = 0; step < choice_.size(); ++step) Count(step, 1);
  }

  const LayoutChoice& choice() const { return choice_; }

  double Total() const {
    double total = 0;
    for (std::size_t step = 0; step < choice_.size(); ++step) total += OptionOf(step).nanoseconds;
    for (std::uint32_t tensor = 0; tensor < tensors_.size(); ++tensor) total += Conversions(tensor);
    return total;
  }

  // Takes the best option for the step, the others' being what they are. Whether that changed.
  bool Improve(std::size_t step) {
    const std::size_t before = choice_[step];
    std::size_t best = before;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t option = 0; option < problem_.steps[step].options.size(); ++option) {
      Take(step, option);
      const double time = TimeAround(step) - (option == before ? 1e-6 : 0);  // ties change nothing
      if (time < least) {
        least = time;
        best = option;
      }
    }
    Take(step, best);
    return best != before;
  }

 private:
  struct TensorState {
    std::uint8_t has = 0;
    std::array<std::uint32_t, kMostLayouts> wanted{};  // by how many
  };

  const StepOption& OptionOf(std::size_t step) const {
    return problem_.steps[step].options[choice_[step]];
  }

  void Take(std::size_t step, std::size_t option) {
    Count(step, -1);
    choice_[step] = option;
    Count(step, 1);
  }

  void Count(std::size_t step, int times) {
    const ChoosingStep& s = problem_.steps[step];
    const StepOption& option = OptionOf(step);
    for (std::size_t i = 0; i < s.reads.size(); ++i)
      tensors_[s.reads[i]].wanted[option.wants[i]] += static_cast<std::uint32_t>(times);
    tensors_[s.writes].has = option.leaves;
  }

  double Conversions(std::uint32_t tensor) const {
    const TensorState& state = tensors_[tensor];
    double total = 0;
    for (std::uint8_t layout = 0; layout < kMostLayouts; ++layout) {
      if (layout != state.has && state.wanted[layout] > 0)
        total += problem_.conversion(tensor, state.has, layout);
    }
    return total;
  }

  double TimeAround(std::size_t step) const {
    const ChoosingStep& s = problem_.steps[step];
    double total = OptionOf(step).nanoseconds + Conversions(s.writes);
    for (std::uint32_t tensor : s.reads) total += Conversions(tensor);
    return total;
  }

  const LayoutProblem& problem_;
  LayoutChoice choice_;
  std::vector<TensorState> tensors_;
};

// The fastest option of each step; those that leave this layout first, where there are any.
LayoutChoice StartWith(const LayoutProblem& problem, std::size_t layout) {
  LayoutChoice choice;
  for (const ChoosingStep& step : problem.steps) {
    const auto better = [layout](const StepOption& a, const StepOption& b) {
      const bool a_fits = a.leaves == layout;
      const bool b_fits = b.leaves == layout;
      return a_fits != b_fits ? a_fits : a.nanoseconds < b.nanoseconds;
    };
    const auto best = std::ranges::min_element(step.options, better);
    choice.push_back(static_cast<std::size_t>(best - step.options.begin()));
  }
  return choice;
}

RatedChoice Descend(const LayoutProblem& problem, LayoutChoice start) {
  ChoiceState state(problem, std::move(start));
  bool changed = true;
  for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
    changed = false;
    for (std::size_t step = 0; step < problem.steps.size(); ++step)
      changed = state.Improve(step) || changed;
  }
  return {state.choice(), state.Total()};
}

}  // namespace

double TimeOf(const LayoutProblem& problem, const LayoutChoice& choice) {
  return ChoiceState(problem, choice).Total();
}

std::vector<RatedChoice> GoodChoices(const LayoutProblem& problem) {
  std::vector<RatedChoice> choices;
  // One start beyond the layouts fits none: each step its fastest.
  for (std::size_t layout = 0; layout <= kMostLayouts; ++layout) {
    RatedChoice found = Descend(problem, StartWith(problem, layout));
    if (std::ranges::find(choices, found.choice, &RatedChoice::choice) == choices.end())
      choices.push_back(std::move(found));
  }
  std::ranges::stable_sort(choices, {}, &RatedChoice::nanoseconds);
  return choices;
}

}  // namespace fairlead
