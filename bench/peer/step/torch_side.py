# SPDX-License-Identifier: Apache-2.0
"""usage: torch_side.py CONFIG FOLDER f32|bf16 eager|compiled|gpu

Trains the model of CONFIG with PyTorch, with the initial parameters and the batch in FOLDER. "gpu" compiles it
for the GPU; the others are for the CPU."""

import contextlib
import ctypes
import gc
import os
import sys
import time

import torch

import config
import torch_models
import weights
from server import Side, serve


def state_dict(flat):
    """Converts to the names of the modules: layers by number, matrices [out, in]."""
    out = {}
    for name, array in flat.items():
        tensor = torch.from_numpy(array)
        *parents, last = name.split("/")
        if last == "w":
            tensor = tensor.mT
        of_module = last in ("w", "b", "scale", "bias")
        if of_module:
            last = "bias" if last in ("b", "bias") else "weight"
        if parents and parents[0] in ("layers", "encoder", "decoder"):
            for i, of_layer in enumerate(tensor):
                out[".".join([parents[0], str(i), *parents[1:], last])] = of_layer
        else:
            out[".".join([*parents, last])] = tensor
    return out


class Torch(Side):
    def __init__(self, config_file, folder, dtype, form):
        torch.set_num_threads(len(os.sched_getaffinity(0)))
        sizes, self.adamw = config.load(config_file)
        self.dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[dtype]
        self.device = "cuda" if form == "gpu" else "cpu"
        torch.set_float32_matmul_precision("high")  # TF32 on GPUs, as XLA; nothing on CPUs
        self.batch = {name: torch.from_numpy(array).to(self.device)
                      for name, array in weights.read(f"{folder}/batch").items()}
        self.model = torch_models.model(sizes, self.batch).to(self.device)
        initial = self.named(state_dict(weights.parameters(sizes.task, f"{folder}/params")))
        self.forward = self.model
        self.begin(initial)
        if form != "eager":
            self.forward = torch.compile(self.model)
            begin = time.perf_counter()
            self.step()
            self.compile_seconds = time.perf_counter() - begin
            self.begin(initial)
        # The memory of the compiler does not belong to the step.
        del initial
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)

    def named(self, values):
        """Renames values to the model's own names: a table may be a module's weight."""
        names = dict(self.model.named_parameters())
        return {name if name in names else f"{name}.weight": value for name, value in values.items()}

    def begin(self, initial):
        """Loads the initial parameters and creates an optimizer whose slots are already allocated."""
        self.model.zero_grad(set_to_none=True)
        missing, unknown = self.model.load_state_dict(initial, strict=False)
        parameters = dict(self.model.named_parameters())
        if unknown or set(missing) & set(parameters):
            raise ValueError(f"parameters do not match: missing {missing}, unknown {unknown}")
        o = self.adamw
        self.optimizer = torch.optim.AdamW(parameters.values(), lr=o.learning_rate, betas=(o.b1, o.b2),
                                           eps=o.eps, weight_decay=o.weight_decay, fused=True)
        for parameter in parameters.values():
            self.optimizer.state[parameter] = {"step": torch.zeros((), device=self.device), "exp_avg": torch.zeros_like(parameter),
                                               "exp_avg_sq": torch.zeros_like(parameter)}

    def step(self):
        is_mixed = self.dtype != torch.float32
        with torch.autocast(self.device, self.dtype) if is_mixed else contextlib.nullcontext():
            loss = self.forward(self.batch)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def wait(self, loss):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def peak_bytes(self):
        return torch.cuda.max_memory_allocated()

    def product(self, batch, m, k, n):
        a, b = (torch.randn(shape, dtype=self.dtype) for shape in ((batch, m, k), (batch, k, n)))
        if batch == 1:
            a, b = a[0], b[0]
        out = torch.empty((*a.shape[:-1], n), dtype=self.dtype)
        return lambda: torch.matmul(a, b, out=out)


if __name__ == "__main__":
    serve(Torch(*sys.argv[1:]))
