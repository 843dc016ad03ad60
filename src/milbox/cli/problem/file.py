"""Problem files: variables, rules, the objective, the strategy and when to stop, checked key by key."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from milbox.cli.console import InputError
from milbox.cli.problem.toml_lines import line_of, rule_line, syntax_error_line

if TYPE_CHECKING:
    from milbox.cli.problem.objective import Command, PythonFunction
    from milbox.domain import Constraint, Domain, Symmetry
    from milbox.run import Stop
    from milbox.strategies import Strategy
    from milbox.trials.goal import Goal
    from milbox.trials.sense import Sense

SENSES: "dict[str, Sense]" = {
    "maximize": "maximize",
    "maximise": "maximize",
    "minimize": "minimize",
    "minimise": "minimize",
}
KINDS: dict[str, tuple[str, ...]] = {
    "binary": ("size", "only_if"),
    "integer": ("low", "high", "size", "encoding", "only_if"),
    "real": ("low", "high", "step", "size", "encoding", "only_if"),
    "categorical": ("choices", "size", "encoding", "only_if"),
}
TABLES = ("variables", "constraints", "symmetries", "objective", "outputs", "strategy", "stop")
ASIDE = ("limits", "noise", "learn_failures")
"""What is said of outputs: under [outputs], or at the top of the file, where each may stand by itself."""
OBJECTIVE = ("command", "python", "sense", "name", "unit", "timeout", "retries", "directory", "environment")
NO_COMMAND = ("python", "sense", "name", "unit")
"""Keys of the objective that go without a command."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the file, where it stands, and the constraints it states."""

    text: str
    name: str | None
    line: int
    constraints: "tuple[Constraint, ...]"

    def __str__(self) -> str:
        shown = " ".join(self.text.split())
        return f"line {self.line}: {shown}" + (f"  ({self.name})" if self.name else "")


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """A problem file that has been read and understood."""

    path: Path
    text: str
    domain: "Domain"
    rules: tuple[Rule, ...]
    goal: "Goal"
    """What is wanted of the outputs."""
    objective: "Command | PythonFunction | None"
    """None when values come from people, through `milbox tell`."""
    strategy: "Strategy"
    stop: "Stop"

    @property
    def sense(self) -> "Sense":
        """Whether large or small values are good, where there is one objective."""
        return self.goal.sense

    def blamed(self, guilty: "Iterable[Constraint]") -> list[Rule]:
        """The rules that state these constraints."""
        wanted = {key_of(constraint) for constraint in guilty}
        return [rule for rule in self.rules if any(key_of(c) in wanted for c in rule.constraints)]

    def choosing(self, initial: int | None, strategy: str | None) -> "ProblemFile":
        """The problem with the strategy chosen anew, as `read_problem` chooses it."""
        parser = Parser(self.text, self.path)
        return replace(self, strategy=parser.strategy(self.domain, initial, strategy))


def key_of(constraint: "Constraint") -> Any:
    """What tells a constraint of a file: a domain completes the conditions of variables, which have names."""
    from milbox.domain import OnlyIf

    return constraint.variable.name if isinstance(constraint, OnlyIf) else id(constraint)


def read_problem(path: Path, initial: int | None = None, strategy: str | None = None) -> ProblemFile:
    """The problem in a file; `strategy` and `initial`, where given, override what it says of these."""
    try:
        text = path.read_bytes().decode("utf-8-sig")  # editors on Windows put a byte-order mark first
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file in UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    return parse_problem(text, path, initial, strategy)


def parse_problem(
    text: str, path: Path, initial: int | None = None, strategy: str | None = None
) -> ProblemFile:
    """The problem in a file's text; `path` says where it is from, and where its commands run."""
    return Parser(text, path).problem(initial, strategy)


