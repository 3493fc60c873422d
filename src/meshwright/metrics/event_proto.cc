// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/event_proto.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <protozero/pbf_writer.hpp>

#include "meshwright/base/crc32c.h"
#include "meshwright/metrics/little_endian.h"
#include "meshwright/metrics/png.h"

namespace meshwright::metrics {
namespace {

using protozero::pbf_writer;

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

void begin_event(pbf_writer& out, double wall_seconds, std::int64_t step) {
  out.add_double(event::wall_time, wall_seconds);
  out.add_int64(event::step, step);
}

void add_shape_of_one_dim(pbf_writer& body, std::int64_t size) {
  pbf_writer shape(body, tensor::shape);
  pbf_writer dim(shape, 2);
  dim.add_int64(1, size);
}

void add_plugin(pbf_writer& value, const std::string& plugin, const std::string& content) {
  pbf_writer body(value, value::metadata);
  pbf_writer data(body, metadata::plugin_data);
  data.add_string(metadata::plugin_name, plugin);
  if (!content.empty()) data.add_bytes(metadata::content, content);
}

void add_scalar(pbf_writer& value, double number) {
  value.add_float(value::simple_value, static_cast<float>(number));
}

void add_histogram(pbf_writer& value, const Histogram& from) {
  pbf_writer out(value, value::histogram);
  out.add_double(histo::min, from.min);
  out.add_double(histo::max, from.max);
  out.add_double(histo::num, from.num);
  out.add_double(histo::sum, from.sum);
  out.add_double(histo::sum_squares, from.sum_squares);
  out.add_packed_double(histo::bucket_limit, from.limits.begin(), from.limits.end());
  out.add_packed_double(histo::bucket, from.counts.begin(), from.counts.end());
}

void add_text(pbf_writer& value, const std::string& text) {
  {
    pbf_writer body(value, value::tensor);
    body.add_enum(tensor::dtype, tensor::kString);
    add_shape_of_one_dim(body, 1);
    body.add_string(tensor::string_val, text);
  }
  add_plugin(value, "text", "");
}

void add_setting(pbf_writer& entry, const Scalar& scalar) {
  pbf_writer out(entry, hparams::value);
  if (const auto* text = std::get_if<std::string>(&scalar)) {
    out.add_string(hparams::string_value, *text);
  } else if (const auto* flag = std::get_if<bool>(&scalar)) {
    out.add_bool(hparams::bool_value, *flag);
  } else if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    out.add_double(hparams::number_value, static_cast<double>(*integer));
  } else {
    out.add_double(hparams::number_value, std::get<double>(scalar));
  }
}

std::string session_start_info(const Settings& settings, double wall_seconds) {
  std::string bytes;
  pbf_writer data(bytes);
  pbf_writer start(data, hparams::session_start_info);
  for (const auto& [name, scalar] : settings.values) {
    pbf_writer entry(start, hparams::settings);
    entry.add_string(hparams::key, name);
    add_setting(entry, scalar);
  }
  start.add_double(hparams::start_time_seconds, wall_seconds);
  start.commit();
  return bytes;
}

void add_settings(pbf_writer& value, const Settings& settings, double wall_seconds) {
  {
    // All content is in the metadata, but TensorBoard requires a tensor.
    pbf_writer body(value, value::tensor);
    body.add_enum(tensor::dtype, tensor::kFloat);
    add_shape_of_one_dim(body, 0);
  }
  add_plugin(value, "hparams", session_start_info(settings, wall_seconds));
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

void add_image(pbf_writer& value, std::span<const std::uint8_t> pixels, PngSize size) {
  pbf_writer out(value, value::image);
  out.add_int64(image::height, size.height);
  out.add_int64(image::width, size.width);
  out.add_int64(image::colorspace, size.num_channels);
  out.add_bytes(image::encoded, png(pixels, size));
}

pbf_writer new_value(pbf_writer& summary, const std::string& tag) {
  pbf_writer out(summary, summary::value);
  out.add_string(value::tag, tag);
  return out;
}

void add_images(pbf_writer& summary,
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
    pbf_writer value = new_value(summary, type.rank() == 4 ? str(name, "/", i) : name);
    add_image(value, pixels, size);
  }
}

struct ValueAdder {
  pbf_writer& summary;
  const std::string& name;
  const Record& record;
  const EventLimits& limits;

  void operator()(double number) const {
    pbf_writer value = new_value(summary, name);
    add_scalar(value, number);
  }
  void operator()(const WeightedScalar& scalar) const { (*this)(scalar.mean); }
  void operator()(const Histogram& h) const {
    pbf_writer value = new_value(summary, name);
    add_histogram(value, h);
  }
  void operator()(const Distribution& d) const { (*this)(histogram(d.values)); }
  void operator()(const Text& text) const {
    pbf_writer value = new_value(summary, name);
    add_text(value, text.text);
  }
  void operator()(const Image& from) const { add_images(summary, name, from, limits); }
  void operator()(const Settings& settings) const {
    pbf_writer value = new_value(summary, "_hparams_/session_start_info");
    add_settings(value, settings, record.wall_seconds);
  }
};

std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8u;
}

void check_frame(std::string_view bytes, std::string_view checksum) {
  if (little_endian<std::uint32_t>(checksum) != masked_crc(bytes))
    fail(ErrorCode::data_loss, "an event with a wrong checksum");
}

}  // namespace

std::string version_event(double wall_seconds) {
  std::string bytes;
  pbf_writer out(bytes);
  begin_event(out, wall_seconds, 0);
  out.add_string(event::file_version, "brain.Event:2");
  return bytes;
}

std::string session_start_event(double wall_seconds, std::int64_t first_step) {
  std::string bytes;
  pbf_writer out(bytes);
  begin_event(out, wall_seconds, first_step);
  pbf_writer log(out, event::session_log);
  log.add_enum(session_log::status, session_log::kStart);
  log.commit();
  return bytes;
}

std::string record_event(const Record& record, const EventLimits& limits) {
  std::string bytes, values;
  pbf_writer out(bytes), summary(values);
  for (const Entry& entry : record.entries)
    std::visit(ValueAdder{summary, entry.name, record, limits}, entry.value);
  begin_event(out, record.wall_seconds, record.step);
  out.add_message(event::summary, values);
  return bytes;
}

std::string framed(std::string_view event) {
  std::string out;
  append_little_endian(out, std::uint64_t{event.size()});
  append_little_endian(out, masked_crc(out));
  out += event;
  append_little_endian(out, masked_crc(event));
  return out;
}

std::uint64_t size_of_frame(std::string_view header) {
  check_frame(header.substr(0, sizeof(std::uint64_t)), header.substr(sizeof(std::uint64_t)));
  return little_endian<std::uint64_t>(header);
}

std::string_view content_of_frame(std::string_view rest) {
  const std::string_view event = rest.substr(0, rest.size() - kFrameFooterBytes);
  check_frame(event, rest.substr(event.size()));
  return event;
}

}  // namespace meshwright::metrics
