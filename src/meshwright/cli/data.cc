// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/commands.h"
#include "meshwright/cli/data_commands.h"

namespace meshwright::cli {

constexpr Command kDataCommands[] = {
    {"caches", "list the token caches of a folder, and remove old ones", list_caches},
    {"pack", "write the rows that a run trains on, for other programs", pack_data},
    {"show", "print a row of a batch with the places it comes from", show_data},
    {"stats", "count documents, tokens, duplicates and padding", print_data_statistics},
    {"tokenize", "print or store the tokens of texts", tokenize_data},
    {"train-tokenizer", "learn a tokenizer.json from text", train_tokenizer},
    {"verify", "read all of a corpus and list what is wrong with it", verify_data},
};

const CommandGroup& data_commands() {
  static constexpr CommandGroup kGroup{"Works on the text that models are trained on.",
                                       kDataCommands};
  return kGroup;
}

}  // namespace meshwright::cli
