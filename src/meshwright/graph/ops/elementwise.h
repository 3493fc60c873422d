// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic, comparison, logic and mathematical functions. Two arrays are broadcast to
// a common shape according to NumPy's rule; their dtypes must be equal. A plain number takes the
// dtype of the other operand.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

extern const OpDef kNegate, kAbs, kSign, kExp, kExpm1, kLog, kLog1p, kSqrt, kRsqrt, kCbrt, kSin,
    kCos, kTan, kAsin, kAcos, kAtan, kSinh, kCosh, kTanh, kAsinh, kAcosh, kAtanh, kLogistic, kErf,
    kErfc, kErfInv, kLgamma, kDigamma, kPolygamma, kFloor, kCeil, kRoundEven, kRoundAway, kIsFinite,
    kNot, kPopcount, kCountLeadingZeros;
extern const OpDef kAdd, kSubtract, kMultiply, kDivide, kRemainder, kPower, kMaximum, kMinimum,
    kAtan2, kAnd, kOr, kXor, kShiftLeft, kShiftRightArithmetic, kShiftRightLogical, kNextAfter;
/// attrs: Comparison.
extern const OpDef kCompare;
extern const OpDef kSelect, kClamp;
/// attrs: DType.
extern const OpDef kConvert, kBitcast, kReducePrecision;

enum class Comparison { eq, ne, lt, le, gt, ge };

Value operator-(Operand x);
Value operator+(Operand a, Operand b);
Value operator-(Operand a, Operand b);
Value operator*(Operand a, Operand b);
Value operator/(Operand a, Operand b);

Value abs(Operand x);
Value sign(Operand x);
Value exp(Operand x);
Value expm1(Operand x);
Value log(Operand x);
Value log1p(Operand x);
Value sqrt(Operand x);
Value rsqrt(Operand x);
Value cbrt(Operand x);
Value square(Operand x);
Value reciprocal(Operand x);
Value sin(Operand x);
Value cos(Operand x);
Value tan(Operand x);
Value asin(Operand x);
Value acos(Operand x);
Value atan(Operand x);
Value sinh(Operand x);
Value cosh(Operand x);
Value tanh(Operand x);
Value asinh(Operand x);
Value acosh(Operand x);
Value atanh(Operand x);
/// Returns 1 / (1 + exp(-x)).
Value logistic(Operand x);
Value erf(Operand x);
Value erfc(Operand x);
Value erf_inv(Operand x);
Value lgamma(Operand x);
Value digamma(Operand x);
/// Returns the derivative of digamma of the given order; order 0 is digamma itself. Throws
/// invalid_argument for a negative order.
Value polygamma(int order, Operand x);
Value floor(Operand x);
Value ceil(Operand x);
/// Round to the nearest integer, with ties to even or away from zero.
Value round_even(Operand x);
Value round_away(Operand x);
Value is_finite(Operand x);
/// Negates booleans; inverts the bits of integers.
Value logical_not(Operand x);
Value popcount(Operand x);
Value count_leading_zeros(Operand x);

/// The result has the sign of the dividend, as in C.
Value remainder(Operand a, Operand b);
Value pow(Operand base, Operand exponent);
Value maximum(Operand a, Operand b);
Value minimum(Operand a, Operand b);
Value atan2(Operand y, Operand x);
Value logical_and(Operand a, Operand b);
Value logical_or(Operand a, Operand b);
Value logical_xor(Operand a, Operand b);
Value shift_left(Operand a, Operand b);
Value shift_right_arithmetic(Operand a, Operand b);
Value shift_right_logical(Operand a, Operand b);
/// Returns the next representable number after a in the direction of b.
Value next_after(Operand a, Operand b);

Value compare(Comparison how, Operand a, Operand b);
Value equal(Operand a, Operand b);
Value not_equal(Operand a, Operand b);
Value operator<(Operand a, Operand b);
Value operator<=(Operand a, Operand b);
Value operator>(Operand a, Operand b);
Value operator>=(Operand a, Operand b);

/// Returns the elements of a where the condition is true, and those of b elsewhere.
Value where(Operand condition, Operand a, Operand b);
Value clamp(Operand low, Operand x, Operand high);

/// Converts to another dtype. Rounds floats to the nearest value, ties to even; truncates floats to
/// integers.
Value cast(Operand x, DType dtype);
/// Reinterprets the bits. A narrower dtype adds a last dimension (f32[3] becomes u8[3,4]); a wider
/// one removes it.
Value bitcast(Operand x, DType dtype);
/// Rounds to the precision and range of a narrower float but keeps the dtype.
Value reduce_precision(Operand x, DType narrower);

inline constexpr std::array kElementwiseOps = {&kNegate,
                                               &kAbs,
                                               &kSign,
                                               &kExp,
                                               &kExpm1,
                                               &kLog,
                                               &kLog1p,
                                               &kSqrt,
                                               &kRsqrt,
                                               &kCbrt,
                                               &kSin,
                                               &kCos,
                                               &kTan,
                                               &kAsin,
                                               &kAcos,
                                               &kAtan,
                                               &kSinh,
                                               &kCosh,
                                               &kTanh,
                                               &kAsinh,
                                               &kAcosh,
                                               &kAtanh,
                                               &kLogistic,
                                               &kErf,
                                               &kErfc,
                                               &kErfInv,
                                               &kLgamma,
                                               &kDigamma,
                                               &kPolygamma,
                                               &kFloor,
                                               &kCeil,
                                               &kRoundEven,
                                               &kRoundAway,
                                               &kIsFinite,
                                               &kNot,
                                               &kPopcount,
                                               &kCountLeadingZeros,
                                               &kAdd,
                                               &kSubtract,
                                               &kMultiply,
                                               &kDivide,
                                               &kRemainder,
                                               &kPower,
                                               &kMaximum,
                                               &kMinimum,
                                               &kAtan2,
                                               &kAnd,
                                               &kOr,
                                               &kXor,
                                               &kShiftLeft,
                                               &kShiftRightArithmetic,
                                               &kShiftRightLogical,
                                               &kNextAfter,
                                               &kCompare,
                                               &kSelect,
                                               &kClamp,
                                               &kConvert,
                                               &kBitcast,
                                               &kReducePrecision};

}  // namespace meshwright::graph
