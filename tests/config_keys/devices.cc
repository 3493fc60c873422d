// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <optional>

#include "meshwright/base/str.h"
#include "meshwright/cli/client_args.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/runtime/plugin_environment.h"
#include "programs.h"

namespace meshwright::config_keys {
namespace {

// Restores an environment variable on destruction.
class KeptVariable {
 public:
  explicit KeptVariable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) before_ = value;
  }
  ~KeptVariable() {
    if (before_) setenv(name_, before_->c_str(), 1);
    if (!before_) unsetenv(name_);
  }
  KeptVariable(const KeptVariable&) = delete;
  KeptVariable& operator=(const KeptVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

std::string devices(const cli::RunConfig& config) {
  const KeptVariable flags("XLA_FLAGS"), arguments("LIBTPU_INIT_ARGS");
  const runtime::Client client = cli::open_client(config.mesh, {});
  return str(client.num_devices(), " devices, flags ", runtime::xla_flags_of_user(), ", variables ",
             runtime::plugin_variables());
}

}  // namespace meshwright::config_keys
