// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/state.h"

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"

namespace meshwright::data {
namespace {

constexpr std::string_view kNumBatches = "num_batches_used";
constexpr std::string_view kSource = "source";
constexpr std::string_view kParts = "parts";

Tree<Scalar> identity_of(const Source& source) {
  Tree<Scalar> out = source.identity();
  out["name"] = Scalar(source.name());
  return out;
}

}  // namespace

State state(const Source& source, std::int64_t num_batches) {
  State out;
  out[kNumBatches] = Scalar(num_batches);
  out[kSource] = identity_of(source);
  for (const PartUse& use : source.uses(num_batches)) {
    State& part = out[kParts][use.part];
    part["examples"] = Scalar(use.num_examples);
    if (use.num_epochs) part["epochs"] = Scalar(*use.num_epochs);
  }
  return out;
}

std::int64_t num_batches_used(const Source& source, const State& state, OnOtherData on_other_data) {
  const State* number = state.find(kNumBatches);
  const State* saved = state.find(kSource);
  const bool is_whole = number != nullptr && saved != nullptr && number->is_leaf() &&
                        std::holds_alternative<std::int64_t>(number->value());
  if (!is_whole) {
    fail(ErrorCode::data_loss, "data: the saved state of '", source.name(), "' lacks '",
         kNumBatches, "' or '", kSource, "'");
  }
  auto compare = [](const Scalar& then, const Scalar& now) {
    return then == now ? std::string() : str(scalar_text(then), " and ", scalar_text(now));
  };
  std::vector<std::string> found =
      differences(*saved, identity_of(source), compare, "the checkpoint", "this run");
  if (!found.empty()) {
    std::string text = str("data: the checkpoint was made with different data than '",
                           source.name(), "' of this run\n", join(found, "\n"));
    if (const std::string changes = source.changes_since(*saved); !changes.empty())
      text = str(text, "\n", changes);
    if (on_other_data == OnOtherData::refuse) {
      fail_with_remedy(ErrorCode::invalid_argument,
                       set_config("or allow it", {{"prefetch.allow_other_data", "true"}}), text,
                       "\nuse the same data settings");
    }
    log_warning(text);
  }
  return std::get<std::int64_t>(number->value());
}

}  // namespace meshwright::data
