// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/eval/output_writer.h"

#include <numeric>
#include <span>
#include <utility>

#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/data/core/source.h"
#include "meshwright/metrics/jsonl.h"

namespace meshwright::train {
namespace {

constexpr std::size_t kMaxBufferedBytes = std::size_t{1} << 20;

// Writes the array with these dims as nested lists.
void write_array(JsonWriter& json,
                 std::span<const double> values,
                 std::span<const std::int64_t> dims) {
  if (dims.empty()) return metrics::write_number(json, values[0]);
  json.begin_array();
  const auto rows = static_cast<std::size_t>(dims[0]);
  const std::size_t size = rows == 0 ? 0 : values.size() / rows;
  for (std::size_t row = 0; row < rows; ++row)
    write_array(json, values.subspan(row * size, size), dims.subspan(1));
  json.end_array();
}

struct Chosen {
  std::string path;
  Dims dims;  // dims of one example
  std::vector<double> values;
};

std::vector<Chosen> choose(const JudgedBatch& judged, const Regex& pattern) {
  std::vector<Chosen> out;
  auto add = [&](const char* root, const Tree<HostTensor>& arrays) {
    for_each(arrays, [&](const std::string& path, const HostTensor& array) {
      const std::string name = str(root, path);
      // Arrays without a row per example are not about single examples.
      if (!pattern.matches(name) || array.dims().empty()) return;
      out.push_back({name, {array.dims().begin() + 1, array.dims().end()}, array.to_doubles()});
    });
  };
  add("batch/", judged.batch);
  add("outputs/", judged.outputs);
  return out;
}

}  // namespace

std::vector<std::int64_t> examples_of(const Tree<HostTensor>& batch) {
  std::vector<std::int64_t> out;
  const std::vector<HostTensor> arrays = leaves(batch);
  if (arrays.empty()) return out;
  out.resize(static_cast<std::size_t>(arrays[0].dims()[0]));
  std::iota(out.begin(), out.end(), 0);
  if (const Tree<HostTensor>* weights = batch.find(data::kExampleWeight)) {
    const std::span<const float> values = weights->value().values<float>();
    std::erase_if(out,
                  [&](std::int64_t row) { return values[static_cast<std::size_t>(row)] == 0; });
  }
  return out;
}

OutputWriter::OutputWriter(std::shared_ptr<io::FileSystem> files,
                           std::string path,
                           const OutputsConfig& config)
    : files_(std::move(files)),
      path_(std::move(path)),
      arrays_(config.arrays),
      max_examples_(config.num_examples) {
  attempt([&] { file_ = create_anew(*files_, unfinished()); });
}

OutputWriter::~OutputWriter() {
  if (!file_) return;
  try {
    files_->remove(unfinished());
  } catch (const Error&) {  // the file may be gone with its folder
  }
}

void OutputWriter::attempt(const std::function<void()>& action) {
  if (!failure_.empty()) return;
  try {
    action();
  } catch (const Error& error) {
    failure_ = error.what();
  }
}

void OutputWriter::write_lines() {
  attempt([&] { file_->append(std::as_bytes(std::span(lines_))); });
  lines_.clear();
}

void OutputWriter::write(const JudgedBatch& judged) {
  if (is_full()) return;
  const std::vector<Chosen> chosen = choose(judged, arrays_);
  for (const std::int64_t row : examples_of(judged.batch)) {
    if (is_full()) return;
    const auto at = static_cast<std::size_t>(row);
    JsonWriter json;
    json.begin_object().field("example", num_examples_++);
    if (at < judged.lines.size()) json.field("text", judged.lines[at]);
    for (const Chosen& array : chosen) {
      const auto size = static_cast<std::size_t>(std::accumulate(
          array.dims.begin(), array.dims.end(), std::int64_t{1}, std::multiplies<>()));
      write_array(json.key(array.path), std::span(array.values).subspan(at * size, size),
                  array.dims);
    }
    json.end_object();
    lines_ += json.str() + '\n';
    if (lines_.size() > kMaxBufferedBytes) write_lines();
  }
}

void OutputWriter::finish() {
  write_lines();
  attempt([&] {
    file_->close();
    files_->rename(unfinished(), path_);
    file_.reset();
  });
  if (!failure_.empty())
    log_warning("cannot write the outputs ", files_->full_name(path_), ": ", failure_);
}

}  // namespace meshwright::train
