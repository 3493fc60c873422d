// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/source.h"

#include <cmath>

namespace meshwright::data {

ArraySpec array_spec(DType dtype, Dims dims, AxisSpec axes) {
  ArraySpec out;
  out.type = {dtype, std::move(dims)};
  for (std::string_view name : axes.names())
    out.axes.emplace_back(name);
  return out;
}

Rows rows_of_process(std::int64_t batch_size, int process, int num_processes) {
  MW_CHECK(process >= 0 && process < num_processes, "data: process ", process, " is not below ",
           num_processes);
  MW_CHECK(batch_size % num_processes == 0, "data: a batch of ", batch_size,
           " examples cannot be split among ", num_processes,
           " processes\nmake the batch size a multiple of ", num_processes);
  std::int64_t share = batch_size / num_processes;
  return {share * process, share * (process + 1)};
}

std::int64_t batch_size(const Source& source) {
  std::optional<std::int64_t> size;
  for_each(source.spec(), [&](const std::string& path, const ArraySpec& spec) {
    const Dims& dims = spec.type.dims;
    MW_CHECK(dims.size() == spec.axes.size(), "data: ", source.name(), ": '", path, "' is ",
             spec.type, ", which does not match axes ", spec.axes);
    MW_CHECK(!dims.empty() && spec.axes[0] == kBatchAxis, "data: ", source.name(), ": '", path,
             "' has axes ", spec.axes, ", expected '", kBatchAxis, "' first");
    MW_CHECK(!size || *size == dims[0], "data: ", source.name(), ": '", path, "' has ", dims[0],
             " rows, other arrays have ", size.value_or(0));
    size = dims[0];
  });
  MW_CHECK(size.has_value(), "data: ", source.name(), ": the batch has no arrays");
  return *size;
}

std::optional<double> batches_per_pass(const Source& source) {
  if (const std::optional<double> batches = source.batches_per_epoch()) return batches;
  const std::optional<std::int64_t> all = source.num_batches();
  return all ? std::optional(static_cast<double>(*all)) : std::nullopt;
}

std::optional<std::int64_t> examples_per_pass(const Source& source) {
  const std::optional<double> batches = batches_per_pass(source);
  if (!batches) return std::nullopt;
  return std::llround(*batches * static_cast<double>(batch_size(source)));
}

std::optional<double> passes(const Source& source, std::int64_t num_examples) {
  const std::optional<std::int64_t> pass = examples_per_pass(source);
  if (!pass || *pass == 0) return std::nullopt;
  return static_cast<double>(num_examples) / static_cast<double>(*pass);
}

Batch whole_batch(const Source& source, std::int64_t step) {
  return source.batch(step, {0, batch_size(source)});
}

void check_batch(const Source& source, const Batch& batch, std::int64_t num_rows) {
  auto compare = [&](const ArraySpec& spec, const HostTensor& tensor) {
    ArrayType wanted = spec.type;
    wanted.dims[0] = num_rows;
    return tensor.type() == wanted ? std::string() : str(wanted, " and ", tensor.type());
  };
  auto found = differences(source.spec(), batch, compare, "the spec", "the batch");
  MW_CHECK(found.empty(), "data: ", source.name(), ": a batch does not match its spec\n",
           join(found, "\n"));
}

}  // namespace meshwright::data
