# SPDX-License-Identifier: Apache-2.0
"""Real TensorBoard reads the event files of the program write_events.

usage: tensorboard_test.py PROGRAM
"""

import io
import math
from pathlib import Path
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from PIL import Image
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.backend.event_processing import plugin_event_accumulator
from tensorboard.plugins.hparams import plugin_data_pb2
from tensorboard.util import tensor_util

PROGRAM = None


def pixels(encoded):
    return np.asarray(Image.open(io.BytesIO(encoded)))


class TensorBoardTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([PROGRAM, cls.folder.name], check=True)
        cls.events = event_accumulator.EventAccumulator(
            cls.folder.name, size_guidance={"images": 0, "histograms": 0, "scalars": 0, "tensors": 0})
        cls.events.Reload()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_there_are_files_of_two_sessions(self):
        self.assertGreaterEqual(len(list(Path(self.folder.name).iterdir())), 3)

    def test_scalars_without_those_after_the_restored_step(self):
        expected = [(k, np.float32(1 / k)) for k in range(1, 7)] + [(k, k) for k in range(7, 10)]
        self.assertEqual([(e.step, e.value) for e in self.events.Scalars("loss")], expected)
        self.assertEqual([e.wall_time for e in self.events.Scalars("loss")][:2], [1001, 1002])
        self.assertEqual({e.value for e in self.events.Scalars("eval/accuracy")}, {0.25})
        self.assertTrue(math.isnan(self.events.Scalars("loss_nan")[0].value))

    def test_text(self):
        [event] = self.events.Tensors("config")
        self.assertEqual(event.step, 0)
        self.assertEqual(tensor_util.make_ndarray(event.tensor_proto).tolist(),
                         [b"    a = 1\n    b = [2]\n"])
        self.assertIn("config", self.events.PluginTagToContent("text"))

    def test_settings_are_hparams(self):
        content = self.events.PluginTagToContent("hparams")["_hparams_/session_start_info"]
        info = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
        self.assertEqual(info.start_time_secs, 1000)
        settings = {k: getattr(v, v.WhichOneof("kind")) for k, v in info.hparams.items()}
        self.assertEqual(settings, {"lr": 0.5, "layers": 12, "model": "lm", "tied": True})

    def test_histogram(self):
        values = np.array([np.sin(i) * 1.01**i for i in range(1000)], np.float32).astype(np.float64)
        [event] = self.events.Histograms("weights")
        h = event.histogram_value
        self.assertEqual((h.num, h.min, h.max), (1000, values.min(), values.max()))
        np.testing.assert_allclose(h.sum, values.sum(), rtol=1e-12)
        np.testing.assert_allclose(h.sum_squares, (values**2).sum(), rtol=1e-12)
        edges = np.array([-np.inf, *h.bucket_limit])
        counts, _ = np.histogram(values, edges)
        np.testing.assert_array_equal(counts, h.bucket)

    def test_images(self):
        y, x = np.mgrid[:6, :10]
        for i in range(3):
            [event] = self.events.Images(f"pictures/{i}")
            self.assertEqual((event.width, event.height), (10, 6))
            expected = np.stack([16 * y, 16 * x, np.full_like(y, 16 * i)], -1)
            np.testing.assert_array_equal(pixels(event.encoded_image_string), expected)
        [gray] = self.events.Images("gray")
        np.testing.assert_array_equal(pixels(gray.encoded_image_string), [[0, 128], [0, 255]])

    def test_the_server_shows_all_kinds(self):
        """The reader behind the web UI converts our events to its newer forms."""
        shown = plugin_event_accumulator.EventAccumulator(self.folder.name)
        shown.Reload()
        plugins = {tag: shown.SummaryMetadata(tag).plugin_data.plugin_name
                   for tag in ("loss", "config", "weights", "pictures/0")}
        self.assertEqual(plugins, {"loss": "scalars", "config": "text", "weights": "histograms",
                                   "pictures/0": "images"})
        buckets = tensor_util.make_ndarray(shown.Tensors("weights")[0].tensor_proto)
        self.assertEqual(buckets[:, 2].sum(), 1000)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=0)
