// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/tracing/tracer.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/remedy.h"
#include "meshwright/graph/core/effects.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/tracing/entry.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

thread_local Tracer* current_tracer = nullptr;

// While alive, nodes are added to another region. Restores the region even if a body throws, since
// the tracer may still be used after a caught error.
class InOtherRegion {
 public:
  InOtherRegion(Region*& current, Region& other) : current_(current), previous_(current) {
    current_ = &other;
  }
  ~InOtherRegion() { current_ = previous_; }
  InOtherRegion(const InOtherRegion&) = delete;
  InOtherRegion& operator=(const InOtherRegion&) = delete;

 private:
  Region*& current_;
  Region* previous_;
};

// Reuses an earlier vary(), and varies captured values at their entry. Gradient rules do neither:
// their captures are determined only after all rules have run.
std::optional<Value> find_varied(Region*& current, Value x, mesh::AxisSet axes, SourceLoc loc) {
  for (const Value& known : current->varied[x]) {
    if (known.type().varying == (x.type().varying | axes)) return known;
  }
  auto in_region = [&](Region& region, const std::function<Value()>& make) {
    InOtherRegion scope(current, region);
    return make();
  };
  std::optional<Value> found = find_varied_at_source(x, axes, in_region, loc);
  if (found) current->varied[x].push_back(*found);
  return found;
}

}  // namespace

Tracer::Tracer(TraceOptions options)
    : previous_(current_tracer),
      axes_(std::move(options.dims)),
      activation_rules_(std::move(options.activations)),
      target_(std::move(options.target)) {
  if (!options.mesh.axes().empty()) {
    mesh::check_rules(options.mesh, activation_rules_, "sharding.activations");
  }
  program_.graph = std::make_shared<Graph>();
  program_.mesh = std::move(options.mesh);
  program_.compute_capability = target_.compute_capability;
  start();
}

Tracer::Tracer(const Program& program, mesh::AxisRules activations)
    : previous_(current_tracer), axes_(AxisSizes{}), activation_rules_(std::move(activations)) {
  program_.graph = program.graph;
  program_.mesh = program.mesh;
  program_.kernel_choices = program.kernel_choices;
  program_.compute_capability = program.compute_capability;
  start();
}

void Tracer::start() {
  manual_axes_ = mesh::process_axes(mesh());
  for (int axis : mesh::positions(manual_axes_)) {
    if (mesh().axes()[static_cast<std::size_t>(axis)].size == 1) continue;
    fail(ErrorCode::unimplemented, "mesh ", mesh(),
         ": this program runs in a single process, so process axes must have size 1");
  }
  region_ = &graph().new_region(nullptr);
  region_->manual_axes = manual_axes_;
  program_.main = region_;
  current_tracer = this;
}

Tracer::~Tracer() {
  current_tracer = previous_;
}

Tracer& Tracer::current() {
  MW_CHECK(current_tracer != nullptr, "graph functions work only while a program is being traced");
  return *current_tracer;
}

Value Tracer::argument(ArrayType type, ArgumentInfo info) {
  MW_CHECK(region_ == program_.main, "argument '", info.name, "' was added inside a body");
  mesh::AxisSet differing;
  if (info.sharding) differing = mesh::across_processes(mesh(), *info.sharding);
  Value out = new_argument(*region_, Type(type.dtype, std::move(type.dims), differing)).result();
  if (info.sharding) region_->declared.emplace(out, mesh::within_process(mesh(), *info.sharding));
  program_.arguments.push_back(std::move(info));
  return out;
}

Program Tracer::finish(std::vector<Value> results, std::vector<ResultInfo> infos) {
  assert(region_ == program_.main);
  for (Value& result : results)
    result = import(result);
  region_->results = std::move(results);
  infos.resize(region_->results.size());
  check_results(infos);
  program_.results = std::move(infos);
  program_.activations = activation_rules_;
  if (!program_.mesh.axes().empty()) {
    program_.warnings =
        mesh::unused_rules(activation_rules_, constrained_axes_, "sharding.activations");
  }
  return program_;
}

void Tracer::check_results(const std::vector<ResultInfo>& infos) const {
  for (std::size_t i = 0; i < infos.size(); ++i) {
    mesh::AxisSet declared;
    if (infos[i].sharding) declared = mesh::across_processes(mesh(), *infos[i].sharding);
    const Value& result = region_->results[i];
    mesh::AxisSet extra = result.type().varying - declared;
    MW_CHECK(extra.empty(), "result ", i, " (", infos[i].name, "), ", result, " of ",
             result.node()->op->name, origin(*program_.graph, *result.node()),
             ", differs by process along mesh axes ", to_string(mesh(), extra),
             ", but is declared equal in all processes; reduce it with global_sum or global_mean");
  }
}

