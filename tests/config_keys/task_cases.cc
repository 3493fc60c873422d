// SPDX-License-Identifier: Apache-2.0
#include "key_case.h"
#include "programs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

SectionCases lm() {
  return {"task[lm]",
          kLm,
          {},
          step_program,
          {{"compute_dtype", "bf16"},
           {"label_smoothing", "0.125"},
           {"z_loss", "0.125"},
           {"logits_dtype", "bf16", {"kernels=xla"}},
           {"vocab_parts", "3", {"kernels=xla"}},
           {"pad_token_id", "3"}}};
}

SectionCases lm_model() {
  return {"task[lm].model",
          kLm,
          {},
          step_program,
          {{"style", "seqax"},
           {"style", "fuji"},
           {"vocab", "13"},
           {"layers", "3"},
           {"embed", "16"},
           {"kv", "4"},
           {"q", "2"},
           {"dim", "8"},
           {"mlp", "32"},
           {"max_len", "32", {"task.model.style=gpt2"}},
           {"window", "3"},
           {"tied_embedding", "true"},
           {"rope_max_timescale", "500"},
           {"dropout", "0.125"},
           {"stack", "scanned"},
           {"remat", "dots"},
           {"offload", "dots"}}};
}

SectionCases image_classification() {
  return {"task[image_classification]",
          kVit,
          {},
          step_program,
          {{"compute_dtype", "bf16"}, {"loss", "sigmoid"}, {"label_smoothing", "0.125"}}};
}

SectionCases vit_model() {
  return {"task[image_classification].model",
          kVit,
          {},
          step_program,
          {{"classes", "5"},
           {"patch", "2"},
           {"layers", "3"},
           {"embed", "16"},
           {"heads", "4"},
           {"mlp", "32"},
           {"positions", "sincos_2d"},
           {"pooling", "attention"},
           {"pooling", "first"},
           {"dropout", "0.125"},
           {"stack", "scanned"},
           {"remat", "dots"},
           {"offload", "dots", {"task.model.remat=nothing"}}}};
}

SectionCases seq2seq() {
  return {"task[seq2seq]",
          kSeq2Seq,
          {},
          step_program,
          {{"compute_dtype", "bf16"},
           {"label_smoothing", "0.125"},
           {"z_loss", "0.125"},
           {"logits_dtype", "bf16", {"kernels=xla"}},
           {"vocab_parts", "3", {"kernels=xla"}}}};
}

SectionCases encoder_decoder() {
  return {"task[seq2seq].model",
          kSeq2Seq,
          {},
          step_program,
          {{"style", "t5_1_1"},
           {"vocab", "33"},
           {"embed", "16"},
           {"heads", "4"},
           {"dim", "8"},
           {"mlp", "32"},
           {"encoder_layers", "3"},
           {"decoder_layers", "3"},
           {"num_buckets", "8"},
           {"max_distance", "16"},
           {"gated_mlp", "true"},
           {"tied_embedding", "false"},
           {"dropout", "0.125"},
           {"stack", "scanned"},
           {"remat", "dots"},
           {"offload", "dots"}}};
}

}  // namespace

Cases task_cases() {
  return {lm(),
          lm_model(),
          image_classification(),
          vit_model(),
          seq2seq(),
          encoder_decoder(),
          {"task[seq2seq].decode", kSeq2Seq, {}, eval_program, {{"num_beams", "2"}}}};
}

}  // namespace meshwright::config_keys
