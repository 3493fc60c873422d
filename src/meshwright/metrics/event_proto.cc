// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/event_proto.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "meshwright/base/crc32c.h"
#include "meshwright/metrics/little_endian.h"
#include "meshwright/metrics/png.h"

namespace meshwright::metrics {
namespace {

// Field numbers.
namespace event {
enum { wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7 };
}
namespace session_log {
enum { status = 1 };
constexpr int kStart = 1;
}  // namespace session_log
namespace summary {
enum { value = 1 };
}
namespace value {
enum { tag = 1, simple_value = 2, image = 4, histogram = 5, tensor = 8, metadata = 9 };
}
namespace image {
enum { height = 1, width = 2, colorspace = 3, encoded = 4 };
}
namespace histo {
enum { min = 1, max = 2, num = 3, sum = 4, sum_squares = 5, bucket_limit = 6, bucket = 7 };
}
namespace tensor {
enum { dtype = 1, shape = 2, float_val = 5, string_val = 8 };
constexpr int kFloat = 1, kString = 7;
}  // namespace tensor
namespace metadata {
enum { plugin_data = 1 };
enum { plugin_name = 1, content = 2 };
}  // namespace metadata
namespace hparams {
enum { session_start_info = 3 };                              // of HParamsPluginData
enum { settings = 1, start_time_seconds = 5 };                // of SessionStartInfo
enum { key = 1, value = 2 };                                  // of an entry of its map
enum { number_value = 2, string_value = 3, bool_value = 4 };  // of google.protobuf.Value
}  // namespace hparams

ProtoWriter new_event(double wall_seconds, std::int64_t step) {
  ProtoWriter out;
  out.float64(event::wall_time, wall_seconds);
  out.int64(event::step, step);
  return out;
}

ProtoWriter shape_of_one_dim(std::int64_t size) {
  ProtoWriter dim, shape;
  dim.int64(1, size);
  shape.message(2, dim);
  return shape;
}

ProtoWriter plugin_metadata(std::string_view plugin, std::string_view content) {
  ProtoWriter data, out;
  data.bytes(metadata::plugin_name, plugin);
  if (!content.empty()) data.bytes(metadata::content, content);
  out.message(metadata::plugin_data, data);
  return out;
}

ProtoWriter scalar_value(const std::string& tag, double number) {
  ProtoWriter out;
  out.bytes(value::tag, tag);
  out.float32(value::simple_value, static_cast<float>(number));
  return out;
}

ProtoWriter histogram_value(const std::string& tag, const Histogram& from) {
  ProtoWriter body, out;
  body.float64(histo::min, from.min);
  body.float64(histo::max, from.max);
  body.float64(histo::num, from.num);
  body.float64(histo::sum, from.sum);
  body.float64(histo::sum_squares, from.sum_squares);
  body.packed_float64(histo::bucket_limit, from.limits);
  body.packed_float64(histo::bucket, from.counts);
  out.bytes(value::tag, tag);
  out.message(value::histogram, body);
  return out;
}

ProtoWriter text_value(const std::string& tag, std::string_view text) {
  ProtoWriter body, out;
  body.varint(tensor::dtype, tensor::kString);
  body.message(tensor::shape, shape_of_one_dim(1));
  body.bytes(tensor::string_val, text);
  out.bytes(value::tag, tag);
  out.message(value::tensor, body);
  out.message(value::metadata, plugin_metadata("text", ""));
  return out;
}

ProtoWriter setting(const Scalar& scalar) {
  ProtoWriter out;
  if (const auto* text = std::get_if<std::string>(&scalar)) {
    out.bytes(hparams::string_value, *text);
  } else if (const auto* flag = std::get_if<bool>(&scalar)) {
    out.boolean(hparams::bool_value, *flag);
  } else if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    out.float64(hparams::number_value, static_cast<double>(*integer));
  } else {
    out.float64(hparams::number_value, std::get<double>(scalar));
  }
  return out;
}

ProtoWriter settings_value(const Settings& settings, double wall_seconds) {
  ProtoWriter start, data, none, out;
  for (const auto& [name, scalar] : settings.values) {
    ProtoWriter entry;
    entry.bytes(hparams::key, name);
    entry.message(hparams::value, setting(scalar));
    start.message(hparams::settings, entry);
  }
  start.float64(hparams::start_time_seconds, wall_seconds);
  data.message(hparams::session_start_info, start);
  // all data is in the metadata, but a tensor is required
  none.varint(tensor::dtype, tensor::kFloat);
  none.message(tensor::shape, shape_of_one_dim(0));
  out.bytes(value::tag, "_hparams_/session_start_info");
  out.message(value::tensor, none);
  out.message(value::metadata, plugin_metadata("hparams", data.str()));
  return out;
}

std::vector<std::uint8_t> bytes_of(const HostTensor& pixels) {
  if (pixels.dtype() == u8) {
    auto values = pixels.values<std::uint8_t>();
    return {values.begin(), values.end()};
  }
  std::vector<std::uint8_t> out;
  for (float value : pixels.values<float>()) {
    const float clamped = std::isnan(value) ? 0 : std::clamp(value, 0.0f, 1.0f);
    out.push_back(static_cast<std::uint8_t>(std::lround(255 * clamped)));
  }
  return out;
}

ProtoWriter image_value(const std::string& tag,
                        std::span<const std::uint8_t> pixels,
                        PngSize size) {
  ProtoWriter body, out;
  body.int64(image::height, size.height);
  body.int64(image::width, size.width);
  body.int64(image::colorspace, size.num_channels);
  body.bytes(image::encoded, png(pixels, size));
  out.bytes(value::tag, tag);
  out.message(value::image, body);
  return out;
}

void add_images(ProtoWriter& out,
                const std::string& name,
                const Image& from,
                const EventLimits& limits) {
  const ArrayType& type = from.pixels.type();
  MW_CHECK((type.rank() == 3 || type.rank() == 4) && (type.dtype == u8 || type.dtype == f32),
           "metrics: image '", name, "' is ", type,
           ", expected u8 or f32 [height width channel] or [image height width channel]");
  const auto axis = static_cast<std::size_t>(type.rank() - 3);
  const std::int64_t num_images = type.rank() == 4 ? type.dims[0] : 1;
  const PngSize size{type.dims[axis + 1], type.dims[axis], static_cast<int>(type.dims[axis + 2])};
  const auto one = static_cast<std::size_t>(size.width * size.height * size.num_channels);
  const std::vector<std::uint8_t> all = bytes_of(from.pixels);
  for (std::int64_t i = 0; i < std::min(num_images, limits.max_images); ++i) {
    auto pixels = std::span(all).subspan(static_cast<std::size_t>(i) * one, one);
    std::string tag = type.rank() == 4 ? str(name, "/", i) : name;
    out.message(summary::value, image_value(tag, pixels, size));
  }
}

struct ValueAdder {
  ProtoWriter& out;
  const std::string& name;
  const Record& record;
  const EventLimits& limits;

