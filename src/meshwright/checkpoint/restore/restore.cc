// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/restore/restore.h"

#include <atomic>
#include <memory>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/contents/byte_budget.h"
#include "meshwright/checkpoint/contents/chunks.h"
#include "meshwright/checkpoint/contents/reads.h"

namespace meshwright::checkpoint {
namespace {

using runtime::DeviceArray;

// An array being read. The tasks that read it own it, so that a failure frees its memory too.
class Arriving {
 public:
  Arriving(const StoredArray& array,
           const Destination& destination,
           ByteBudget& budget,
           DeviceArray& out)
      : share_(budget, static_cast<std::uint64_t>(array.type().num_bytes())),
        destination_(destination),
        out_(out) {
    const runtime::ArrayLayout& layout = *destination.layout;
    for (std::size_t i = 0; i < layout.num_shards(); ++i)
      parts_.push_back(empty_part(array, layout.ranges(i)));
  }

  // The caller also holds it, so that it cannot complete before all pieces are queued.
  static void queue(const std::shared_ptr<Arriving>& self, const StoredArray& array, Reads& reads) {
    for (const Part& part : self->parts_)
      self->num_missing_ += pieces_of(part.ranges, array.chunk()).size();
    for (Part& part : self->parts_)
      reads.queue(array, part, [self] { self->count_down(); });
    self->count_down();
  }

 private:
  void count_down() {
    if (--num_missing_ > 0) return;
    out_ = destination_.put([this](std::size_t part) { return std::move(parts_[part].value); });
    out_.wait();
  }

  ByteBudget::Share share_;
  const Destination& destination_;
  DeviceArray& out_;
  std::vector<Part> parts_;
  std::atomic<std::size_t> num_missing_ = 1;  // pieces, plus one until all are queued
};

void check_type(const StoredArray& array, const Destination& destination) {
  MW_CHECK(array.type() == destination.layout->type(), "checkpoint: ", array.type(),
           " cannot be restored as ", *destination.layout);
}

}  // namespace

std::vector<DeviceArray> restore_arrays(const std::vector<StoredArray>& arrays,
                                        const std::vector<Destination>& destinations,
                                        const ReadOptions& options) {
  MW_CHECK(arrays.size() == destinations.size(), "checkpoint: ", arrays.size(), " arrays for ",
           destinations.size(), " destinations");
  std::uint64_t num_bytes = 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    check_type(arrays[i], destinations[i]);
    num_bytes += static_cast<std::uint64_t>(arrays[i].type().num_bytes());
  }
  std::vector<DeviceArray> out(arrays.size());
  ByteBudget budget(options.max_bytes);
  Reads reads(num_bytes, options);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    auto arriving = std::make_shared<Arriving>(arrays[i], destinations[i], budget, out[i]);
    Arriving::queue(arriving, arrays[i], reads);
  }
  reads.join();
  return out;
}

Tree<DeviceArray> restore_arrays(const Tree<StoredArray>& arrays,
                                 const runtime::Client& client,
                                 const mesh::Mesh& mesh,
                                 const Tree<mesh::Sharding>& shardings,
                                 const ReadOptions& options) {
  check_same_structure(arrays, shardings, "the checkpoint", "the shardings");
  const std::vector<mesh::Sharding> wanted = leaves(shardings);
  std::vector<Destination> destinations;
  for_each(arrays, [&](const std::string& path, const StoredArray& array) {
    auto layout = std::make_shared<const runtime::ArrayLayout>(path, array.type(), mesh,
                                                               wanted[destinations.size()]);
    destinations.push_back(
        {layout, [&client, layout](const auto& part) { return client.put_shards(layout, part); }});
  });
  return with_leaves(arrays, restore_arrays(leaves(arrays), destinations, options));
}

}  // namespace meshwright::checkpoint