class Parser:
    """One file while it is being read: what it says, and where it says it."""

    def __init__(self, text: str, path: Path) -> None:
        self.text: str = text
        self.path: Path = path
        try:
            self.document: dict[str, Any] = tomllib.loads(text)
        except RecursionError:
            raise InputError(f"{path}: lists or tables are nested too deep") from None
        except tomllib.TOMLDecodeError as error:
            place = f"{path}:{syntax_error_line(text, error)}"
            message = str(error).partition(" (at ")[0]
            raise InputError(f"{place}: this is not TOML: {message[:1].lower()}{message[1:]}") from None
        except ValueError as error:  # a date that does not exist, or a number of thousands of digits
            raise InputError(f"{path}: this is not TOML: {error}") from None

    def fail(self, message: str, *keys: str | int) -> NoReturn:
        """Refuse the file at a key."""
        raise InputError(f"{self.path}:{line_of(self.text, keys)}: {message}") from None

    def problem(self, initial: int | None, strategy: str | None) -> ProblemFile:
        """Everything, in the order of the file."""
        from milbox.cli.problem.objective import Command
        from milbox.domain import Domain
        from milbox.domain.stated import Words

        self.known_keys(self.document, (*TABLES, *ASIDE), "the file")
        declared = self.variables()
        rules = (*self.conditions(declared), *self.rules(declared))
        try:
            rows = [c for rule in rules for c in rule.constraints]
            words = [Words(len(rule.constraints), rule.text, rule.name) for rule in rules]
            domain = Domain(list(declared.values()), rows, words=words)
        except (TypeError, ValueError) as error:
            self.fail(str(error), "variables")
        symmetries = self.symmetries(declared)
        if symmetries:
            try:
                domain = Domain(domain.declared, domain.constraints, symmetries, words)
            except ValueError as error:
                self.fail(str(error), "symmetries")
        sense, objective = self.objective(declared)
        goal = self.goal(sense, domain)
        if isinstance(objective, Command):
            objective = replace(objective, outputs=goal.named)
        chosen = self.strategy(domain, initial, strategy)
        return ProblemFile(self.path, self.text, domain, rules, goal, objective, chosen, self.stop())

    def variables(self) -> dict[str, Any]:
        """The declared variables by name."""
        table = self.table(self.document.get("variables"), "variables")
        if not table:
            self.fail(
                'there are no variables; under [variables] write, say, x = { kind = "binary", size = 10 }',
                "variables",
            )
        return {
            name: self.variable(name, self.table(form, "variables", name)) for name, form in table.items()
        }

    def variable(self, name: str, form: Mapping[str, Any]) -> Any:
        """One variable or array."""
        from milbox.domain import binary, categorical, integer, real
        from milbox.errors import nearest

        where = ("variables", name)
        kind = form.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            given = "has no kind" if kind is None else f"has the kind {kind!r}"
            hint = nearest(str(kind), KINDS) if kind is not None else "; there are " + ", ".join(KINDS)
            self.fail(f"variable {name!r} {given}{hint}", *where, "kind")
        self.known_keys(form, ("kind", *KINDS[kind]), f"{kind} variable {name!r}", *where)
        needed = [key for key in ("low", "high", "choices") if key in KINDS[kind] and key not in form]
        if needed:
            self.fail(f"{kind} variable {name!r} needs {' and '.join(needed)}", *where)
        size = form.get("size")
        if isinstance(size, list):
            size = tuple(size)
        encoding: Any = {"encoding": form["encoding"]} if "encoding" in form else {}
        try:
            match kind:
                case "binary":
                    return binary(name, size)
                case "integer":
                    return integer(name, form["low"], form["high"], size, **encoding)
                case "real":
                    low, high, step = form["low"], form["high"], form.get("step")
                    return real(name, low, high, size, step=step, **encoding)
                case _:
                    return categorical(name, form["choices"], size, **encoding)
        except (TypeError, ValueError) as error:
            blamed = next((key for key in form if str(error).startswith(key)), "kind")
            self.fail(str(error), *where, blamed)

    def conditions(self, declared: Mapping[str, Any]) -> Iterable[Rule]:
        """The conditions of variables that exist only sometimes, as rules."""
        from milbox.domain import only_if
        from milbox.domain.constraints.conditions import statements
        from milbox.domain.model.text import name_text
        from milbox.domain.rules.read import RuleError, condition

        for name, form in self.document["variables"].items():
            if "only_if" not in form:
                continue
            where, text = ("variables", name, "only_if"), form["only_if"]
            if not isinstance(text, str):
                self.fail(f"only_if must be a condition such as \"op == 'conv'\", not {text!r}", *where)
            try:
                stated = statements(only_if(declared[name], condition(text, declared)))
            except RuleError as error:
                line = rule_line(self.text, where, error.line)
                raise InputError(f"{self.path}:{line}: {error}") from None
            except (TypeError, ValueError) as error:
                self.fail(str(error), *where)
            shown = f"only_if({name_text(name)}, {text})"
            yield Rule(shown, None, line_of(self.text, where), stated)

    def rules(self, declared: Mapping[str, Any]) -> tuple[Rule, ...]:
        """The rules, each with its constraints."""
        from milbox.domain.rules.read import RuleError, rule

        found = []
        for number, form in enumerate(self.tables("constraints")):
            where = ("constraints", number)
            self.known_keys(form, ("rule", "name"), "a constraint", *where)
            text, name = form.get("rule"), form.get("name")
            if not isinstance(text, str):
                self.fail('a constraint needs a rule, such as rule = "sum(x) <= 3"', *where, "rule")
            if name is not None and not isinstance(name, str):
                self.fail(f"the name of a constraint must be a text, not {name!r}", *where, "name")
            try:
                stated = rule(text, declared)
            except RuleError as error:
                line = rule_line(self.text, (*where, "rule"), error.line)
                raise InputError(f"{self.path}:{line}: {error}") from None
            found.append(Rule(text, name, line_of(self.text, (*where, "rule")), stated))
        return tuple(found)

    def symmetries(self, declared: Mapping[str, Any]) -> "list[Symmetry]":
        """The symmetries that the file declares."""
        from milbox.domain.rules.read import RuleError, symmetry

        found = []
        for number, form in enumerate(self.tables("symmetries")):
            where = ("symmetries", number)
            self.known_keys(form, ("rule",), "a symmetry", *where)
            text = form.get("rule")
            if not isinstance(text, str):
                self.fail('a symmetry needs a rule, such as rule = "interchangeable(x)"', *where, "rule")
            try:
                found.append(symmetry(text, declared))
            except RuleError as error:
                line = rule_line(self.text, (*where, "rule"), error.line)
                raise InputError(f"{self.path}:{line}: {error}") from None
        return found

    def tables(self, name: str) -> list[dict[str, Any]]:
        """The tables under a name that may stand there several times."""
        tables = self.document.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            self.fail(f'{name} are written as [[{name}]], then rule = "..."', name)
        return tables

    def objective(self, declared: Mapping[str, Any]) -> "tuple[Sense, Command | PythonFunction | None]":
        """How values are measured, and whether large or small ones are good."""
        from milbox.cli.problem.objective import Command, PythonFunction, unknown_names

        form = self.table(self.document.get("objective", {}), "objective")
        self.known_keys(form, OBJECTIVE, "the objective", "objective")
        given = form.get("sense", "maximize")
        sense = SENSES.get(given) if isinstance(given, str) else None
        if sense is None:
            self.fail(f"sense must be 'maximize' or 'minimize', not {given!r}", "objective", "sense")
        folder = self.path.resolve().parent
        command, function = form.get("command"), form.get("python")
        if command is not None and function is not None:
            self.fail("the objective is a command or a python function, not both", "objective", "python")
        if command is None:
            used = NO_COMMAND if function is None else (*NO_COMMAND, "timeout")
            unused = [key for key in form if key not in used]
            if unused:
                self.fail(f"{unused[0]} is for commands, and there is no command", "objective", unused[0])
        if function is not None:
            module, colon, name = function.partition(":") if isinstance(function, str) else ("", "", "")
            if not (module and colon and name):
                self.fail(f'python must be "module:function", not {function!r}', "objective", "python")
            timeout = self.number_of("timeout", form, None, least=0.001)
            return sense, PythonFunction(module, name, str(folder), timeout)
        if command is None:
            return sense, None
        if not isinstance(command, list) or not command or not all(isinstance(c, str) for c in command):
            self.fail(
                'command must be a list of texts, such as ["python3", "measure.py"]; no shell is involved',
                "objective",
                "command",
            )
        for argument in command:
            wrong = unknown_names(argument, declared)
            if wrong is not None:
                self.fail(wrong, "objective", "command")
        return sense, Command(
            tuple(command),
            str(folder / self.text_of("directory", form, ".")),
            self.number_of("timeout", form, None, least=0.001),
            int(self.number_of("retries", form, 0, least=0, whole=True) or 0),
            self.environment(form),
            tuple(name for name in declared if "only_if" in self.document["variables"][name]),
        )

    def goal(self, sense: "Sense", domain: "Domain") -> "Goal":
        """What is wanted of the outputs: senses by name, limits, and whether values are noisy."""
        from milbox.trials.goal import goal_of
        from milbox.trials.trial import VALUE

        form = dict(self.table(self.document.get("outputs", {}), "outputs"))
        place: dict[str, tuple[str, ...]] = {key: ("outputs",) if key in form else () for key in ASIDE}
        for key in ASIDE:
            if key in form and key in self.document:
                self.fail(f"{key} stands under [outputs] too; leave one of them out", key)
        said = {key: form.pop(key, self.document.get(key)) for key in ASIDE}
        limits = self.table(said["limits"], *place["limits"], "limits")
        switches = {}
        for key, usual in (("noise", False), ("learn_failures", True)):
            switches[key] = usual if said[key] is None else said[key]
            if not isinstance(switches[key], bool):
                self.fail(f"{key} must be true or false, not {switches[key]!r}", *place[key], key)
        units = dict(self.table(form.pop("units", {}), "outputs", "units"))
        plain = self.document.get("objective", {})
        for key in ("sense", "name", "unit"):
            if form and key in plain:
                self.fail(f"each output has its own {key}, under [outputs]; leave this out", "objective", key)
        called = self.text_of("name", plain, VALUE)
        if "unit" in plain:
            units[called] = self.text_of("unit", plain, "")
        senses = {}
        for name, given in form.items():
            senses[name] = SENSES.get(given, given) if isinstance(given, str) else given
            if senses[name] not in SENSES.values():
                self.fail(
                    f"output {name!r} is to be 'maximize' or 'minimize', not {given!r}", "outputs", name
                )
        try:
            goal = goal_of(objectives=senses or {called: sense}, limits=limits, units=units, **switches)
        except (TypeError, ValueError) as error:
            named = [(*place["limits"], "limits", name) for name in limits]
            named += [("outputs", "units", name) for name in units]
            blamed = next(
                (keys for keys in named if repr(keys[-1]) in str(error)), (*place["noise"], "noise")
            )
            self.fail(str(error), *blamed)
        clash = next((name for name in goal.outputs if name in domain.index), None)
        if clash is not None:
            where = ("objective", "name") if clash == plain.get("name") else ("outputs", clash)
            self.fail(f"{clash!r} is a variable; give the output another name", *where)
        return goal

    def environment(self, form: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """Variables of the environment of a command."""
        pairs = self.table(form.get("environment", {}), "objective", "environment")
        for name, value in pairs.items():
            if not isinstance(value, str):
                self.fail(f"{name} must be a text, not {value!r}", "objective", "environment", name)
        return tuple(pairs.items())

    def strategy(self, domain: "Domain", initial: int | None, given: str | None) -> "Strategy":
        """Who chooses the points: a strategy given on the command line, or the file's, or the default."""
        from milbox.cli.problem.strategy import DEFAULT, strategy_named

        form = self.table(self.document.get("strategy", {}), "strategy")
        self.known_keys(form, ("name", "initial"), "the strategy", "strategy")
        written = self.text_of("name", form, DEFAULT, "strategy")
        number = self.number_of("initial", form, None, 0, whole=True, table="strategy")
        if initial is None and number is not None:
            initial = int(number)
        name = written if given is None else given
        try:
            return strategy_named(name, initial, domain)
        except ValueError as error:
            if given is not None:
                raise InputError(f"--strategy: {error}") from None
            self.fail(str(error), "strategy", "initial" if "initial" in str(error) else "name")

    def stop(self) -> "Stop":
        """When a run ends before its budget."""
        from milbox.run import Stop

        form = self.table(self.document.get("stop", {}), "stop")
        self.known_keys(form, ("target", "patience", "seconds"), "stop", "stop")
        target = self.number_of("target", form, None, float("-inf"), table="stop")
        patience = self.number_of("patience", form, None, 1, whole=True, table="stop")
        seconds = self.number_of("seconds", form, None, 0, table="stop")
        try:
            return Stop(target, None if patience is None else int(patience), seconds)
        except ValueError as error:
            self.fail(str(error), "stop", str(error).partition(" ")[0])

    def known_keys(self, form: Mapping[str, Any], known: Iterable[str], what: str, *where: str | int) -> None:
        """Refuse keys that would be ignored."""
        from milbox.errors import nearest

        known = list(known)
        for key in form:
            if key not in known:
                self.fail(f"{what} has no key {key!r}{nearest(key, known)}", *where, key)

    def table(self, form: Any, *where: str | int) -> dict[str, Any]:
        """A table, or nothing where there is none."""
        if form is None:
            return {}
        if not isinstance(form, dict):
            self.fail(f"{'.'.join(map(str, where))} must be a table, not {form!r}", *where)
        return form

    def text_of(self, key: str, form: Mapping[str, Any], default: str, table: str = "objective") -> str:
        """A text of a table."""
        value = form.get(key, default)
        if not isinstance(value, str):
            self.fail(f"{key} must be a text, not {value!r}", table, key)
        return value

    def number_of(
        self,
        key: str,
        form: Mapping[str, Any],
        default: float | None,
        least: float,
        *,
        whole: bool = False,
        table: str = "objective",
    ) -> float | None:
        """A number of a table."""
        value = form.get(key, default)
        if value is None:
            return None
        kinds = int if whole else int | float
        if not isinstance(value, kinds) or isinstance(value, bool) or not least <= value < float("inf"):
            what = "a whole number" if whole else "a number"
            limit = f", {least:g} or more," if least > float("-inf") else ""
            self.fail(f"{key} must be {what}{limit} not {value!r}", table, key)
        return value
