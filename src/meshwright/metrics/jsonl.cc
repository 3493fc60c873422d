// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/jsonl.h"

#include <cmath>
#include <utility>

#include "meshwright/base/json.h"

namespace meshwright::metrics {
namespace {

void write_numbers(JsonWriter& json, const std::vector<double>& numbers) {
  json.begin_array();
  for (double number : numbers)
    write_number(json, number);
  json.end_array();
}

struct ValueWriter {
  JsonWriter& json;

  void operator()(double number) const { write_number(json, number); }
  void operator()(const WeightedScalar& scalar) const {
    json.begin_object().key("mean");
    write_number(json, scalar.mean);
    json.key("weight");
    write_number(json, scalar.weight);
    json.end_object();
  }
  void operator()(const Histogram& histogram) const {
    json.begin_object().key("histogram").begin_object();
    json.field("min", histogram.min).field("max", histogram.max).field("num", histogram.num);
    json.field("sum", histogram.sum).field("num_nonfinite", histogram.num_nonfinite);
    write_numbers(json.key("limits"), histogram.limits);
    write_numbers(json.key("counts"), histogram.counts);
    json.end_object().end_object();
  }
  void operator()(const Distribution& d) const { (*this)(histogram(d.values)); }
  void operator()(const Text& text) const {
    json.begin_object().field("text", text.text).end_object();
  }
  void operator()(const Image& image) const {  // TensorBoard files have the pixels
    json.begin_object().key("image").begin_array();
    for (std::int64_t size : image.pixels.dims())
      json.value(size);
    json.end_array().end_object();
  }
  void operator()(const Settings& settings) const {
    json.begin_object().key("settings").begin_object();
    for (const auto& [name, setting] : settings.values) {
      json.key(name);
      std::visit([&](const auto& value) { json.value(value); }, setting);
    }
    json.end_object().end_object();
  }
};

}  // namespace

void write_number(JsonWriter& json, double number) {
  if (std::isfinite(number)) {
    json.value(number);
  } else {
    json.value(std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
  }
}

JsonlSink::JsonlSink(const Files& files,
                     std::string path,
                     std::int64_t first_step,
                     double wall_seconds)
    : file_(files, std::move(path)) {
  // Ends a line that a killed process left unfinished.
  if (file_.num_bytes() > 0 && !file_.ends_with('\n')) file_.append("\n");
  JsonWriter json;
  json.begin_object().field("schema", kSchema).field("first_step", first_step);
  json.field("time", wall_seconds).end_object();
  file_.append(json.str() + "\n");
}

void JsonlSink::write(const Record& record) {
  JsonWriter json;
  json.begin_object().field("step", record.step).field("time", record.wall_seconds);
  json.key("metrics").begin_object();
  for (const Entry& entry : record.entries) {
    json.key(entry.name);
    std::visit(ValueWriter{json}, entry.value);
  }
  json.end_object().end_object();
  file_.append(json.str() + "\n");
}

}  // namespace meshwright::metrics
