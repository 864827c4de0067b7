"""What the plug-ins make of values: operators, quotes, verification."""

import random

import tuned.plugins.plugin_sysctl as sysctl
from tuned.utils.commands import commands

import ask

WORDS = ["0", "00", "1", "3", "10", "0x10", "0xF", "f", "ff", "00ff", "0000,0000", "00000000,0000000f", "-1", "+5", " 7 ", "1 2", "1\t 2", "always|never", "never",
         "always", "a | b", "b", "", "\"5\"", "\"a b\"", "\"\"", "\"", "1_0", "2048", "4194304", "3.5", "0,0,,5", "0 ", "abc", "00g", "0,f", "None", "a|b", "|"]


class Names:
    """Takes the place of the variables: there are none."""

    def expand(self, value):
        return value


class Instance:
    def __init__(self, options):
        self._sysctl, self._sysctl_original, self.name = options, {}, "sysctl"


class Store:
    def set(self, *_):
        pass


def plugin():
    """A plug-in sysctl without the machine below it."""
    p = object.__new__(sysctl.SysctlPlugin)
    p._cmd, p._variables, p._storage = commands(), Names(), Store()
    p._global_cfg = type("Config", (), {"get_bool": lambda self, *a: False})()
    return p


def draw(rng):
    """A value and what the machine has."""
    word = lambda: rng.choice(WORDS) if rng.random() < 0.7 else str(rng.randint(-5, 99999))
    value = rng.choice(["", "", "", ">", "<", ">=", "\">"]) + word()
    return value, None if rng.random() < 0.1 else word()


def answer(p, value, current):
    """What is written, and whether the verification passes."""
    written = []
    sysctl._read_sysctl = lambda option: current
    sysctl._write_sysctl = lambda option, new, ignore_missing=False: written.append(new)
    p._instance_apply_static(Instance({"k": value}))
    out = {"value": value, "current": current, "written": written[0] if written else None,
           "passes": p._instance_verify_static(Instance({"k": value}), False, [])}
    if current is not None:
        out["effective"] = p._process_assignment_modifiers(value, current)
        out["verified"] = p._verify_value("k", value, current, False)
    return out


def records(seed, number):
    ask.start()
    rng, p = random.Random("%s/values" % seed), plugin()
    for _ in range(number):
        yield answer(p, *draw(rng))
