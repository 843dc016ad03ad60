"""Parser of rules such as `op == 'pool' -> k[0] <= 3`, without `eval`.

A rule is read once, left to right, and each operator builds what the same operator builds in Python. From
loosest to tightest:

    a <-> b     both or neither              a == b  != < <= > >=    chains such as 1 <= k <= 3 too
    a -> b      if a then b                  a + b   a - b
    a or b      a and b      not a           a * b   a / number   -a   x[3]  x[0:5]  m[1, :]  f(a, b)

Texts stand in single or double quotes, lists in brackets, and names that are no plain words in back quotes.
Operators work item by item on arrays, as NumPy's do, and a rule about an array must hold for every item.
What the operators and functions mean is in `milbox.domain.rules.meaning`.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from milbox.domain.constraints.kinds import AllOf, AnyOf
from milbox.domain.model.array import Array
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.text import CONSTANTS, RESERVED
from milbox.domain.rules.meaning import (
    FUNCTIONS,
    OPERATORS,
    Term,
    both_or_neither,
    broadcast,
    chained,
    described,
    joined,
    negated,
    picked,
    stated,
)
from milbox.domain.rules.meaning import condition as single_condition
from milbox.domain.symmetries import Symmetry
from milbox.errors import nearest

# Deeper rules are mistakes, and would exhaust Python's own stack.
DEEPEST = 60
# A whole number of more digits than this is beyond what a constraint can hold.
LONGEST = 300

IF_AND_ONLY_IF, IF_THEN, OR, AND, NOT, COMPARISON, SUM, PRODUCT = range(1, 9)
LEVELS = {"<->": IF_AND_ONLY_IF, "->": IF_THEN, "or": OR, "and": AND}
LEVELS |= dict.fromkeys(("<=", ">=", "==", "!=", "<", ">"), COMPARISON)
LEVELS |= {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}

ESCAPES = {"n": "\n", "t": "\t"}
# What people write who know other languages.
HINTS = {
    "=>": "write -> for if-then, or >= to compare",
    "=": "to compare, write ==",
    "&": "write 'and'",
    "|": "write 'or'",
    "!": "write 'not', or != to compare",
    "**": "powers are not linear",
    "^": "powers are not linear",
    "{": "lists stand in brackets [ ]",
}
TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<name>[^\W\d]\w*)
    | (?P<quoted>`[^`]+`)
    | (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | (?P<mark><->|->|<=|>=|==|!=|[-+*/<>()\[\],:=])""",
    re.VERBOSE | re.DOTALL,
)


