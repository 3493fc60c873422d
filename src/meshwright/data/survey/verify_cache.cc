// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "meshwright/data/cache/token_cache.h"
#include "meshwright/data/survey/flaw_list.h"

namespace meshwright::data {

void verify_cache(const RecordFiles& part,
                  const RecordEncoder& encoder,
                  const std::filesystem::path& caches,
                  FlawList& out) {
  const std::filesystem::path folder =
      token_cache_folder(part.files, part.settings, encoder, caches);
  if (!std::filesystem::exists(folder)) return;
  ++out.found.num_caches;
  const CheckedTokenCache checked = check_token_cache(folder);
  if (!checked.is_complete) {
    out.remark({.file = folder.string(),
                .what = "the token cache is not complete: it is being built, or the build was "
                        "interrupted, and the next run continues it"});
  }
  for (const std::string& damage : checked.damage)
    out.add({.file = folder.string(), .what = damage});
  if (!checked.damage.empty()) out.found.damaged_caches.push_back(folder.string());
}

}  // namespace meshwright::data