void Tracer::record_kernel(const OpDef& op, bool is_kernel, const std::string& reason) {
  add_choice(program_.kernel_choices, op.name, is_kernel, reason);
}

void Tracer::record_constrained(std::string_view axis) {
  if (std::ranges::find(constrained_axes_, axis) == constrained_axes_.end()) {
    constrained_axes_.emplace_back(axis);
  }
}

void Tracer::record_axes(const KernelAxes& axes) {
  if (!axes.as_arguments.empty()) return;  // rules do not apply to these names
  for (const std::string& array : axes.operands) {
    for (std::string_view name : AxisSpec::parse(array).names())
      record_constrained(name);
  }
}

Node& Tracer::new_argument(Region& region, const Type& type) {
  Node& node = graph().new_node();
  node.op = &kArgument;
  node.attrs = region.num_args();
  node.types = {type};
  node.region = &region;
  set_origin(node, {});
  region.args.push_back(&node);
  return node;
}

std::vector<Value> Tracer::append(const OpDef& op,
                                  std::vector<Value> operands,
                                  std::any attrs,
                                  std::vector<Region*> regions,
                                  SourceLoc loc) {
  const bool varies = &op == &kVary && origin_ == nullptr && !operands[0].is_null();
  if (varies) {
    operands[0] = import(operands[0]);
    std::optional<Value> known =
        find_varied(region_, operands[0], std::any_cast<mesh::AxisSet>(attrs), loc);
    if (known) return {*known};
  }
  Node& node = graph().new_node();
  node.op = &op;
  node.attrs = std::move(attrs);
  node.regions = std::move(regions);
  node.region = region_;
  set_origin(node, loc);
  node.operands = std::move(operands);
  for (Value& operand : node.operands) {
    MW_CHECK(!operand.is_null(), op.name, ": an operand is an empty Value", origin(graph(), node));
    operand = import(operand);
  }
  if (op.varying == nullptr) match_varying(node);
  infer(node);
  if (op.axes != nullptr) record_axes(op.axes(node));
  add(*region_, node);
  std::vector<Value> results;
  results.reserve(node.types.size());
  for (int i = 0; i < node.num_results(); ++i)
    results.push_back(node.result(i));
  if (varies) region_->varied[node.operands[0]].push_back(results[0]);
  return results;
}

void Tracer::set_origin(Node& node, SourceLoc loc) {
  if (origin_ != nullptr) {
    node.module_path = origin_->module_path;
    node.loc = origin_->loc;
    return;
  }
  node.module_path = graph().intern_module_path(module_path_);
  node.loc = call_ != nullptr ? *call_ : loc;
}

void Tracer::add(Region& region, Node& node) {
  region.nodes.push_back(&node);
  region.has_side_effect = region.has_side_effect || has_side_effect(node);
  region.communicates = region.communicates | communicates(node);
}

Node& Tracer::append_copy(const Node& original, std::vector<Value> operands) {
  Node& copy = copy_into(*region_, original);
  copy.operands = std::move(operands);
  for (Value& operand : copy.operands)
    operand = import(operand);
  add(*region_, copy);
  return copy;
}

Node& Tracer::copy_into(Region& region, const Node& original) {
  Node& copy = graph().new_node();
  int id = copy.id;
  copy = original;
  copy.id = id;
  copy.region = &region;
  return copy;
}

void Tracer::infer(Node& node) {
  try {
    node.types = node.op->infer(node);
    if (node.op->varying != nullptr) {
      std::vector<mesh::AxisSet> varying = node.op->varying(node);
      assert(varying.size() == node.types.size());
      for (std::size_t i = 0; i < varying.size(); ++i)
        node.types[i].varying = varying[i];
    } else {
      mesh::AxisSet varying;
      for (const Value& operand : node.operands)
        varying = varying | operand.type().varying;
      for (Type& type : node.types)
        type.varying = varying;
    }
  } catch (const Error& error) {
    throw Error(error.code(), before_remedy(error.message(), origin(graph(), node)));
  }
}

// In a manual region, all operands of a plain op must vary over the same mesh axes. Marks a value
// that is equal along an axis as varying, so that its gradient is summed along that axis.
void Tracer::match_varying(Node& node) {
  mesh::AxisSet all;
  for (const Value& operand : node.operands)
    all = all | operand.type().varying;
  for (Value& operand : node.operands) {
    if (operand.type().varying != all) operand = vary(operand, all, node.loc);
  }
}

Value Tracer::import(Value value) {
  return import_into(*region_, value);
}