class RuleError(ValueError):
    """A rule cannot be read; the message ends with the line and a caret under the place."""

    def __init__(self, message: str, text: str, at: int) -> None:
        start = text.rfind("\n", 0, at) + 1
        line = text[start:].partition("\n")[0].replace("\t", " ")
        place = at - start
        first = max(0, place - 60)  # a long line is shown from shortly before the place
        super().__init__(f"{message}\n    {line[first : first + 100]}\n    {' ' * (place - first)}^")
        self.message: str = message
        self.line: int = text.count("\n", 0, at) + 1
        self.column: int = place + 1


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a rule: its kind, its text, and where it starts."""

    kind: str
    text: str
    at: int


def rule(text: str, variables: Mapping[str, Term]) -> tuple[Constraint, ...]:
    """The constraints that a rule states about declared variables (arrays or scalars), given by name.

    The parts of a top-level `and` come one by one: solvers like several small constraints better than one.
    """
    reader = Reader(text, variables)
    return tuple(separate(reader.apply(0, stated, reader.everything())))


def condition(text: str, variables: Mapping[str, Term]) -> Term:
    """The condition that a text states about declared variables: a constraint, or an array of them."""
    reader = Reader(text, variables)
    return reader.apply(0, broadcast, single_condition, reader.everything())


def symmetry(text: str, variables: Mapping[str, Term]) -> Symmetry:
    """The symmetry that a text such as `reverse_complement(s)` declares about variables given by name."""
    reader = Reader(text, variables)
    parsed = reader.everything()
    if not isinstance(parsed, Symmetry):
        reader.fail("this is not a symmetry; write reverse_complement(...) or interchangeable(...)", 0)
    return parsed


def separate(constraints: Iterable[Constraint]) -> Iterable[Constraint]:
    """Each part of a conjunction on its own."""
    for each in constraints:
        if isinstance(each, AllOf):
            yield from separate(each.parts)
        else:
            yield each


class Reader:
    """One pass over the tokens of a rule, by precedence climbing."""

    def __init__(self, text: str, variables: Mapping[str, Term]) -> None:
        self.text: str = text
        self.variables: Mapping[str, Term] = variables
        self.tokens: list[Token] = []
        self.place: int = 0
        self.depth: int = 0
        at = 0
        while at < len(text):
            found = TOKEN.match(text, at)
            if found is None:
                unended = text[at] in "'\"`"
                what = "this quotation has no end" if unended else f"{text[at]!r} is not part of a rule"
                self.fail(what, at, hint=True)
            if found.lastgroup != "space":
                self.tokens.append(Token(str(found.lastgroup), found.group(), at))
            at = found.end()
        self.tokens.append(Token("end", "", len(text.rstrip())))

    @property
    def token(self) -> Token:
        """The token to be read next."""
        return self.tokens[self.place]

    def fail(self, message: str, at: int | None = None, hint: bool = False) -> NoReturn:
        """Refuse the rule at a place, by default the next token; perhaps with advice on what stands there."""
        place = self.token.at if at is None else at
        advice = next((HINTS[mark] for mark in HINTS if hint and self.text.startswith(mark, place)), "")
        raise RuleError(message + (advice and f"; {advice}"), self.text, place) from None

    def apply(self, at: int, function: Callable[..., Term], *given: Term, **named: Term) -> Term:
        """The function's answer; its complaint becomes the rule's."""
        try:
            return function(*given, **named)
        except (TypeError, ValueError, LookupError, ArithmeticError) as error:
            self.fail(str(error), at)

    def next(self) -> Token:
        """The next token, which is then behind us."""
        token = self.token
        self.place += token.kind != "end"
        return token

    def took(self, *texts: str) -> Token | None:
        """The next token if it is one of these marks or words; it is then behind us."""
        return self.next() if self.token.text in texts and self.token.kind in ("mark", "name") else None

    def expect(self, text: str, inside: str) -> None:
        """Read one mark that has to come now."""
        if self.took(text) is None:
            what = "the rule ends" if self.token.kind == "end" else f"{self.token.text!r} stands here"
            self.fail(f"expected {text!r} to end {inside}, but {what}", hint=True)

    def level(self) -> int:
        """The binding power of the next operator; 0 when there is none."""
        return LEVELS.get(self.token.text, 0) if self.token.kind in ("mark", "name") else 0

    def everything(self) -> Term:
        """The whole text as one expression."""
        parsed = self.expression()
        if self.token.kind != "end":
            self.fail(f"{self.token.text!r} was not expected here", hint=True)
        return parsed

    def expression(self, floor: int = 0) -> Term:
        """Everything up to the next operator that binds no tighter than `floor`."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"the rule is nested more than {DEEPEST} deep; split it into several rules")
        left = self.prefixed()
        while (level := self.level()) > floor:
            mark = self.token
            if level in (IF_AND_ONLY_IF, OR, AND, COMPARISON):
                parts, marks = [left], []
                while self.level() == level:
                    marks.append(self.next().text)
                    parts.append(self.expression(level))
                if level == COMPARISON:
                    left = self.apply(mark.at, chained, marks, parts)
                elif level == IF_AND_ONLY_IF:
                    left = self.apply(mark.at, broadcast, both_or_neither, *parts)
                else:
                    left = self.apply(mark.at, joined, AnyOf if level == OR else AllOf, parts)
            else:
                self.next()
                # a -> b -> c is a -> (b -> c); everything else groups from the left.
                right = self.expression(level - 1 if level == IF_THEN else level)
                left = self.apply(mark.at, broadcast, OPERATORS[mark.text], left, right)
        self.depth -= 1
        return left

    def prefixed(self) -> Term:
        """`not a`, `-a`, or an operand with its indices."""
        mark = self.token
        if self.took("not"):
            return self.apply(mark.at, broadcast, negated, self.expression(NOT))
        if self.took("-"):
            return self.apply(mark.at, broadcast, OPERATORS["*"], -1, self.expression(PRODUCT))
        operand = self.operand()
        while bracket := self.took("["):
            if not isinstance(operand, Array):
                self.fail(f"{described(operand)} has no items to index", mark.at)
            index = [self.index()]
            while self.took(","):
                index.append(self.index())
            self.expect("]", "the index")
            operand = self.apply(bracket.at, picked, operand, tuple(index))
        return operand

    def index(self) -> int | slice:
        """One index, or a slice `from:to:step` of which each part may be left out."""
        at = self.token.at
        parts: list[int | None] = []
        while not parts or self.took(":"):
            part_at = self.token.at
            part = None if self.token.text in (":", ",", "]") else self.expression()
            if part is not None and (not isinstance(part, int) or isinstance(part, bool)):
                self.fail(f"an index must be a whole number, not {described(part)}", part_at)
            parts.append(part)
        if len(parts) == 1 and parts[0] is not None:
            return parts[0]
        if len(parts) == 1 or len(parts) > 3 or parts[2:] == [0]:
            self.fail("expected an index such as 3, 0:5 or 0:10:2", at)
        return slice(*parts)

    def operand(self) -> Term:
        """A number, text, name, call, list, or anything in parentheses."""
        token = self.next()
        match token.kind, token.text:
            case "number", digits:
                exact = digits.isdecimal()
                if (exact and len(digits) > LONGEST) or not math.isfinite(float(digits)):
                    self.fail(f"{digits if len(digits) <= LONGEST else 'this number'} is too large", token.at)
                return int(digits) if exact else float(digits)
            case "text", quoted:
                return re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), quoted[1:-1], flags=re.DOTALL)
            case "quoted", name:
                return self.variable(name.strip("`"), token.at)
            case "name", word if word in CONSTANTS:
                return CONSTANTS[word]
            case "name", name if name not in RESERVED:
                return self.call(token) if self.took("(") else self.variable(name, token.at)
            case "mark", "(":
                inside = self.expression()
                self.expect(")", "the parenthesis")
                return inside
            case "mark", "[":
                return self.arguments("]", "the list")[0]
        what = "the rule ends too early" if token.kind == "end" else f"{token.text!r} was not expected here"
        return self.fail(what, token.at, hint=True)

    def variable(self, name: str, at: int) -> Term:
        """A declared variable or array."""
        if name not in self.variables:
            self.fail(f"no variable named {name!r}{nearest(name, self.variables)}", at)
        return self.variables[name]

    def call(self, name: Token) -> Term:
        """`at_most(2, op == 'pool')`; arguments may be named, as in `f(x, low=1)`."""
        if name.text not in FUNCTIONS:
            self.fail(f"no function named {name.text!r}{nearest(name.text, FUNCTIONS)}", name.at)
        given, named = self.arguments(")", f"the call of {name.text}")
        return self.apply(name.at, FUNCTIONS[name.text], *given, **named)

    def arguments(self, end: str, inside: str) -> tuple[list[Term], dict[str, Term]]:
        """Terms separated by commas up to the end mark; in calls, some of them named."""
        given: list[Term] = []
        named: dict[str, Term] = {}
        while not self.took(end):
            name, mark = self.token, self.tokens[min(self.place + 1, len(self.tokens) - 1)]
            if end == ")" and name.kind == "name" and mark.text == "=":
                self.place += 2
                named[name.text] = self.expression()
            elif named:
                self.fail("arguments without a name come before those with one")
            else:
                given.append(self.expression())
            if not self.took(","):
                self.expect(end, inside)
                break
        return given, named
