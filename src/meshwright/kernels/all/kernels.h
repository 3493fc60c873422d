// SPDX-License-Identifier: Apache-2.0
// All ops that have kernels; start here.
//
// A kernel computes an op with a hand-written CPU function instead of the code that XLA would
// generate. Kernels exist where XLA's code falls far short of the hardware: one pass over memory
// instead of several, or matrix products that need no transposed copies of their operands.
//
// - The op: an OpDef with `handler`, and a function such as attention() that models call. Both are
//   in FAMILY/FAMILY.h. The node is written as a custom call to the handler.
// - The reference: the op's formula in plain ops (OpDef::reference). It runs on other platforms,
//   with `kernels = "xla"`, and where a kernel does not apply; tests compare the two.
// - The decision: graph/placement/kernel_decision.h. OpDef::obstacle says why a kernel does not
//   apply to a call (dtype, size, processor). Platform, config and mesh are checked for all ops.
// - KernelAxes: XLA's partitioner cannot split a custom call, so OpDef::axes names the dimensions
//   of its arrays. place_kernels shards them by the activation rules; each shard is one call.
// - The gradient: usually a second op with a kernel, emitted by OpDef::vjp, with its own reference.
//   Second-order gradients differentiate the reference (kReferenceGradient).
// - The handler: FAMILY/FAMILY_handlers.cc; gets a pjrt::KernelCall with pointers, shapes and
//   attributes. It divides its work into tasks for pjrt's threads. A handler that fails reports the
//   error and fills its results with NaN, since other devices may be waiting in a collective.
// - Inner loops: simd/, written once with Highway and compiled for several instruction sets;
//   product/ multiplies matrices in packed panels.
// - Scratch memory: common/scratch.h for buffers small enough to keep per thread. A call that needs
//   more requests it from XLA (CallText::scratch_floats), which reuses the memory for other values.
// - Determinism: the division into tasks and the order of summation depend on shapes alone, never
//   on the number of threads, so equal inputs give equal bits on equal processors.
//
// To add a kernel: write the reference and its gradient first; add the OpDef with handler, axes and
// obstacle; write the handler; list the family in LAYERS. tests/kernels compares kernel and
// reference, with gradients, on one device and on a mesh; obstacles_test has a case per obstacle.
#pragma once

#include "meshwright/kernels/attention/attention.h"
#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/kernels/dropout/dropout.h"
#include "meshwright/kernels/embedding/embedding.h"
#include "meshwright/kernels/linear/linear.h"
#include "meshwright/kernels/norm/norm.h"
#include "meshwright/kernels/sums/square_sums.h"
#include "meshwright/kernels/sums/sum_of_squares.h"
#include "meshwright/kernels/update/update.h"