Value Tracer::import_into(Region& region, Value value) {
  Node* node = value.node();
  if (node->region == &region) return value;
  MW_CHECK(region.parent != nullptr, "a value of ", node->op->name,
           " belongs to another trace or to a body that has ended", origin(graph(), *node));
  bool copied = node->op->cheap && node->operands.empty();
  Value outer = copied ? value : import_into(*region.parent, value);
  auto [known, is_new] = region.imported.try_emplace(outer);
  if (!is_new) return known->second;
  if (copied) return known->second = copy_cheap(region, value);
  region.captures.push_back(outer);
  if (!region.is_manual()) return known->second = new_argument(region, outer.type()).result();
  // A manual region takes the shard that this device already has and gathers the rest.
  Value& inside = known->second;
  mesh::Sharding cut = cut_at_entry(region, outer, mesh());
  inside = new_argument(region, shard_at_entry(outer, cut, mesh())).result();
  InOtherRegion scope(region_, region);
  inside = gathered_entry(inside, cut);
  region.entries.push_back(std::move(cut));
  return inside;
}

Value Tracer::copy_cheap(Region& region, Value value) {
  Node& copy = copy_into(region, *value.node());
  add(region, copy);
  return {&copy, value.index()};
}

Region& Tracer::trace_region(std::span<const Type> arg_types, const Body& body) {
  Region& inner = graph().new_region(region_);
  inner.manual_axes = manual_axes_;
  std::vector<Value> args;
  for (const Type& type : arg_types)
    args.push_back(new_argument(inner, type).result());

  InOtherRegion scope(region_, inner);
  std::vector<Value> results = body(args);
  for (Value& result : results)
    result = import(result);
  inner.results = std::move(results);
  return inner;
}

ModuleScope::ModuleScope(std::string_view name)
    : tracer_(Tracer::current()), previous_length_(tracer_.module_path_.size()) {
  std::string& path = tracer_.module_path_;
  if (!path.empty()) path += '/';
  path += name;
}

ModuleScope::~ModuleScope() {
  tracer_.module_path_.resize(previous_length_);
}

OriginScope::OriginScope(const Node& node)
    : tracer_(Tracer::current()), previous_(std::exchange(tracer_.origin_, &node)) {}

OriginScope::~OriginScope() {
  tracer_.origin_ = previous_;
}

CallScope::CallScope(SourceLoc loc)
    : tracer_(Tracer::current()), loc_(loc), is_outermost_(tracer_.call_ == nullptr) {
  if (is_outermost_) tracer_.call_ = &loc_;
}

CallScope::~CallScope() {
  if (is_outermost_) tracer_.call_ = nullptr;
}

ManualScope::ManualScope(mesh::AxisSet axes) : tracer_(Tracer::current()), names_(AxisSizes{}) {
  std::swap(names_, tracer_.axes_);
  previous_whole_ = std::exchange(tracer_.whole_axes_,
                                  tracer_.whole_axes_ != nullptr ? tracer_.whole_axes_ : &names_);
  previous_axes_ = std::exchange(tracer_.manual_axes_, tracer_.manual_axes_ | axes);
}

ManualScope::~ManualScope() {
  std::swap(names_, tracer_.axes_);
  tracer_.whole_axes_ = previous_whole_;
  tracer_.manual_axes_ = previous_axes_;
}

std::string origin(SourceLoc loc) {
  const Tracer& tracer = Tracer::current();
  const std::string& path = tracer.module_path();
  if (tracer.call_ != nullptr) loc = *tracer.call_;
  return path.empty() ? str(" (", loc, ")") : str(" (", path, ", ", loc, ")");
}

Value emit(const OpDef& op, std::initializer_list<Value> operands, std::any attrs, SourceLoc loc) {
  return emit_all(op, operands, std::move(attrs), {}, loc)[0];
}

Value emit(const OpDef& op, std::initializer_list<Value> operands, SourceLoc loc) {
  return emit(op, operands, {}, loc);
}

std::vector<Value> emit_all(const OpDef& op,
                            std::vector<Value> operands,
                            std::any attrs,
                            std::vector<Region*> regions,
                            SourceLoc loc) {
  return Tracer::current().append(op, std::move(operands), std::move(attrs), std::move(regions),
                                  loc);
}

Program trace(const std::vector<ArrayType>& arg_types,
              const Tracer::Body& body,
              TraceOptions options) {
  Tracer tracer(std::move(options));
  std::vector<Value> args;
  for (std::size_t i = 0; i < arg_types.size(); ++i) {
    args.push_back(tracer.argument(arg_types[i], {.name = str("arg", i)}));
  }
  return tracer.finish(body(args));
}

}  // namespace meshwright::graph
