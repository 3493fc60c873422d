// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace meshwright::train {
namespace {

bool is_due(const EveryN& p, const Boundary& b) {
  if (p.except_last && b.is_last()) return false;
  if (p.and_last && b.is_last()) return true;
  std::int64_t counted = p.from_start ? b.step - b.start : b.step;
  return b.step >= p.min_step && counted % p.n == 0;
}

bool is_due(const ItsTime& p, const Boundary& b) {
  if (p.first && b.step == 1) return true;
  if (p.last && b.is_last()) return true;
  if (b.step == 0 || b.step % p.n != 0) return false;
  if (!b.max_step) return true;
  auto left = static_cast<double>(*b.max_step - b.step);
  return std::abs(left) >= p.drop_close_to_last * static_cast<double>(p.n);
}

bool is_due(const FirstSteps& p, const Boundary& b) {
  std::int64_t done = p.from_start ? b.step - b.start : b.step;
  return done >= 1 && done <= p.count;
}

bool is_due(const AtSteps& p, const Boundary& b) {
  return std::ranges::find(p.steps, b.step) != p.steps.end();
}

bool is_due(const AtStart& p, const Boundary& b) {
  if (!b.is_start) return false;
  if (b.is_fresh) return p.fresh;
  return b.is_finished() ? p.finished : p.resumed;
}

bool is_due(const AtLast&, const Boundary& b) {
  return b.is_last();
}

void check(const EveryN& p) {
  MW_CHECK(p.n > 0, "policy: n is ", p.n, ", expected at least 1");
  MW_CHECK(!(p.and_last && p.except_last), "policy: both and_last and except_last");
}
void check(const Every&) {
  fail(ErrorCode::invalid_argument, "policy: convert 'every' to steps first (train::in_steps)");
}
void check(const ItsTime& p) {
  MW_CHECK(p.n > 0, "policy: n is ", p.n, ", expected at least 1");
}
void check(const EverySeconds& p) {
  MW_CHECK(p.seconds > 0, "policy: seconds is ", p.seconds, ", expected a positive number");
}
template <typename Other>
void check(const Other&) {}

}  // namespace

Policy::Policy(PolicyConfig config) : config_(std::move(config)) {
  std::visit([](const auto& p) { check(p); }, config_);
  if (const auto* p = std::get_if<EverySeconds>(&config_)) due_seconds_ = p->seconds;
}

bool Policy::is_due(const Boundary& boundary) {
  bool was_done_before = boundary.is_start && !boundary.is_fresh;
  if (was_done_before && !std::holds_alternative<AtStart>(config_)) return false;
  if (const auto* p = std::get_if<BestMetric>(&config_)) return is_better(*p, boundary);
  if (const auto* p = std::get_if<EverySeconds>(&config_)) {
    if (boundary.seconds < due_seconds_) return false;
    due_seconds_ = boundary.seconds + p->seconds;
    return true;
  }
  return std::visit(
      [&](const auto& p) {
        if constexpr (requires { train::is_due(p, boundary); }) return train::is_due(p, boundary);
        return false;
      },
      config_);
}

When in_steps(When when, const optim::RunLength& run, std::string_view what) {
  for (PolicyConfig& policy : when) {
    const auto* every = std::get_if<Every>(&policy);
    if (every == nullptr) continue;
    const auto n = std::llround(optim::steps_of(every->duration, run, what));
    MW_CHECK(n > 0, what, ": the interval is ", n, " steps, expected at least 1");
    policy = EveryN{.n = n, .and_last = every->and_last};
  }
  return when;
}

std::optional<double> find_result(const Boundary& boundary,
                                  const std::string& evaluator,
                                  const std::string& metric) {
  std::string prefix = evaluator + "/";
  auto first = boundary.results.lower_bound(prefix);
  bool has_run = first != boundary.results.end() && first->first.starts_with(prefix);
  if (!has_run) return std::nullopt;
  auto found = boundary.results.find(prefix + metric);
  MW_CHECK(found != boundary.results.end(), "policy: evaluator '", evaluator, "' has no metric '",
           metric, "'; it has, for example, '", first->first, "'");
  return found->second;
}

bool Policy::is_better(const BestMetric& config, const Boundary& boundary) {
  std::optional<double> value = find_result(boundary, config.evaluator, config.metric);
  if (!value || std::isnan(*value)) return false;
  bool is_best = !best_ || (config.mode == Better::max ? *value > *best_ : *value < *best_);
  if (is_best) best_ = value;
  return is_best;
}

Tree<Scalar> Policy::state() const {
  Tree<Scalar> out;
  if (best_) out["best"] = Scalar(*best_);
  return out;
}

void Policy::set_state(const Tree<Scalar>& state) {
  best_.reset();
  if (const Tree<Scalar>* best = state.find("best")) best_ = std::get<double>(best->value());
}

Policies::Policies(const std::vector<PolicyConfig>& configs) {
  for (const PolicyConfig& config : configs)
    policies_.emplace_back(config);
}

bool Policies::is_due(const Boundary& boundary) {
  bool due = false;
  for (Policy& policy : policies_)
    due = policy.is_due(boundary) || due;
  return due;
}

Tree<Scalar> Policies::state() const {
  Tree<Scalar> out;
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    if (Tree<Scalar> state = policies_[i].state(); state.num_leaves() > 0)
      out[str(i)] = std::move(state);
  }
  return out;
}

void Policies::set_state(const Tree<Scalar>& state) {
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    const Tree<Scalar>* found = state.find(str(i));
    policies_[i].set_state(found != nullptr ? *found : Tree<Scalar>());
  }
}

}  // namespace meshwright::train
