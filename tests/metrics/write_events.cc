// SPDX-License-Identifier: Apache-2.0
// Writes the events that tensorboard_test.py expects. usage: write_events FOLDER
#include <cmath>
#include <string>

#include "meshwright/metrics/tensorboard.h"

namespace meshwright::metrics {
namespace {

// Pixel (y, x) is (16 y, 16 x, 16 i) in image i, 6 high and 10 wide.
HostTensor images(int num_images) {
  HostTensor out(ArrayType{u8, {num_images, 6, 10, 3}});
  std::size_t at = 0;
  for (int i = 0; i < num_images; ++i) {
    for (int y = 0; y < 6; ++y) {
      for (int x = 0; x < 10; ++x) {
        for (int value : {16 * y, 16 * x, 16 * i})
          out.mutable_values<std::uint8_t>()[at++] = static_cast<std::uint8_t>(value);
      }
    }
  }
  return out;
}

// 1000 values sin(i) * 1.01^i, some of them not finite.
HostTensor spread_values() {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i)
    values.push_back(static_cast<float>(std::sin(i) * std::pow(1.01, i)));
  values.insert(values.end(), {INFINITY, NAN});
  return HostTensor::from(values, {2, 501});
}

Record record(std::int64_t step, double loss) {
  return {step,
          1000.0 + static_cast<double>(step),
          {{"loss", loss}, {"eval/accuracy", WeightedScalar{0.25, 8}}}};
}

void write_all(const std::string& folder) {
  const Files files = io::open_file_system(folder);
  {
    TensorBoardSink first(files, "", {.wall_seconds = 1000});
    first.write({0, 1000, {{"config", Text{markdown_code("a = 1\nb = [2]")}}}});
    first.write({0,
                 1000,
                 {{"settings", Settings{{{"lr", 0.5},
                                         {"layers", std::int64_t{12}},
                                         {"model", std::string("lm")},
                                         {"tied", true}}}}}});
    for (std::int64_t step = 1; step <= 10; ++step)
      first.write(record(step, 1.0 / static_cast<double>(step)));
  }
  // Resumes after step 6, so that steps 7 to 10 are discarded. Two files, since the first exceeds
  // the size limit.
  TensorBoardSink second(files, "", {.first_step = 7, .wall_seconds = 1000, .max_file_bytes = 200});
  for (std::int64_t step = 7; step <= 9; ++step)
    second.write(record(step, static_cast<double>(step)));
  second.write({9, 2000, {{"loss_nan", NAN}, {"weights", histogram(spread_values())}}});
  second.write({9, 2000, {{"pictures", Image{images(3)}}}});
  HostTensor gray(ArrayType{f32, {2, 2, 1}});
  gray.mutable_values<float>()[1] = 0.5f;
  gray.mutable_values<float>()[3] = 7;
  second.write({9, 2000, {{"gray", Image{gray}}}});
}

}  // namespace
}  // namespace meshwright::metrics

int main(int /*argc*/, char** argv) {
  meshwright::metrics::write_all(argv[1]);
}
