// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/phase_trace.h"

#include "meshwright/base/error.h"
#include "meshwright/base/json.h"
#include "meshwright/base/log.h"

namespace meshwright::train {

void PhaseTrace::start() {
  is_on_ = true;
  phases_.clear();
}

void PhaseTrace::begin_phase(std::int64_t number, std::string_view phase) {
  if (is_on_) phases_.push_back({std::string(phase), number, Clock::now()});
}

void PhaseTrace::stop(io::FileSystem& files, const std::string& path) {
  if (!is_on_) return;
  begin_phase(0, "end");
  is_on_ = false;
  auto microseconds = [&](std::size_t i) {
    return std::chrono::duration<double, std::micro>(phases_[i].start - phases_[0].start).count();
  };
  JsonWriter json;
  json.begin_object().key("traceEvents").begin_array();
  for (std::size_t i = 0; i + 1 < phases_.size(); ++i) {
    json.begin_object().field("name", phases_[i].name).field("ph", "X");
    json.field("ts", microseconds(i)).field("dur", microseconds(i + 1) - microseconds(i));
    json.field("pid", 0).field("tid", 0);
    json.key("args").begin_object().field(counted_, phases_[i].number).end_object().end_object();
  }
  json.end_array().end_object();
  try {
    write_anew(files, path, json.str() + '\n');
  } catch (const Error& error) {
    log_warning("cannot write the trace ", files.full_name(path), ": ", error.what());
  }
}

}  // namespace meshwright::train
