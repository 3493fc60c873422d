// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/optim_testutil.h"

#include <sstream>
#include <utility>

namespace meshwright::optim {

ParamSpec spec_of(Dims dims, std::string_view axes) {
  std::istringstream words{std::string(axes)};
  ParamSpec out{.type = {f32, std::move(dims)}};
  for (std::string word; words >> word;)
    out.axes.push_back(word);
  return out;
}

ParamSpecs example_specs() {
  ParamSpecs out;
  out["scale"] = spec_of({});
  out["decoder/norm"] = spec_of({16}, "embed");
  out["decoder/w_in"] = spec_of({16, 24}, "embed mlp");
  out["decoder/w_out"] = spec_of({24, 16}, "mlp embed");
  out["decoder/bias"] = spec_of({24}, "mlp");
  ParamSpec stacked = spec_of({4, 16, 8}, "layers embed head");
  stacked.num_stacked_dims = 1;
  out["decoder/layers/w_q"] = stacked;
  return out;
}

}  // namespace meshwright::optim
