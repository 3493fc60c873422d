// SPDX-License-Identifier: Apache-2.0
// Calls of native functions by name, with typed attributes: XLA's foreign function interface.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/program.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::graph {

using CallAttribute = std::variant<bool,
                                   std::int32_t,
                                   std::int64_t,
                                   float,
                                   double,
                                   std::string,
                                   std::vector<std::int64_t>,
                                   std::vector<double>>;
using CallAttributes = std::map<std::string, CallAttribute, std::less<>>;

struct CustomCallOptions {
  std::vector<ArrayType> results;
  CallAttributes attributes;
  std::vector<OutputAlias> aliases;
  bool has_side_effect = false;  // the call stays, though nobody may use its results
};

struct CustomCallAttrs {
  std::string target;
  CustomCallOptions options;
};
/// attrs: CustomCallAttrs. Two ops, since a side effect is a property of an op.
extern const OpDef kCustomCall, kEffectfulCustomCall;

inline constexpr std::array kCustomCallOps = {&kCustomCall, &kEffectfulCustomCall};

/// Calls the function registered as `target`. Operands and results are dense and row-major. It has
/// no gradient: wrap it in an op or a custom gradient that knows one.
std::vector<Value> custom_call(std::string target,
                               std::vector<Value> operands,
                               CustomCallOptions options,
                               SourceLoc loc = SourceLoc::current());

/// For the ops of kernels: writes a node as such a call; results are those of the node, and so are
/// the aliases if its op has any.
struct CallText {
  std::string_view target;
  const CallAttributes& attributes;
  std::vector<OutputAlias> aliases = {};
  bool has_side_effect = false;
  /// Memory for the time of the call: an array of so many f32 as a last result, if there are any.
  /// Unlike what handlers allocate it takes the place of values that are not there yet, or no more.
  std::int64_t scratch_floats = 0;
  /// Instead of those of the node; empty: these.
  std::vector<TextValue> operands = {};
};
void write_custom_call(Writer& writer, const Node& node, const CallText& call);

/// What the program calls by custom_call, in the order of the names.
std::vector<std::string_view> custom_call_targets(const Program& program);
/// The handlers of the kernels that the program uses, each once.
std::vector<const pjrt::Kernel*> kernel_handlers(const Program& program);

}  // namespace meshwright::graph