  void operator()(double number) const { out.message(summary::value, scalar_value(name, number)); }
  void operator()(const WeightedScalar& scalar) const { (*this)(scalar.mean); }
  void operator()(const Histogram& h) const {
    out.message(summary::value, histogram_value(name, h));
  }
  void operator()(const Distribution& d) const { (*this)(histogram(d.values)); }
  void operator()(const Text& text) const {
    out.message(summary::value, text_value(name, text.text));
  }
  void operator()(const Image& from) const { add_images(out, name, from, limits); }
  void operator()(const Settings& settings) const {
    out.message(summary::value, settings_value(settings, record.wall_seconds));
  }
};

std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8u;
}

}  // namespace

ProtoWriter version_event(double wall_seconds) {
  ProtoWriter out = new_event(wall_seconds, 0);
  out.bytes(event::file_version, "brain.Event:2");
  return out;
}

ProtoWriter session_start_event(double wall_seconds, std::int64_t first_step) {
  ProtoWriter log;
  log.varint(session_log::status, session_log::kStart);
  ProtoWriter out = new_event(wall_seconds, first_step);
  out.message(event::session_log, log);
  return out;
}

ProtoWriter record_event(const Record& record, const EventLimits& limits) {
  ProtoWriter values;
  for (const Entry& entry : record.entries)
    std::visit(ValueAdder{values, entry.name, record, limits}, entry.value);
  ProtoWriter out = new_event(record.wall_seconds, record.step);
  out.message(event::summary, values);
  return out;
}

std::string framed(std::string_view event) {
  std::string out;
  append_little_endian(out, std::uint64_t{event.size()});
  append_little_endian(out, masked_crc(out));
  out += event;
  append_little_endian(out, masked_crc(event));
  return out;
}

}  // namespace meshwright::metrics
