"""Extensions of numba for the kernels: array types, and a few processor instructions that Python does not have.

Imported only if numba is available (see ``primitives.py``).
"""

import llvmlite.ir as ir
import numba
from numba.extending import intrinsic, models, register_model


def read_only(element, n_dimensions=1):
    """Return the numba type of a read-only C-contiguous array."""
    return numba.types.Array(element, n_dimensions, "C", readonly=True)


VECTOR = numba.float64[::1]
MATRIX = numba.float64[:, ::1]
WEIGHTS_WITH_VARIANCES = numba.float64[:, :, ::1]

#: rule(scores (K,), label, sq_norm, step, cost (K,), read-only) -> d (K,)
RULE_SIGNATURE = VECTOR(VECTOR, numba.int64, numba.float64, numba.float64, read_only(numba.float64))
#: rule(scores (K,), label, variances (K,), step, cost (K,)) -> d (K,), b (K,)
SECOND_ORDER_SIGNATURE = numba.types.UniTuple(VECTOR, 2)(
    VECTOR, numba.int64, VECTOR, numba.float64, read_only(numba.float64)
)
#: in-place form of a rule: K, scores, label, sq_norm, step, cost, d -> True if it has written an update into d
_NUMBERS = numba.types.CPointer(numba.float64)
IN_PLACE_SIGNATURE = numba.boolean(numba.int64, _NUMBERS, numba.int64, numba.float64, numba.float64, _NUMBERS, _NUMBERS)


class _FourNumbers(numba.types.Type):
    """Four float64 in one processor register (or two registers of half the width, as LLVM decides).

    The K weights of a feature are adjacent, so four of them can be read, multiplied and added at once. LLVM does not vectorize
    this by itself in a loop over scattered rows.
    """

    def __init__(self):
        super().__init__(name="FourNumbers")


_FOUR = _FourNumbers()
_FOUR_IN_LLVM = ir.VectorType(ir.DoubleType(), 4)


@register_model(_FourNumbers)
class _FourNumbersModel(models.PrimitiveModel):
    def __init__(self, data_model_manager, numba_type):
        super().__init__(data_model_manager, numba_type, _FOUR_IN_LLVM)


def _splat(builder, value):
    number = ir.IntType(32)
    undefined = ir.Constant(_FOUR_IN_LLVM, ir.Undefined)
    first = builder.insert_element(undefined, value, number(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(number, 4), [0, 0, 0, 0]))


def _pointer_to_four(context, builder, array_type, array, index):
    start = builder.gep(context.make_array(array_type)(context, builder, array).data, [index])
    return builder.bitcast(start, _FOUR_IN_LLVM.as_pointer())


@intrinsic
def load_four(_typing_context, array, index):
    """Load the numbers ``index`` … ``index + 3`` of a flattened C-contiguous ``array``."""

    def generate(context, builder, signature, arguments):
        return builder.load(_pointer_to_four(context, builder, signature.args[0], *arguments), align=8)

    return _FOUR(array, index), generate


@intrinsic
def store_four(_typing_context, array, index, four):
    """Store ``four`` at the location from which :func:`load_four` reads."""

    def generate(context, builder, signature, arguments):
        pointer = _pointer_to_four(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], pointer, align=8)
        return context.get_dummy_value()

    return numba.types.void(array, index, four), generate


def _multiply_add(factor_type):
    def generate(_context, builder, _signature, arguments):
        four, factor, other = arguments
        factors = factor if factor_type is _FOUR else _splat(builder, factor)
        fused = ("contract",)
        return builder.fadd(four, builder.fmul(factors, other, flags=fused), flags=fused)

    return _FOUR(_FOUR, factor_type, _FOUR), generate


@intrinsic
def add_multiple(_typing_context, four, factor, other):
    """Return ``four + factor · other``, fused if the processor supports it."""
    return _multiply_add(numba.float64)


@intrinsic
def add_product(_typing_context, four, factors, other):
    """Return ``four + factors · other``, elementwise, fused if the processor supports it."""
    return _multiply_add(_FOUR)


