// SPDX-License-Identifier: Apache-2.0
#include "models/zoo.h"

#include "models/decoder.h"

namespace meshwright::test_models {
namespace {

Model small_decoder(std::string name, DecoderConfig config) {
  config.layers = 2;
  config.embed = 32;
  config.kv = 2;
  config.dim = 8;
  config.mlp = 64;
  config.vocab = 64;
  config.batch = 8;
  config.len = 16;
  Model model = decoder(config);
  model.name = std::move(name);
  return model;
}

}  // namespace

std::vector<Model> zoo(DType compute) {
  DecoderConfig remat{.compute = compute, .scanned = true, .remat = true};
  return {mlp(compute),
          attention(compute),
          conv_net(compute),
          small_decoder("decoder", {.compute = compute}),
          small_decoder("remat_decoder", remat),
          mixture_of_experts(compute)};
}

}  // namespace meshwright::test_models
