"""Expressions in options of a plan: "x_cells={round(1000 * sqrt(ranks))}". Only numbers, the names that the run has, + - * / // % **
and some functions: a plan computes sizes, and nothing else. They are read by Python's parser and evaluated here, never by eval."""
import ast
import math
import operator
import re

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
FUNCTIONS = {"round": lambda x: round(x), "min": min, "max": max, "sqrt": math.sqrt, "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
             "floor": math.floor, "ceil": math.ceil, "log2": math.log2}
MAX_LENGTH = 200
MAX_EXPONENT = 64
MAX_VALUE = 1e18

BRACES = re.compile(r"\{([^{}]*)\}")


class BadExpression(Exception):
    """What is wrong with it."""


def evaluate(text, names):
    """The value of an expression: a number, or the text of a name."""
    if len(text) > MAX_LENGTH:
        raise BadExpression(f"longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadExpression("not an expression") from None
    try:
        return value_of(tree.body, names)
    except (ArithmeticError, ValueError, TypeError) as error:
        raise BadExpression(str(error)) from None


def value_of(node, names):
    """The value of a part of an expression: a text, or a finite number that is not too large."""
    value = any_value_of(node, names)
    if not isinstance(value, str) and (isinstance(value, complex) or not abs(value) <= MAX_VALUE):
        raise BadExpression("a value beyond 1e18, or not real")
    return value


def any_value_of(node, names):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise BadExpression(f"no name '{node.id}' among {', '.join(sorted(names))}")
        return names[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = value_of(node.operand, names)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return binary(node, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and not node.keywords:
        return FUNCTIONS[node.func.id](*(value_of(argument, names) for argument in node.args))
    raise BadExpression(f"only numbers, names, + - * / // % ** and {', '.join(FUNCTIONS)} are allowed")


def binary(node, names):
    left, right = value_of(node.left, names), value_of(node.right, names)
    if isinstance(left, str) or isinstance(right, str):
        raise BadExpression("a text is no number")
    if isinstance(node.op, ast.Pow) and abs(right) > MAX_EXPONENT:
        raise BadExpression(f"an exponent above {MAX_EXPONENT}")
    return OPERATORS[type(node.op)](left, right)


def as_text(value):
    if isinstance(value, float):
        if value == int(value):
            return str(int(value))
        return f"{value:.12g}"
    return str(value)


def fill(text, names):
    """`text` with the value of each expression in braces in its place."""
    return BRACES.sub(lambda match: as_text(evaluate(match.group(1), names)), text)


def names_in(text):
    """The names that the expressions of a text use."""
    found = set()
    for inner in BRACES.findall(text):
        try:
            found |= {node.id for node in ast.walk(ast.parse(inner.strip(), mode="eval")) if isinstance(node, ast.Name)}
        except (SyntaxError, ValueError):
            pass
    return found
