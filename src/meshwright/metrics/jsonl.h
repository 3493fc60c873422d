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

/// Writes a number, or the string "NaN", "Infinity" or "-Infinity" for a number that JSON cannot
/// represent, like protocol-buffer JSON.
void write_number(JsonWriter& json, double number);

/// Writes one JSON object per line. docs/metrics.md describes the format.
class JsonlSink : public Sink {
 public:
  inline static constexpr int kSchema = 1;

  /// Appends to an existing file. Readers must ignore earlier records from `first_step` on. Throws
  /// if the file cannot be opened.
  JsonlSink(const Files& files, std::string path, std::int64_t first_step, double wall_seconds);

  std::string name() const override { return file_.path(); }
  void write(const Record& record) override;

 private:
  AppendFile file_;
};

}  // namespace meshwright::metrics
