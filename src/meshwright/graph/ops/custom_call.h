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

/// For ops of kernels: writes a node as a custom call with the node's results and its op's aliases.
struct CallText {
  std::string_view target;
  const CallAttributes& attributes;
  std::vector<OutputAlias> aliases = {};
  bool has_side_effect = false;
  /// Scratch memory during the call: a last result of this many f32. Unlike memory allocated by the
  /// handler it shares space with values of other lifetimes.
  std::int64_t scratch_floats = 0;
  /// Replaces the operands of the node unless empty.
  std::vector<TextValue> operands = {};
};
void write_custom_call(Writer& writer, const Node& node, const CallText& call);

/// Returns the targets of the program's custom calls, sorted.
std::vector<std::string_view> custom_call_targets(const Program& program);
/// Returns the handlers of the kernels that the program calls, without duplicates.
std::vector<const pjrt::Kernel*> kernel_handlers(const Program& program);

}  // namespace meshwright::graph
