// SPDX-License-Identifier: Apache-2.0
// The commands of bench_data. Each prints lines `NAME NUMBER`.
#pragma once

#include <span>
#include <string>

namespace meshwright::bench {

/// encode TOKENIZER TEXTS THREADS [IDS]
void encode_texts(std::span<const std::string> arguments);

/// read FILE THREADS [check]
void read_records(std::span<const std::string> arguments);

/// pack TOKENIZER FILE CACHE LENGTH whole|cut rows|batches
void pack_documents(std::span<const std::string> arguments);

/// feed TOKENIZER FILE CACHE LENGTH THREADS
void feed_devices(std::span<const std::string> arguments);

}  // namespace meshwright::bench
