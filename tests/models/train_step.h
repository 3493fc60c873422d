// SPDX-License-Identifier: Apache-2.0
// The programs of a training run of a Model.
#pragma once

#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/mesh.h"
#include "models/model.h"
#include "models/optimizer.h"

namespace meshwright::test_models {

/// No arguments; results: the initial parameters, then the inputs of batch 0.
graph::Program trace_init(const Model& model, const mesh::Mesh& mesh = {});

/// No arguments; results: all arguments of the first step of trace_adamw_step().
graph::Program trace_adamw_init(const Model& model, const mesh::Mesh& mesh = {});

/// Arguments: parameters, inputs. Results: the loss, the gradients of the parameters.
graph::Program trace_value_and_grad(const Model& model, const mesh::Mesh& mesh = {});

/// Arguments: parameters, inputs. Results: the loss; for each parameter its gradient; its new value
/// after SGD; after a first step of AdamW its new value, mu and nu.
graph::Program trace_first_steps(const Model& model, const mesh::Mesh& mesh = {});

/// Arguments: parameters, mu, nu (all donated), step, inputs. Results: the loss, new parameters,
/// mu, nu.
graph::Program trace_adamw_step(const Model& model,
                                const AdamWOptions& options = {},
                                const mesh::Mesh& mesh = {});

}  // namespace meshwright::test_models
