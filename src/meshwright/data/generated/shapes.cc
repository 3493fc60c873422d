// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/generated/shapes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "meshwright/base/threefry.h"

namespace meshwright::data {
namespace {

constexpr threefry::KeyWords kHeldOutShapesKey = {0x6d657368, 0x73686170};

// Random numbers of one image, each determined by its position in the sequence.
class Draws {
 public:
  explicit Draws(threefry::KeyWords key) : key_(key) {}

  std::uint32_t bits() { return threefry::bits32(key_, next_++); }
  double between(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(bits()), -32);
  }

 private:
  threefry::KeyWords key_;
  std::uint64_t next_ = 0;
};

struct Shape {
  std::int32_t label = 0;
  double x = 0, y = 0, radius = 0;  // in pixels
};

// True if the shape covers the point (dx, dy), relative to its centre in units of the radius.
bool covers(std::int32_t label, double dx, double dy) {
  const double x = std::abs(dx), y = std::abs(dy);
  switch (label) {
    case 0:
      return x * x + y * y <= 1;
    case 1:
      return std::max(x, y) <= 0.85;
    case 2:
      return dy <= 0.8 && x <= (dy + 1) / 1.8;
    default:
      return std::max(x, y) <= 1 && std::min(x, y) <= 0.3;
  }
}

Shape draw_shape(Draws& draws, double size) {
  Shape out{.label = static_cast<std::int32_t>(draws.bits() % std::size(kShapeNames))};
  out.radius = draws.between(0.2, 0.4) * size;
  out.x = draws.between(out.radius, size - out.radius);
  out.y = draws.between(out.radius, size - out.radius);
  return out;
}

// Draws an image with pixels from -1 to 1.
std::int32_t draw_image(const ShapesOptions& options,
                        threefry::KeyWords key,
                        std::span<float> pixels) {
  Draws draws(key);
  const Shape shape = draw_shape(draws, static_cast<double>(options.size));
  const double background = draws.between(-0.8, 0.2);
  const double brightness = background + draws.between(0.5, 0.7);
  std::size_t at = 0;
  for (std::int64_t row = 0; row < options.size; ++row) {
    for (std::int64_t column = 0; column < options.size; ++column, ++at) {
      const double dx = (static_cast<double>(column) + 0.5 - shape.x) / shape.radius;
      const double dy = (static_cast<double>(row) + 0.5 - shape.y) / shape.radius;
      const double pixel = covers(shape.label, dx, dy) ? brightness : background;
      pixels[at] = static_cast<float>(pixel + draws.between(-options.noise, options.noise));
    }
  }
  return shape.label;
}

}  // namespace

ShapesSource::ShapesSource(ShapesOptions options) : options_(options) {
  MW_CHECK(options.batch_size > 0 && options.size >= 8, "data: shapes: batch size is ",
           options.batch_size, ", image size is ", options.size, "; expected at least 1 and 8");
  MW_CHECK(options.noise >= 0, "data: shapes: noise is ", options.noise, ", expected at least 0");
  spec_ = image_batch_spec(options.batch_size, {options.size, options.size, 1});
}

Tree<Scalar> ShapesSource::identity() const {
  Tree<Scalar> out;
  out["batch_size"] = Scalar(options_.batch_size);
  out["noise"] = Scalar(options_.noise);
  out["seed"] = Scalar(options_.seed);
  out["size"] = Scalar(options_.size);
  return out;
}

Batch ShapesSource::batch(std::int64_t step, Rows rows) const {
  Batch out = map(image_batch_spec(rows.size(), {options_.size, options_.size, 1}),
                  [](const ArraySpec& spec) { return HostTensor(spec.type); });
  auto images = out.at(kImages).value().mutable_values<float>();
  auto labels = out.at(kLabels).value().mutable_values<std::int32_t>();
  const auto num_pixels = static_cast<std::size_t>(options_.size * options_.size);
  const threefry::KeyWords key = options_.num_held_out_batches
                                     ? kHeldOutShapesKey
                                     : threefry::key(options_.seed, threefry::SeedWidth::bits64);
  for (std::int64_t row = rows.start; row < rows.stop; ++row) {
    const auto index = static_cast<std::size_t>(row - rows.start);
    labels[index] = draw_image(
        options_,
        threefry::block(key, static_cast<std::uint64_t>(step * options_.batch_size + row)),
        images.subspan(index * num_pixels, num_pixels));
  }
  return out;
}

}  // namespace meshwright::data
