// SPDX-License-Identifier: Apache-2.0
#include "meshwright/estimate/memory.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "meshwright/estimate/node_parts.h"
#include "meshwright/estimate/nodes.h"
#include "meshwright/estimate/storage.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/memory_move.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/tracing/rewrite.h"

namespace meshwright::estimate {
namespace {

using graph::Node;
using graph::Region;
using graph::Value;

struct Peak {
  std::int64_t bytes = 0;
  std::vector<LiveArray> arrays;
};

// True for results in the host's memory. Those of a loop are stacks of its body's results.
bool is_on_host(const Node& node, int result) {
  if (node.op == &graph::kToHost) return true;
  if (node.op != &graph::kScan) return false;
  return node.regions[0]->results[static_cast<std::size_t>(result)].node()->op == &graph::kToHost;
}

/// The memory of one region while it runs.
class RegionMemory {
 public:
  RegionMemory(const graph::Program& program, const Splits& splits, const Region& region)
      : program_(program), splits_(splits), storage_(region) {}

  /// Arguments whose memory the region may reuse: those that are donated, or carried by a loop.
  void let_reuse(int argument) { reusable_.insert(storage_.of_argument(argument)); }

  Peak run() {
    const std::vector<Node*>& nodes = storage_.order();
    for (std::size_t time = 0; time < nodes.size(); ++time) {
      const Node& node = *nodes[time];
      const std::int64_t inside = bytes_inside(node);
      start(node, static_cast<int>(time));
      note_peak(inside);
      free_unused(static_cast<int>(time));
    }
    return std::move(peak_);
  }

  std::int64_t moved_bytes() const { return moved_; }

 private:
  struct Held {
    LiveArray array;
    int last_use = 0;
  };

  // Computes the results of a node.
  void start(const Node& node, int time) {
    for (int i = 0; i < node.num_results(); ++i) {
      const Value value = result_of(node, i);
      const std::optional<int> buffer = storage_.stored(value);
      if (!buffer) continue;
      const std::int64_t bytes = is_on_host(node, i) ? 0 : splits_.bytes(value);
      moved_ += 2 * bytes;
      const std::int64_t more = takes_over(node, i, bytes, time) ? 0 : bytes;
      held_[*buffer] = {{program_.graph->module_path(node.module_path), value.type().array(), more,
                         node.op == &graph::kScan},
                        storage_.last_use(*buffer)};
      live_ += more;
    }
  }

  // Returns whether a result is written over an operand that is not used again.
  bool takes_over(const Node& node, int result, std::int64_t bytes, int time) {
    for (const int buffer : storage_.overwritable(node, result)) {
      if (storage_.last_use(buffer) > time || !sizes_match(buffer, bytes)) continue;
      if (reusable_.erase(buffer) > 0) return true;
      const auto found = held_.find(buffer);
      if (found == held_.end()) continue;
      // The memory passes to the result.
      live_ -= found->second.array.bytes;
      held_.erase(found);
      return false;
    }
    return false;
  }

  bool sizes_match(int buffer, std::int64_t bytes) const {
    const Value& value = storage_.value(buffer);
    return splits_.bytes(value) == bytes;
  }

  void free_unused(int time) {
    std::erase_if(held_, [&](const auto& entry) {
      if (entry.second.last_use > time) return false;
      live_ -= entry.second.array.bytes;
      return true;
    });
  }

  // Returns the bytes that a node needs while it runs, besides its results.
  std::int64_t bytes_inside(const Node& node) {
    inside_ = {};
    if (node.op == &graph::kDotGeneral) return whole_operands(node);
    for (const Region* region : node.regions) {
      RegionMemory inner(program_, splits_, *region);
      const int num_carry = node.op == &graph::kScan ? node.attr<graph::ScanAttrs>().num_carry : 0;
      for (int i = 0; i < num_carry; ++i)
        inner.let_reuse(i);
      Peak peak = inner.run();
      moved_ +=
          static_cast<std::int64_t>(num_runs(node) * static_cast<double>(inner.moved_bytes()));
      if (peak.bytes > inside_.bytes) inside_ = std::move(peak);
    }
    return inside_.bytes;
  }

  // The operands of a product that are gathered from other devices, and the sum of one device
  // before the others' are added.
  std::int64_t whole_operands(const Node& node) {
    const NodeParts parts = node_parts(node, splits_);
    const auto& path = program_.graph->module_path(node.module_path);
    for (int i = 0; i < 2; ++i) {
      const auto& operand = node.operands[static_cast<std::size_t>(i)];
      const std::int64_t whole =
          part_bytes(splits_.mesh(), operand.type(), parts.operands[static_cast<std::size_t>(i)]);
      if (whole > splits_.bytes(operand)) {
        inside_.arrays.push_back({path, operand.type().array(), whole});
        inside_.bytes += whole;
      }
    }
    if (!parts.summed_by.empty()) {
      const std::int64_t sum = part_bytes(splits_.mesh(), node.out(), parts.result);
      inside_.arrays.push_back({path, node.out().array(), sum});
      inside_.bytes += sum;
    }
    return inside_.bytes;
  }

  void note_peak(std::int64_t inside) {
    if (live_ + inside <= peak_.bytes) return;
    peak_.bytes = live_ + inside;
    peak_.arrays = inside_.arrays;
    for (const auto& [buffer, held] : held_)
      if (held.array.bytes > 0) peak_.arrays.push_back(held.array);
  }

  const graph::Program& program_;
  const Splits& splits_;
  Storage storage_;
  std::set<int> reusable_;
  std::map<int, Held> held_;  // by buffer
  std::int64_t live_ = 0, moved_ = 0;
  Peak peak_, inside_;
};

}  // namespace

Memory memory_of(const graph::Program& program, const Splits& splits) {
  Memory out;
  const Region& main = *program.main;
  RegionMemory memory(program, splits, main);
  for (int i = 0; i < main.num_args(); ++i) {
    const graph::ArgumentInfo& argument = program.arguments[static_cast<std::size_t>(i)];
    if (argument.is_on_host) continue;
    out.argument_bytes += splits.bytes(main.arg(i));
    if (argument.donated_to) memory.let_reuse(i);
  }
  Peak peak = memory.run();
  out.temp_bytes = peak.bytes;
  out.moved_bytes = memory.moved_bytes();
  out.at_peak = std::move(peak.arrays);
  std::ranges::stable_sort(out.at_peak, std::greater(), &LiveArray::bytes);
  return out;
}

}  // namespace meshwright::estimate
