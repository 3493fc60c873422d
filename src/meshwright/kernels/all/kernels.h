// SPDX-License-Identifier: Apache-2.0
// Includes every op that has a kernel. Start reading here.
//
// A kernel computes an op with a hand-written CPU function instead of the code that XLA would
// generate. Kernels exist where XLA's code falls far short of what the hardware can do: they make
// one pass over memory instead of several, or multiply matrices without transposed copies of the
// operands.
//
// - The op: an OpDef with a `handler`, and a function such as attention() that models call. Both
//   are declared in a header of the family, usually FAMILY/FAMILY.h. The node is emitted as a
//   custom call to the handler.
// - The reference: the op's formula in plain ops (OpDef::reference). It is used on other platforms,
//   with `kernels = "xla"`, and wherever the kernel does not apply. Tests compare it with the
//   kernel.
//   kFlashAttention has no handler: CPUs have kAttention instead.
// - The decision: graph/placement/kernel_decision.h. OpDef::obstacle returns the reason why a
//   kernel does not apply to a call (dtype, size, processor). The platform, config and mesh are
//   checked in the same way for all ops.
// - KernelAxes: XLA's partitioner cannot split a custom call, so OpDef::axes names the dimensions
//   of its arrays. place_kernels shards the arrays by the activation rules, with one call per
//   shard.
// - The gradient: usually a second op with a kernel, emitted by OpDef::vjp, with its own reference.
//   Second-order gradients are obtained by differentiating the reference (kReferenceGradient).
// - The handler: in FAMILY/FAMILY_handlers.cc. It receives a pjrt::KernelCall with pointers, shapes
//   and attributes, and divides its work into tasks for pjrt's threads. A handler that fails
//   reports the error and fills its results with NaN, because other devices may be waiting in a
//   collective operation.
// - Inner loops: in simd/, written once with Highway and compiled for several instruction sets.
//   product/ multiplies matrices in packed panels.
// - Scratch memory: common/scratch.h for buffers small enough to keep per thread. A call that needs
//   more requests it from XLA (CallText::scratch_floats), which reuses the memory for other values.
// - Determinism: the division into tasks and the order of summation depend only on shapes, never on
//   the number of threads, so the same inputs give bit-identical results on the same type of
//   processor.
//
// To add a kernel, write the reference and its gradient first, add the OpDef with its handler, axes
// and obstacle, write the handler, and list the family in LAYERS. The tests in tests/kernels
// compare the kernel and its gradients with the reference, on one device and on a mesh.
// obstacles_test has one case per obstacle.
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
