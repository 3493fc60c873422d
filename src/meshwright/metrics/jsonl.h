// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/metrics/append_file.h"
#include "meshwright/metrics/bus.h"

namespace meshwright {
class JsonWriter;
}

namespace meshwright::metrics {

/// A number, or one of the strings "NaN", "Infinity", "-Infinity": JSON has no such numbers, and
/// the names are those of protocol buffers' JSON.
void write_number(JsonWriter& json, double number);

/// One JSON object per line, for programs. docs/metrics.md describes it.
class JsonlSink : public Sink {
 public:
  inline static constexpr int kSchema = 1;

  /// Goes on with the file if there is one. What older processes wrote for `first_step` and later
  /// steps is void. Throws if it cannot be
  /// opened.
  JsonlSink(const Files& files, std::string path, std::int64_t first_step, double wall_seconds);

  std::string name() const override { return file_.path(); }
  void write(const Record& record) override;

 private:
  AppendFile file_;
};

}  // namespace meshwright::metrics
