"""What TuneD has: its built-in functions with their numbers of arguments, its plug-ins with their options."""

import glob
import importlib
import inspect
import os

import tuned.plugins
import tuned.profiles.functions
from tuned.plugins.base import Plugin
from tuned.profiles.functions.base import Function


def modules(package, prefix):
    """The modules of a package, by their names without the prefix."""
    for path in sorted(glob.glob(os.path.join(package.__path__[0], prefix + "*.py"))):
        name = os.path.basename(path)[len(prefix):-3]
        yield name, importlib.import_module("%s.%s%s" % (package.__name__, prefix, name))


def classes(module, base):
    return [c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, base) and c.__module__ == module.__name__]


def records():
    for name, module in modules(tuned.profiles.functions, "function_"):
        for c in classes(module, Function):
            f = c()
            yield {"function": name, "least": f._nargs_min or 0, "most": f._nargs_max}
    for name, module in modules(tuned.plugins, "plugin_"):
        source = inspect.getsource(module)
        for c in classes(module, Plugin):
            yield {"plugin": name, "options": sorted(c._get_config_options()), "any": "_has_dynamic_options = True" in source,
                   "devices": "_devices_supported = True" in source}
