# SPDX-License-Identifier: Apache-2.0
"""T5X's Adafactor in NumPy, f64. Dimensions named `layers` are kept apart."""

import numpy as np

# Axes of the parameters of parity_specs, and what their dimensions are to T5X.
AXES = {
    "scale": "", "decoder/norm": "r", "decoder/w_in": "rc", "decoder/w_out": "cr",
    "decoder/bias": "c", "decoder/layers/w_q": "brc", "embed": "cr",
}


def factored_dims(path, shape, min_size, by_axes):
    """(rows, columns): what v_col and v_row are averaged over."""
    roles = AXES[path]
    if min_size is None or len(shape) < 2:
        return None
    if by_axes and len(shape) > 2:
        return roles.index("r"), roles.index("c")
    first = len(shape) - 2  # layers before it do not count
    order = first + np.argsort(shape[-2:], kind="stable")
    return (order[0], order[1]) if shape[order[0]] >= min_size else None


class Parameter:
    def __init__(self, path, value, options):
        self.path, self.options = path, options
        self.value = np.asarray(value, np.float64)
        self.dims = factored_dims(path, value.shape, options["min_size"], options["by_axes"])
        self.over = tuple(i for i, role in enumerate(AXES[path]) if role != "b")
        self.row = self.col = self.whole = self.moment = 0.0

    def rms(self, x):
        return np.sqrt((x * x).mean(axis=self.over, keepdims=True))

    def normalized(self, gradient, decay):
        squares = gradient**2 + 1e-30
        if self.dims is None:
            self.whole = decay * self.whole + (1 - decay) * squares
            return gradient / np.sqrt(self.whole)
        rows, columns = self.dims
        self.row = decay * self.row + (1 - decay) * squares.mean(columns)
        self.col = decay * self.col + (1 - decay) * squares.mean(rows)
        along = rows - (columns < rows)
        relative = self.row / self.row.mean(along, keepdims=True)
        return gradient / np.sqrt(np.expand_dims(relative, columns) * np.expand_dims(self.col, rows))

    def update(self, gradient, rate, decay):
        o = self.options
        y = self.normalized(gradient, decay)
        if o["clip"] is not None:
            y = y / np.maximum(1, self.rms(y) / o["clip"])
        if o["scales"](self.path):
            scale = np.maximum(self.rms(self.value), 1e-3)
            rate_here = rate * np.minimum(scale, o["max_scale"] or np.inf)
        else:
            rate_here = rate
        step = rate_here * y
        if o["beta1"] is not None:
            self.moment = o["beta1"] * self.moment + (1 - o["beta1"]) * step
            step = self.moment
        shrink = o["weight_decay"]
        if o["lr_exponent"]:
            shrink = (shrink or 1) * rate ** o["lr_exponent"]
        self.value = (1 - (shrink or 0)) * self.value - step


def t5x_adafactor(schedule, min_size, beta1=None, decay_rate=0.8, clip=1.0, weight_decay=None,
                  lr_exponent=None, max_scale=None, global_norm=None, by_axes=False,
                  scales=lambda path: True):
    options = dict(min_size=min_size, beta1=beta1, clip=clip, weight_decay=weight_decay,
                   lr_exponent=lr_exponent, max_scale=max_scale, by_axes=by_axes, scales=scales)

    def run(params, gradients):
        state = {p: Parameter(p, x, options) for p, x in params.items()}
        out = []
        for step, gradient in enumerate(gradients):
            wide = {p: np.asarray(g, np.float64) for p, g in gradient.items()}
            if global_norm is not None:
                size = np.sqrt(sum((g * g).sum() for g in wide.values()))
                wide = {p: g * min(1, global_norm / size) for p, g in wide.items()}
            for path, parameter in state.items():
                parameter.update(wide[path], float(schedule(step)), 1 - (step + 1) ** -decay_rate)
            out.append({p: x.value for p, x in state.items()})
        return out

    return run
