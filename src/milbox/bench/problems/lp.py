"""Reader of the CPLEX LP format with quadratic terms in brackets, as MINLPLib has it."""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from milbox.bench.problems.program import Column, Draft, Form, QuadraticProgram, Row, finished
from milbox.errors import DataError

HEADERS = {
    "minimize": r"minimi[sz]e|minimum|min",
    "maximize": r"maximi[sz]e|maximum|max",
    "rows": r"subject\s+to|such\s+that|s\.t\.|st\.|st",
    "bounds": r"bounds|bound",
    "binaries": r"binaries|binary|bin",
    "generals": r"generals|general|gen|integers|integer|int",
    "end": r"end",
    "unknown": r"semi-continuous|semis|semi|sos[12]?|lazy\s+constraints|user\s+cuts|general\s+constraints",
}
# A header stands at the start of a line and is no label of a row.
HEADER = re.compile(
    "|".join(rf"(?P<{kind}>(?:{words})(?=\s|$)(?!\s*:))" for kind, words in reversed(HEADERS.items())),
    re.IGNORECASE,
)
TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<relation><=|=<|>=|=>|<|>|=)"
    r"|(?P<sign>[-+])"
    r"|(?P<mark>[*^/:\[\]])"
    r"|(?P<name>[^\s+\-*^/:<>=\[\]]+)"
)
INFINITE = {"inf", "infinity"}


@dataclass(slots=True)
class Reader:
    """Tokens of one section and the variables met so far."""

    path: Path
    names: dict[str, int] = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    at: int = 0

    def open(self, text: str) -> None:
        """Start on a section."""
        self.tokens, self.kinds, self.at = [], [], 0
        for match in TOKEN.finditer(text):
            self.tokens.append(match.group())
            self.kinds.append(str(match.lastgroup))

    def peek(self, ahead: int = 0) -> str:
        """A coming token, empty at the end."""
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def kind(self, ahead: int = 0) -> str:
        """What a coming token is: number, relation, sign, mark, name, or empty at the end."""
        return self.kinds[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self) -> str:
        """The next token."""
        token = self.peek()
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        """Pass a token that must come."""
        if self.take() != token:
            self.at -= 1
            raise self.trouble(f"expected {token!r}")

    def trouble(self, problem: str) -> DataError:
        """An error that shows where the file cannot be read."""
        near = " ".join(self.tokens[max(0, self.at - 4) : self.at + 4])
        return DataError(f"{self.path}: {problem} near '{near}'; download the file again")

    def variable(self) -> int:
        """The next token as a variable, new ones in order of appearance."""
        if self.kind() != "name":
            raise self.trouble("expected a variable")
        return self.names.setdefault(self.take(), len(self.names))

    def label(self) -> None:
        """Pass an optional `name:`."""
        if self.peek(1) == ":":
            self.at += 2

    def signed(self) -> float:
        """A number with any signs before it; inf and infinity count."""
        sign = 1.0
        while self.kind() == "sign":
            sign = -sign if self.take() == "-" else sign
        if self.kind() == "name" and self.peek().lower() in INFINITE:
            self.take()
            return sign * math.inf
        if self.kind() != "number":
            raise self.trouble("expected a number")
        return sign * float(self.take())

    def expression(self) -> Form:
        """Signed terms, numbers and bracketed quadratic parts, up to a relation, a label or the end."""
        form = Form()
        while self.kind() in ("number", "sign", "name") or self.peek() == "[":
            if self.peek(1) == ":":
                break
            sign = 1.0
            while self.kind() == "sign":
                sign = -sign if self.take() == "-" else sign
            if self.peek() == "[":
                self.brackets(form, sign)
                continue
            number = float(self.take()) if self.kind() == "number" else None
            if self.peek() == "*" and number is not None:
                self.take()
            if self.kind() == "name" and self.peek(1) != ":":
                form.add(self.variable(), sign * (1.0 if number is None else number))
            elif number is not None:
                form.constant += sign * number
            else:
                raise self.trouble("a sign without a term")
        return form

    def brackets(self, form: Form, factor: float) -> None:
        """[ quadratic terms ], or [ quadratic terms ] / 2, which halves them."""
        self.expect("[")
        terms: list[tuple[int, int, float]] = []
        while self.peek() != "]":
            sign = 1.0
            while self.kind() == "sign":
                sign = -sign if self.take() == "-" else sign
            if self.kind() == "number":
                sign *= float(self.take())
                if self.peek() == "*":
                    self.take()
            one = self.variable()
            if self.peek() == "^":
                self.take()
                self.expect("2")
                terms.append((one, one, sign))
            else:
                self.expect("*")
                terms.append((one, self.variable(), sign))
        self.expect("]")
        if self.peek() == "/":
            self.take()
            self.expect("2")
            factor /= 2
        for one, other, coefficient in terms:
            form.add_product(one, other, factor * coefficient)


