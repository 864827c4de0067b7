"""Asks TuneD itself: its loader, merger, variables, functions and plug-ins on a tree of profiles.

Nothing of TuneD is replaced but what it asks of the machine: files, which are held in memory, programs that it
runs, and the order of cpulist_invert, which is that of a Python set.
"""

import io
import logging
import os
import re

import tuned.consts as consts
import tuned.logs
import tuned.profiles.functions.function_calc_isolated_cores as calc_isolated_cores
import tuned.profiles.loader
import tuned.profiles.variables
from tuned.plugins.plugin_bootloader import BootloaderPlugin
from tuned.profiles.exceptions import InvalidProfileException
from tuned.profiles.factory import Factory
from tuned.profiles.loader import Loader
from tuned.profiles.locator import Locator
from tuned.profiles.merger import Merger
from tuned.profiles.variables import Variables
from tuned.units.manager import Manager
from tuned.utils.commands import commands

class Kinds(logging.Handler):
    """Collects the errors that TuneD logs, by kind."""

    words = [
        ("unknownFunction", r"^function '.*' not implemented|^invalid function name"),
        ("arguments", r"^invalid number of arguments for builtin function"),
        ("braces", r"^invalid (variable|varialbe) syntax"),
        ("variableName", r"^variable definition"),
        ("variablesFile", r"^unable to find variables_file"),
    ]

    def __init__(self):
        super().__init__()
        self.kinds = []

    def emit(self, record):
        text = record.getMessage()
        for kind, pattern in self.words:
            if re.search(pattern, text, re.DOTALL):
                self.kinds.append(kind)


class Quiet(Merger):
    """Remembers what was merged."""

    def merge(self, configs):
        self.names = [p.name for p in configs]
        return super().merge(configs)


class Named(Variables):
    """Remembers the variables that were defined, in their order."""

    def __init__(self):
        super().__init__()
        self.named = {}

    def add_variable(self, variable, value):
        super().add_variable(variable, value)
        key = r"(?<!\\)\${" + re.escape(str(variable)) + r"}"
        if value is not None and key in self._lookup_re:
            self.named[str(variable)] = self._lookup_re[key]


class Beyond(BaseException):
    """A list of more CPUs than are worked out here, or than memory holds; such trees are not recorded."""


class Host:
    """What TuneD asks of the machine while one tree is loaded."""

    machine = {}
    files = {}
    invert = commands.cpulist_invert
    bitmask = commands.cpulist2bitmask
    unpack = commands.cpulist_unpack

    def cpulist2bitmask(self, cpus):
        if max(cpus, default=0) >= 1 << 21:
            raise Beyond
        return Host.bitmask(self, cpus)

    def open(name, *_, **__):
        return io.TextIOWrapper(io.BytesIO(Host.files[name].encode()), encoding="utf-8")

    def exists(name):
        return name in Host.files

    def iglob(pattern):
        return ["%s/cpu%s" % (os.path.dirname(pattern), n) for n in Host.machine["sockets"]]

    def execute(self, args, **_):
        name = args[0]
        if name == "virt-what":
            return 0, "kvm\n" if Host.machine["virtual"] else ""
        if name == "nproc":
            return 0, "%d\n" % Host.machine["processors"]
        out = Host.machine["programs"].get(name)
        return (0, out + " ".join(args[1:])) if out is not None else (-2, "")

    def read_file(self, f, err_ret="", no_error=False):
        known = {"/sys/devices/system/cpu/online": "online", "/sys/devices/system/cpu/present": "present",
                 "/proc/cpuinfo": "cpuinfo"}
        if f in known:
            return Host.machine[known[f]]
        if f.endswith("physical_package_id"):
            return Host.machine["sockets"][re.search(r"cpu(\d+)/", f).group(1)] + "\n"
        return err_ret

    def cpulist_unpack(self, l, strip_chars="'\""):
        text = str(l).replace("_", "")
        ranges = re.findall(r"(\d+)\s*-\s*\+?(\d+)", text)
        if re.search(r"\d{18}", text) or any(int(b) - int(a) >= 1 << 14 for a, b in ranges):
            raise Beyond
        return Host.unpack(self, l, strip_chars)


class Plugin:
    """Takes the place of a plug-in in the manager."""

    def __init__(self, made):
        self.made = made

    def create_instance(self, name, *_):
        self.made.append(name)
        return self

    plugin = property(lambda self: self)
    name = ""

    def nothing(self, *_):
        pass

    init_devices = assign_free_devices = initialize_instance = start_processing_events = nothing


