// SPDX-License-Identifier: Apache-2.0
// All ops that have kernels; start here.
//
// A kernel computes an op by a function of Meshwright instead of the ops that XLA would compile. It
// runs on CPUs, where XLA is far from the hardware: one pass over memory instead of several, or
// products that keep their operands where they are.
//
// - The op: an OpDef with `handler`, and a function such as attention() that models call. It is
//   in FAMILY/FAMILY.h. The node is written as a custom call of the handler.
// - The reference: the formula of the same op in plain ops (OpDef::reference). It runs on other
//   platforms, with `kernels = "xla"`, and where a kernel does not apply; tests compare the two.
// - The decision: graph/placement/kernel_decision.h. OpDef::obstacle says why a kernel does not
//   apply to a call (dtype, size, processor). Platform, wish and mesh are the same for all ops.
// - KernelAxes: XLA's partitioner cannot split a call, so OpDef::axes names the dimensions of its
//   arrays. place_kernels splits them by the activation rules and calls the kernel with shards.
// - The gradient: usually a second op with a kernel, emitted by OpDef::vjp, with its own reference.
//   Gradients of gradients differentiate the reference (kReferenceGradient).
// - The handler: FAMILY/FAMILY_handlers.cc; gets a pjrt::KernelCall with pointers, shapes and
//   attributes. It divides its work into tasks for pjrt's threads. A handler that fails fills its
//   results with NaN and reports the error, since other devices may wait for it in a collective.
// - Inner loops: simd/, written once with Highway and compiled for several instruction sets;
//   product/ multiplies matrices by panels.
// - Scratch memory: common/scratch.h for amounts that a thread can keep. A call that needs much
//   asks XLA for it (CallText::scratch_floats), so that it shares memory with other values.
// - Determinism: tasks and the order of sums depend on shapes alone, never on the number of
//   threads, so equal inputs give equal bits on equal processors.
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
