// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/save/pending_checkpoint.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "meshwright/checkpoint/contents/chunks.h"
#include "meshwright/checkpoint/contents/tasks.h"
#include "meshwright/checkpoint/save/joint_write.h"
#include "meshwright/tensor/float_cast.h"

namespace meshwright::checkpoint {
namespace {

std::uint64_t num_bytes(const CheckpointPlan& plan) {
  std::uint64_t out = 0;
  for_each(plan.arrays, [&](const ArrayPlan& array) {
    out += static_cast<std::uint64_t>(array.type.num_bytes());
  });
  return out;
}

Dims at_least_one(Dims dims) {
  for (std::int64_t& size : dims)
    size = std::max(size, std::int64_t{1});
  return dims;
}

// Writes the pieces of a part in memory on several threads; the last one frees it.
void write_present(CheckpointWriter& writer,
                   const std::string& path,
                   const Part& part,
                   Tasks& tasks) {
  for (const Ranges& piece : writer.pieces(path, part.ranges)) {
    tasks.run([&writer, part, path, piece] { writer.write(path, {piece, cut(part, piece)}); });
  }
}

// Writes a part on the thread that waits for its staging memory, and not in further tasks: they
// could wait for that thread.
void write_later(CheckpointWriter& writer,
                 const std::string& path,
                 runtime::SnapshotPart part,
                 Tasks& tasks) {
  auto shared = std::make_shared<runtime::SnapshotPart>(std::move(part));
  tasks.run([&writer, path, shared] {
    const Part now{shared->ranges(), shared->take()};
    for (const Ranges& piece : writer.pieces(path, now.ranges))
      writer.write(path, {piece, cut(now, piece)});
  });
}

}  // namespace

CheckpointPlan plan_of(const Contents& contents) {
  auto plan = [](const std::string& path, const ArrayParts& array) {
    try {
      return ArrayPlan{array.type, part_dims(array)};
    } catch (const Error& error) {
      throw error.with_context(path);
    }
  };
  return {.step = contents.step,
          .arrays = map(contents.arrays, plan),
          .meta = contents.meta,
          .iterators = contents.iterators};
}

PendingCheckpoint pending_checkpoint(const Contents& contents) {
  PendingCheckpoint out{.plan = plan_of(contents)};
  for_each(contents.arrays, [&](const std::string& path, const ArrayParts& array) {
    for (const Part& part : array.parts)
      out.parts.emplace_back(out.paths.size(), part.ranges, part.value);
    out.paths.push_back(path);
  });
  return out;
}

PendingCheckpoint pending_checkpoint(std::int64_t step,
                                     const Tree<runtime::DeviceArray>& arrays,
                                     Meta meta,
                                     runtime::Snapshot& snapshot) {
  PendingCheckpoint out{.plan = {.step = step, .meta = std::move(meta)}};
  out.plan.arrays = map(arrays, [&](const std::string& path, const runtime::DeviceArray& array) {
    out.paths.push_back(path);
    return ArrayPlan{array.type(), at_least_one(snapshot.part_dims[out.paths.size() - 1])};
  });
  out.parts = std::move(snapshot.parts);
  return out;
}

PendingCheckpoint with_params_as(DType dtype, PendingCheckpoint step) {
  PendingCheckpoint out{.plan = step.plan, .paths = std::move(step.paths)};
  out.plan.arrays = map(step.plan.arrays, [&](const std::string& path, ArrayPlan plan) {
    if (path.starts_with("model/") && can_float_cast(plan.type.dtype)) plan.type.dtype = dtype;
    return plan;
  });
  for (runtime::SnapshotPart& part : step.parts) {
    const std::size_t array = part.array();
    const auto type_in = [&](const CheckpointPlan& plan) {
      return plan.arrays.at(out.paths[array]).value().type;
    };
    if (type_in(out.plan) == type_in(step.plan)) {
      out.parts.push_back(std::move(part));
      continue;
    }
    const Ranges ranges = part.ranges();
    out.parts.emplace_back(
        array, ranges, [dtype, shared = std::make_shared<runtime::SnapshotPart>(std::move(part))] {
          return float_cast(shared->take(), dtype);
        });
  }
  return out;
}

void write_parts(CheckpointWriter& writer, PendingCheckpoint step, int max_threads) {
  Tasks tasks(threads_for(num_bytes(step.plan), max_threads));
  for (runtime::SnapshotPart& part : step.parts) {
    const std::string& path = step.paths[part.array()];
    if (part.is_read_later()) {
      write_later(writer, path, std::move(part), tasks);
    } else {
      write_present(writer, path, {part.ranges(), part.take()}, tasks);
    }
  }
  tasks.join();
}

void write_checkpoint(const Container& container,
                      const Files& files,
                      const std::string& path,
                      PendingCheckpoint step,
                      const WriteOptions& options,
                      int max_threads) {
  const CheckpointPlan plan = step.plan;
  write_jointly(container, files, path, plan, {.options = options}, [&](CheckpointWriter& writer) {
    write_parts(writer, std::move(step), max_threads);
  });
}

void write_checkpoint(const Container& container,
                      const Files& files,
                      const std::string& path,
                      const Contents& contents,
                      const WriteOptions& options,
                      int max_threads) {
  write_checkpoint(container, files, path, pending_checkpoint(contents), options, max_threads);
}

}  // namespace meshwright::checkpoint
