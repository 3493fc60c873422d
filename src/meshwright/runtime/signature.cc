// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/check.h"
#include "meshwright/graph/core/node.h"
#include "meshwright/runtime/executable.h"

namespace meshwright::runtime {
namespace {

SharedLayout layout_of(const std::string& what,
                       const ArrayType& type,
                       const mesh::Mesh& mesh,
                       const std::optional<mesh::Sharding>& sharding) {
  return std::make_shared<const ArrayLayout>(what, type, mesh,
                                             sharding.value_or(mesh::Sharding::replicated()));
}

}  // namespace

Signature signature_of(const graph::Program& program) {
  Signature signature{.mesh = program.mesh,
                      .arguments = {},
                      .results = {},
                      .kernel_choices = program.kernel_choices};
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    const graph::ResultInfo& info = program.results[i];
    signature.results.push_back(
        {.name = info.name,
         .layout = layout_of(str("result ", i, " (", info.name, ")"),
                             program.main->results[i].type(), program.mesh, info.sharding)});
  }
  for (std::size_t i = 0; i < program.arguments.size(); ++i) {
    const graph::ArgumentInfo& info = program.arguments[i];
    Signature::Argument argument{.name = info.name,
                                 .layout = layout_of(str("argument ", i, " (", info.name, ")"),
                                                     program.main->arg(static_cast<int>(i)).type(),
                                                     program.mesh, info.sharding),
                                 .is_donated = info.donated_to.has_value(),
                                 .is_on_host = info.is_on_host};
    if (info.donated_to) {
      Signature::Result& result = signature.results.at(static_cast<std::size_t>(*info.donated_to));
      result.donor = i;
      // Shares one object, so that the check of the next step compares pointers.
      if (*result.layout == *argument.layout) argument.layout = result.layout;
    }
    signature.arguments.push_back(std::move(argument));
  }
  return signature;
}

}  // namespace meshwright::runtime