@intrinsic
def clip_below(_typing_context, four, minimum):
    """Return ``four`` with elements below ``minimum`` replaced by ``minimum``."""

    def generate(_context, builder, _signature, arguments):
        four, least = arguments
        least = _splat(builder, least)
        return builder.select(builder.fcmp_ordered("<", four, least), least, four)

    return _FOUR(_FOUR, numba.float64), generate


@intrinsic
def four_zeros(_typing_context):
    """Return four zeros in a register."""

    def generate(_context, _builder, _signature, _arguments):
        return ir.Constant(_FOUR_IN_LLVM, [0.0] * 4)

    return _FOUR(), generate


@intrinsic
def prefetch(_typing_context, array, index):
    """Prefetch the cache line of ``array[index]``; this never faults and never waits."""

    def generate(context, builder, signature, arguments):
        pointer = builder.gep(
            context.make_array(signature.args[0])(context, builder, arguments[0]).data, [arguments[1]]
        )
        byte_pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte_pointer.type, number, number, number])
        llvm_prefetch = builder.module.declare_intrinsic("llvm.prefetch.p0", fnty=function_type)
        read, keep_in_all_caches, data_cache = number(0), number(3), number(1)
        builder.call(llvm_prefetch, [byte_pointer, read, keep_in_all_caches, data_cache])
        return context.get_dummy_value()

    return numba.types.void(array, numba.intp), generate


@intrinsic
def unowned_view(_typing_context, array):
    """Return ``array`` without its owner, so that no references are counted; the owner must outlive the result."""

    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        view.meminfo = ir.Constant(view.meminfo.type, None)
        view.parent = ir.Constant(view.parent.type, None)
        return view._getvalue()

    return array(array), generate


def _call_at(context, builder, signature, types, address, *values):
    """Call machine code by its address; passing a function to a loop would cost 0.2 ms per call, because numba would ask Python."""
    arguments = [context.cast(builder, *of) for of in zip(values, types, signature.args, strict=True)]
    code = context.call_conv.get_function_type(signature.return_type, signature.args).as_pointer()
    status, result = context.call_conv.call_function(
        builder, builder.inttoptr(address, code), signature.return_type, signature.args, arguments
    )
    with builder.if_then(status.is_error, likely=False):
        context.call_conv.return_status_propagate(builder, status)
    return result


def _generate_call(rule_signature):
    def generate(context, builder, signature, arguments):
        return _call_at(context, builder, rule_signature, signature.args[1:], *arguments)

    return generate


@intrinsic
def call_rule(_typing_context, address, scores, label, sq_norm, step, cost):
    """Return the d of a first-order rule."""
    return RULE_SIGNATURE.return_type(address, scores, label, sq_norm, step, cost), _generate_call(RULE_SIGNATURE)


@intrinsic
def call_rule_in_place(_typing_context, address, n_classes, scores, label, sq_norm, step, cost, d):
    """Call the in-place form of a rule, which gets the addresses of the arrays; return True if it has written an update into ``d``."""

    def generate(context, builder, signature, arguments):
        values = [
            context.make_array(kind)(context, builder, value).data if isinstance(kind, numba.types.Array) else value
            for kind, value in zip(signature.args, arguments, strict=True)
        ]
        types = [_NUMBERS if isinstance(kind, numba.types.Array) else kind for kind in signature.args]
        return _call_at(context, builder, IN_PLACE_SIGNATURE, types[1:], *values)

    return IN_PLACE_SIGNATURE.return_type(address, n_classes, scores, label, sq_norm, step, cost, d), generate


@intrinsic
def call_second_order_rule(_typing_context, address, scores, label, variances, step, cost):
    """Return the d and b of a second-order rule."""
    returned = SECOND_ORDER_SIGNATURE.return_type(address, scores, label, variances, step, cost)
    return returned, _generate_call(SECOND_ORDER_SIGNATURE)
