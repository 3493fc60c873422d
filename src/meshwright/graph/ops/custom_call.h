// SPDX-License-Identifier: Apache-2.0
// Calls to native functions by name, with typed attributes, through XLA's foreign function
// interface.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
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

/// Marks a call of a library that XLA itself implements for some platform, such as cuDNN's
/// attention.
struct LibraryCall {
  std::string backend_config;
  std::vector<Dims> result_layouts;  // dimensions of each result, from the fastest to the slowest
};

struct CustomCallOptions {
  std::vector<ArrayType> results;
  CallAttributes attributes;
  std::vector<OutputAlias> aliases;
  bool has_side_effect = false;             // keeps the call even if its results are unused
  std::optional<LibraryCall> library = {};  // then there are neither attributes nor aliases
};

struct CustomCallAttrs {
  std::string target;
  CustomCallOptions options;
};
/// attrs: CustomCallAttrs. There are two ops because OpDef::has_side_effect is fixed per op.
extern const OpDef kCustomCall, kEffectfulCustomCall;

inline constexpr std::array kCustomCallOps = {&kCustomCall, &kEffectfulCustomCall};

/// Calls the function registered as `target`. Operands and results are dense and row-major, except
/// for results of libraries. The call has no gradient; wrap it in a custom_gradient or an op that
/// defines one.
std::vector<Value> custom_call(std::string target,
                               std::vector<Value> operands,
                               CustomCallOptions options,
                               SourceLoc loc = SourceLoc::current());

/// How to write a kernel's op as text: a custom call with the results of the node.
struct CallText {
  std::string_view target;
  const CallAttributes& attributes;
  std::vector<OutputAlias> aliases = {};  // ignored if the op has OpDef::aliases
  bool has_side_effect = false;
  /// Scratch memory for the call, passed as an additional last result with this many f32 elements.
  /// XLA can reuse it for values that are live at other times, unlike memory that the handler
  /// allocates.
  std::int64_t scratch_floats = 0;
  /// Used in place of the node's operands unless empty.
  std::vector<TextValue> operands = {};
};
void write_custom_call(Writer& writer, const Node& node, const CallText& call);

/// Returns the targets of the program's custom calls, sorted.
std::vector<std::string_view> custom_call_targets(const Program& program);
/// Returns the handlers of the kernels that the program calls, each once.
std::vector<const pjrt::Kernel*> kernel_handlers(const Program& program);

}  // namespace meshwright::graph