class Settings:
    """Takes the place of the daemon's configuration."""

    def get(self, key, default=None):
        return Host.machine["uname"] if key == consts.CFG_UNAME_STRING else default


def start():
    """Prepares TuneD for being asked."""
    commands.execute = Host.execute
    commands.read_file = Host.read_file
    commands.cpulist2bitmask, commands.cpulist_unpack = Host.cpulist2bitmask, Host.cpulist_unpack
    commands.cpulist_invert = lambda self, l: sorted(Host.invert(self, l))
    tuned.profiles.loader.open = tuned.profiles.variables.open = Host.open
    os.path.isfile = os.path.exists = Host.exists
    calc_isolated_cores.glob = Host
    log = logging.getLogger("tuned")
    log.handlers.clear()
    log.addHandler(logging.NullHandler())
    log.propagate = False
    return log


def files(tree):
    """The files of a tree, by path."""
    out = dict(tree["files"])
    for d in tree["dirs"]:
        for p in d["profiles"]:
            out["%s/%s/tuned.conf" % (d["path"], p["name"])] = p["text"]
    return out


def worked(variables, text):
    """What a text comes to, None where TuneD stops with an error."""
    try:
        return variables.expand(text)
    except (InvalidProfileException, IndexError, OverflowError, re.error):
        return None


class Asker:
    """Asks about trees."""

    def __init__(self):
        self.log = start()

    def ask(self, tree):
        """TuneD's answer to a tree."""
        Host.machine, Host.files = tree["machine"], files(tree)
        kinds, variables, merger = Kinds(), Named(), Quiet()
        self.log.addHandler(kinds)
        try:
            loader = Loader(Locator([d["path"] for d in tree["dirs"]]), Factory(), merger, None, variables)
            merger.names = None
            answer = self.load(loader, tree["load"])
            if "refused" not in answer:
                profile = answer.pop("profile")
                if merger.names:
                    answer["layers"] = merger.names
                self.describe(answer, profile, variables)
        finally:
            self.log.removeHandler(kinds)
        if "refused" not in answer:
            self.apply(answer, profile, variables)
        answer["log"] = sorted(kinds.kinds)
        return answer

    def load(self, loader, names):
        try:
            return {"profile": loader.load(names)}
        except InvalidProfileException as e:
            text = e.args[0]
            for kind, start in (("assertion", "Assertion"), ("unreadable", "Cannot parse"), ("notFound", "")):
                if text.startswith(start):
                    return {"refused": kind}
        except Exception as e:  # whatever TuneD doesn't catch
            return {"refused": "crash", "error": type(e).__name__}

    def describe(self, answer, profile, variables):
        answer["main"] = [[k, v] for k, v in profile.options.items()]
        answer["variables"] = [[k, v] for k, v in variables.named.items()]
        answer["sections"] = [self.section(u, variables) for u in profile.units.values()]

    def section(self, u, variables):
        options = [self.option(u.type, k, v, variables) for k, v in u.options.items()]
        return {"name": u.name, "type": u.type, "enabled": u.enabled, "devices": u.devices, "udev": u.devices_udev_regex,
                "cpuinfo": u.cpuinfo_regex, "uname": u.uname_regex, "pre": u.script_pre,
                "post": u.script_post, "options": options}

    def option(self, kind, key, value, variables):
        """Key, value as merged, value as its plug-in works it out (None where that fails)."""
        if isinstance(value, list):
            return [key, value, value]
        return [key, value, worked(variables, commands().unquote(value) if kind == "sysctl" else value)]

    def apply(self, answer, profile, variables):
        """Which sections become instances, in their order; and the kernel's command line."""
        made, units = [], profile.units
        repository = type("Repository", (), {"create": lambda self, name: Plugin(made)})()
        kept = {name: dict(u.options) for name, u in units.items()}
        try:
            Manager(repository, None, 0, Plugin([]), Settings()).create(units)
            answer["applied"] = made
        except Exception as e:
            answer["fault"] = type(e).__name__
            return
        last = [name for name in made if units[name].type == "bootloader"][-1:]
        for name in last:
            options = {k: v for k, v in kept[name].items() if isinstance(v, str)}
            line = BootloaderPlugin._get_effective_options(object.__new__(BootloaderPlugin), options)["cmdline"]
            answer["cmdline"] = worked(variables, commands().unquote(line or ""))
