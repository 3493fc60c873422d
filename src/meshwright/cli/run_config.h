// SPDX-License-Identifier: Apache-2.0
// What a config of a run says: the parts' own settings, put together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/config/config.h"
#include "meshwright/optim/learner_config.h"
#include "meshwright/tasks/lm.h"
#include "meshwright/train/config.h"

namespace meshwright::cli {

// --- data -------------------------------------------------------------------------------------

struct ArithmeticData {
  static constexpr char kType[] = "arithmetic";
  std::int64_t batch_size = 256;
  std::int64_t num_digits = 3;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "problems per step");
    f.optional("num_digits", num_digits, config::between(1, 4), "of each term");
  }
};

/// The problems that `arithmetic` never gives.
struct HeldOutArithmeticData {
  static constexpr char kType[] = "held_out_arithmetic";
  std::int64_t batch_size = 256;
  std::int64_t num_digits = 3;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "problems per step");
    f.optional("num_digits", num_digits, config::between(1, 4), "of each term");
  }
};

struct RandomTokensData {
  static constexpr char kType[] = "random_tokens";
  std::int64_t batch_size = 8;
  std::int64_t length = 128;
  std::int64_t vocab_size = 256;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "sequences per step");
    f.required("length", length, config::kPositive, "tokens per sequence");
    f.required("vocab_size", vocab_size, config::kPositive, "number of tokens there are");
  }
};

using DataConfig = std::variant<ArithmeticData, HeldOutArithmeticData, RandomTokensData>;

// --- mesh -------------------------------------------------------------------------------------

using MeshAxes = config::InOrder<config::OrAuto<std::int64_t>>;

struct MeshRuleConfig {
  std::string selector;
  std::optional<MeshAxes> axes;

  void fields(auto& f) {
    f.required("selector", selector, config::kNonEmpty, "a pattern of the whole selector");
    f.required("axes", axes, "the mesh there; none: one device");
  }
};

struct MeshConfig {
  std::string platform = "cpu";
  std::int64_t num_devices = 1;
  std::optional<MeshAxes> axes;
  std::vector<MeshRuleConfig> rules;
  std::optional<std::string> selector;

  void fields(auto& f) {
    f.optional("platform", platform, config::one_of({"cpu", "cuda", "tpu"}), "what computes");
    f.optional("num_devices", num_devices, config::kPositive, "virtual devices of a CPU");
    f.optional("axes", axes, "sizes by name, major to minor; one may be auto");
    f.optional("rules", rules, "meshes by selector; the first that matches replaces `axes`");
    f.optional("selector", selector, "which machine this is, for the rules");
  }
};

struct ShardingConfig {
  std::map<std::string, config::OneOrMore<std::string>> params, activations;

  void fields(auto& f) {
    f.optional("params", params, "mesh axes by the axis of a parameter that they split");
    f.optional("activations", activations, "mesh axes by the axis of an activation");
  }
};

// --- the run ----------------------------------------------------------------------------------

struct CheckpointConfig {
  train::When when = {train::EveryN{.n = 1000, .and_last = true}};
  checkpoint::Retention retention;

  void fields(auto& f) {
    f.optional("when", when, "at which steps");
    retention.fields(f);
  }
};

struct EvaluatorEntry {
  train::EvaluatorConfig evaluator;
  DataConfig data;

  void fields(auto& f) {
    evaluator.fields(f);
    f.required("data", data, "what it judges on");
  }
};

struct OrderConfig {
  std::optional<std::vector<train::Action>> boundary, start;

  void fields(auto& f) {
    f.optional("boundary", boundary, "what is done between updates, one after the other");
    f.optional("start", start, "the same before the first update; none: as the others");
  }
};

struct RunConfig {
  std::string dir = "runs/default";
  std::int64_t seed = 0;
  config::OrAuto<std::int64_t> max_step;
  std::variant<tasks::LmConfig> task;
  DataConfig data;
  optim::OptimizerConfig optimizer;
  optim::LearnerConfig learner;
  std::map<std::string, EvaluatorEntry> evaluators;
  train::When log = {train::EveryN{.n = 100, .and_last = true}};
  CheckpointConfig checkpoint;
  train::TraceConfig trace;
  std::optional<train::EarlyStopping> early_stopping;
  OrderConfig order;
  MeshConfig mesh;
  ShardingConfig sharding;
  std::int64_t num_microbatches = 1;
  std::optional<std::string> train_dtype;
  train::NonFiniteConfig non_finite;
  train::PrefetchConfig prefetch;
  train::WatchdogConfig watchdog;

  void fields(auto& f) {
    f.optional("dir", dir, config::kNonEmpty, "the run's folder");
    f.optional("seed", seed, config::kNotNegative, "of everything random");
    f.optional("max_step", max_step, config::kNotNegative,
               "where training ends; auto: with the data")
        .unit("steps");
    f.required("task", task, "model and loss");
    f.required("data", data, "what is trained on");
    f.required("optimizer", optimizer, "how parameters change");
    f.optional("learner", learner, "which parameters change, and what is kept beside them");
    f.optional("evaluators", evaluators, "judges by name");
    f.optional("log", log, "at which steps metrics are told");
    f.optional("checkpoint", checkpoint, "saving");
    f.optional("trace", trace, "files of what the host did, step by step");
    f.optional("early_stopping", early_stopping, "end where a result gets no better");
    f.optional("order", order, "order of work");
    f.optional("mesh", mesh, "devices and how they are arranged");
    f.optional("sharding", sharding, "what is split over which mesh axes; all else is whole");
    f.optional("num_microbatches", num_microbatches, config::kPositive,
               "parts of a batch that are computed one after the other");
    f.optional("train_dtype", train_dtype, config::one_of({"f32", "bf16"}),
               "of parameters and inputs in the loss; none: as they are");
    f.optional("non_finite", non_finite, "losses that are not finite");
    f.optional("prefetch", prefetch, "making batches ahead of time");
    f.optional("watchdog", watchdog, "reports of hangs");
  }
};

}  // namespace meshwright::cli
