"""Programs of domains and surrogates, written in LP format with the names of variables."""

from collections import Counter
from pathlib import Path

import numpy as np

from milbox.arrays import IntArray
from milbox.domain import Binary, Domain
from milbox.embed.domain import formulate
from milbox.milp.program import Milp, MilpBuilder
from milbox.milp.text import lp_name, lp_text


def write_lp(domain: Domain, path: Path | str) -> None:
    """Write a domain's rows as a program that maximises nothing."""
    milp = MilpBuilder()
    formulation = formulate(domain, milp)
    write_program(milp.build(), domain, formulation.inputs, path)


def write_program(program: Milp, domain: Domain, inputs: IntArray, path: Path | str) -> None:
    """Write a program in which the columns `inputs` are the domain's features."""
    Path(path).write_text(lp_text(program, column_names(program, domain, inputs)), encoding="utf-8")


def column_names(program: Milp, domain: Domain, inputs: IntArray) -> list[str]:
    """Features by the names of variables and values, other columns as `aux_7`; all different in the file."""
    names = [f"aux_{column}" for column in range(program.columns)]
    for column, name in zip(np.asarray(inputs).tolist(), feature_names(domain), strict=True):
        names[column] = name
    counts = Counter(map(lp_name, names))
    return [name if counts[lp_name(name)] == 1 else f"{name}_{j}" for j, name in enumerate(names)]


def feature_names(domain: Domain) -> list[str]:
    """`name` for a feature that is the value, `name:share` for a share, `name=value` for one of a group."""
    names: list[str] = []
    for variable, onehot in zip(domain.variables, domain.coding.onehot, strict=True):
        if variable.coding == "share":
            names.append(f"{variable.name}:share")
        elif isinstance(variable, Binary) or not onehot:
            names.append(variable.name)
        else:
            names += [f"{variable.name}={variable.value(code)}" for code in variable.codes]
    return names