def read_lp(path: Path) -> QuadraticProgram:
    """The binary quadratic program of an .lp file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as reason:
        raise DataError(f"{path} is not a text file that can be read ({reason})") from reason
    reader = Reader(path)
    parts = sections(text, path)
    goal = next((kind for kind, _ in parts if kind in ("minimize", "maximize")), None)
    if goal is None:
        raise DataError(f"{path} is not an LP file: it has no Minimize or Maximize section")
    objective, rows = Form(), list[Row]()
    bounds: dict[int, tuple[float, float]] = {}
    whole: set[int] = set()
    binaries: set[int] = set()
    # Lists of whole variables first: writers keep the model's own order there.
    for kind, content in sorted(parts, key=lambda part: part[0] not in ("binaries", "generals")):
        reader.open(content)
        match kind:
            case "minimize" | "maximize":
                reader.label()
                objective = reader.expression()
                if reader.peek():
                    raise reader.trouble("the objective does not end")
            case "rows":
                while reader.peek():
                    rows.append(constraint(reader))
            case "bounds":
                while reader.peek():
                    bound(reader, bounds)
            case "binaries" | "generals":
                while reader.peek():
                    (binaries if kind == "binaries" else whole).add(reader.variable())
    columns = tuple(
        Column(name, i in whole or i in binaries, *bounds.get(i, (0.0, 1.0 if i in binaries else math.inf)))
        for name, i in reader.names.items()
    )
    return finished(Draft(columns, goal == "minimize", objective, tuple(rows)), path)


def sections(text: str, path: Path) -> list[tuple[str, str]]:
    """The sections in order: what each is, and its text without comments."""
    found: list[tuple[str, list[str]]] = []
    for raw in text.splitlines():
        line = raw.partition("\\")[0].strip()
        match = HEADER.match(line)
        if match:
            kind = str(match.lastgroup)
            if kind == "unknown":
                raise DataError(f"{path}: section {match.group()!r} cannot be read; only binary programs can")
            if kind == "end":
                break
            found.append((kind, [line[match.end() :]]))
        elif line and found:
            found[-1][1].append(line)
        elif line:
            raise DataError(
                f"{path} is not an LP file: it starts with {line[:40]!r}, not with Minimize or Maximize"
            )
    return [(kind, "\n".join(lines)) for kind, lines in found]


def constraint(reader: Reader) -> Row:
    """[label:] [number relation] expression relation number."""
    reader.label()
    form = reader.expression()
    lower, upper = -math.inf, math.inf
    if not form.linear and not form.quadratic:  # a range: the number came first
        limit, relation = form.constant, reader.take()
        form = reader.expression()
        lower, upper = narrowed((lower, upper), relation, limit, first=True)
        if reader.kind() != "relation":
            return Row(form, lower, upper)
    if reader.kind() != "relation":
        raise reader.trouble("a constraint without <=, >= or =")
    relation = reader.take()
    return Row(form, *narrowed((lower, upper), relation, reader.signed(), first=False))


def bound(reader: Reader, bounds: dict[int, tuple[float, float]]) -> None:
    """`l <= x <= u`, `x <= u`, `x >= l`, `x = v`, `l <= x` or `x free`."""
    limits = None
    relation = ""
    if reader.kind() != "name" or reader.peek().lower() in INFINITE:
        limits = reader.signed()
        relation = reader.take()
    i = reader.variable()
    known = bounds.get(i, (0.0, math.inf))
    if limits is not None:
        known = narrowed(known, relation, limits, first=True)
    elif reader.peek().lower() == "free":
        reader.take()
        known = (-math.inf, math.inf)
    if reader.kind() == "relation":
        relation = reader.take()
        known = narrowed(known, relation, reader.signed(), first=False)
    bounds[i] = known


def narrowed(known: tuple[float, float], relation: str, number: float, *, first: bool) -> tuple[float, float]:
    """Limits after `number relation x` (first) or `x relation number`; a new limit replaces the old one."""
    if relation == "=":
        return number, number
    at_least = ("<" in relation) == first
    return (number, known[1]) if at_least else (known[0], number)
