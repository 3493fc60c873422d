// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/trainer_parts.h"

#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "meshwright/base/log.h"
#include "meshwright/data/state.h"
#include "meshwright/metrics/format.h"
#include "meshwright/runtime/cpu_features.h"
#include "meshwright/runtime/plugin_environment.h"
#include "meshwright/train/report/peak_flops.h"
#include "meshwright/train/restore/match_arrays.h"

namespace meshwright::train {
namespace {

using checkpoint::Meta;
using metrics::whole_number;

// Who asks to stop waits no longer than this for a source that hangs.
constexpr double kSecondsForDataToEnd = 2;
constexpr const char* kCpuFeatures = "cpu_features";
constexpr const char* kXlaFlags = "xla_flags";

}  // namespace

nn::InitRules init_rules(const TrainConfig& config) {
  nn::InitRules out;
  for (const InitialValuesConfig& rule : config.initial_values)
    out.push_back({Regex(rule.pattern), nn::init_of(rule.init)});
  return out;
}

std::vector<std::string> init_warnings(const nn::InitRules& rules, const ParamSpecs& params) {
  std::vector<std::string> out;
  for (const Regex& pattern : nn::unused_rules(rules, params))
    out.push_back(str("initial_values: pattern ", pattern, " decides about no parameter"));
  return out;
}

OwningSetting setting_of(const Job& job) {
  return OwningSetting(*job.task, job.learner, job.placement, init_rules(job.config));
}

StepOptions step_options(const TrainConfig& config) {
  StepOptions out{.num_microbatches = config.num_microbatches};
  if (config.train_dtype) out.train_dtype = find_dtype(*config.train_dtype);
  out.non_finite =
      config.non_finite.action == OnNonFinite::skip ? NonFinite::skip : NonFinite::halt;
  out.part_clip_norm = config.microbatch_clip_norm;
  for (const TrainDTypeRule& rule : config.train_dtype_rules)
    out.train_dtype_rules.push_back(
        {Regex(rule.pattern), rule.dtype ? find_dtype(*rule.dtype) : std::nullopt});
  for (const ParamNoiseConfig& rule : config.param_noise)
    out.param_noise.push_back({Regex(rule.pattern), rule.stddev});
  return out;
}

data::PrefetchOptions prefetch_options(const PrefetchConfig& config) {
  return {.num_threads = static_cast<int>(config.prefetch_threads),
          .depth = static_cast<int>(config.prefetch_depth),
          .timeout_seconds = config.timeout_seconds,
          .end_seconds = kSecondsForDataToEnd};
}

std::vector<Evaluator> make_evaluators(const Job& job, const Setting& setting) {
  std::vector<Evaluator> out;
  for (const auto& [name, config] : job.config.evaluators) {
    auto source = job.eval_sources.find(name);
    MW_CHECK(source != job.eval_sources.end(), "evaluator '", name, "': it has no data");
    out.emplace_back(name, config, setting, source->second, prefetch_options(job.config.prefetch));
  }
  if (const auto& best = job.config.checkpoint.retention.keep_best) {
    MW_CHECK(job.config.evaluators.contains(best->evaluator),
             "checkpoint.keep_best.evaluator: there is no evaluator '", best->evaluator, "'");
  }
  return out;
}

std::vector<AgendaEvaluator> agenda_evaluators(const std::vector<Evaluator>& evaluators) {
  std::vector<AgendaEvaluator> out;
  for (const Evaluator& evaluator : evaluators)
    out.push_back({evaluator.name(), evaluator.config().when.value()});
  return out;
}

StepWork step_work(const Job& job, const Setting& setting, const runtime::Client& client) {
  StepWork out;
  out.num_examples = static_cast<double>(data::batch_size(*job.source));
  out.num_tokens = out.num_examples * static_cast<double>(job.task->tokens_per_example());
  out.num_flops = num_step_flops(setting, job.source->spec());
  const std::vector<runtime::DeviceInfo> devices = client.devices();
  const std::string kind = devices.empty() ? "unknown" : devices[0].kind;
  const std::optional<double> peak =
      job.config.peak_flops ? job.config.peak_flops : peak_flops(kind);
  if (peak) out.peak_flops = *peak * static_cast<double>(job.placement.mesh.num_devices());
  note("device kind: ", kind,
       "; FLOPs per second of one: ", peak ? whole_number(*peak) : "unknown, see peak_flops",
       "; FLOPs of a step: ", whole_number(out.num_flops));
  return out;
}

std::vector<ConfigChange> changes_since(const checkpoint::Stored& stored, const Job& job) {
  return changes_since(stored, job.resolved_config, job.is_scheduled_by_max_step);
}

void check_suits(const checkpoint::Stored& stored, const Job& job, const StateLayout& layout) {
  const std::vector<ConfigChange> changes = changes_since(stored, job);
  check_arrays_suit(stored, layout, job.config.checkpoint.restore, changes_of_state(changes));
  const PrefetchConfig& config = job.config.prefetch;
  const Meta* data = stored.meta.find("data");
  if (data == nullptr || !config.resume || config.allow_other_data) return;
  try {
    (void)data::num_batches_used(*job.source, *data, data::OnOtherData::refuse);
  } catch (const Error& error) {
    fail(error.code(), reason_of(changes_of_data(changes), stored.step), error.what());
  }
}

std::string environment_text() {
  std::vector<std::string> parts;
  if (const std::string flags = runtime::xla_flags_of_user(); !flags.empty())
    parts.push_back("XLA flags: " + flags);
  if (const std::string variables = runtime::plugin_variables(); !variables.empty())
    parts.push_back("variables: " + variables);
  return join(parts, "; ");
}

Meta environment(const runtime::Client& client) {
  Meta out;
  out["platform"] = Scalar(client.platform());
  out["platform_version"] = Scalar(client.platform_version());
  const std::vector<runtime::DeviceInfo> devices = client.devices();
  if (!devices.empty()) out["device_kind"] = Scalar(devices[0].kind);
  // On a CPU the program is compiled for what its processor can do.
  if (client.platform() == "cpu") out[kCpuFeatures] = Scalar(runtime::cpu_features());
  out[kXlaFlags] = Scalar(runtime::xla_flags_of_user());
  out["plugin_variables"] = Scalar(runtime::plugin_variables());
  return out;
}

namespace {

// "avx2 fma" and "avx2 amx" differ by "-fma +amx".
std::string differing_words(const std::string& then, const std::string& now) {
  auto words = [](const std::string& text) {
    std::istringstream in(text);
    return std::set<std::string>(std::istream_iterator<std::string>(in), {});
  };
  const std::set<std::string> before = words(then), after = words(now);
  std::vector<std::string> out;
  for (const std::string& word : before)
    if (!after.contains(word)) out.push_back("-" + word);
  for (const std::string& word : after)
    if (!before.contains(word)) out.push_back("+" + word);
  return join(out, " ");
}

}  // namespace

void warn_of_other_environment(const Meta& then, const Meta& now) {
  std::vector<std::string> found;
  for_each(now, [&](const std::string& path, const Scalar& value) {
    const Meta* before = then.find(path);  // older checkpoints say less
    if (before == nullptr || !before->is_leaf() || before->value() == value) return;
    const auto* text = std::get_if<std::string>(&value);
    const auto* old_text = std::get_if<std::string>(&before->value());
    const bool is_list =
        (path == kCpuFeatures || path == kXlaFlags) && text != nullptr && old_text != nullptr;
    found.push_back(
        is_list ? str(path, ": ", differing_words(*old_text, *text))
                : str(path, ": ", scalar_text(before->value()), " and ", scalar_text(value)));
  });
  if (!found.empty())
    warn("the checkpoint was made elsewhere, so results may differ in their last bits: ",
         join(found, "; "));
}

std::optional<double> metric_for_retention(const checkpoint::Retention& retention,
                                           const Boundary& boundary) {
  if (!retention.keep_best) return std::nullopt;
  return find_result(boundary, retention.keep_best->evaluator, retention.keep_best->metric);
}

Meta lineage(const RunFolder& folder, const checkpoint::Stored& stored) {
  Meta out;
  out["run"] = Scalar(std::filesystem::absolute(folder.name()).lexically_normal().string());
  out["step"] = Scalar(stored.step);
  if (!stored.digest.empty()) out["digest"] = Scalar(stored.digest);
  return out;
}

int process_of(const runtime::Client& client) {
  const std::vector<runtime::DeviceInfo> devices = client.devices();
  return devices.empty() ? 0 : devices[0].process;
}

}  // namespace meshwright::train
