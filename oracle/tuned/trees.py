"""Draws random trees of profiles, with what people write and what they should not write."""

import random

PLUGINS = ["sysctl", "sysctl", "sysctl", "net", "vm", "disk", "sysfs", "cpu", "bootloader", "scheduler", "script", "selinux"]
KEYS = {
    "sysctl": ["net.core.somaxconn", "vm.swappiness", "kernel.pid_max", "net.ipv4.ip_local_port_range", "fs.aio-max-nr", "vm.dirty_ratio"],
    "net": ["mtu", "txqueuelen", "features", "nf_conntrack_hashsize"],
    "vm": ["transparent_hugepages"],
    "disk": ["readahead", "elevator"],
    "sysfs": ["/sys/a/*/b", "/sys/module/x/parameters/y", "/sys/c:d"],
    "cpu": ["governor", "force_latency", "min_perf_pct"],
    "bootloader": ["cmdline", "cmdline_a", "cmdline_b", "cmdlinex", "initrd_add_img"],
    "scheduler": ["runtime", "isolated_cores", "group.x"],
    "script": ["script"],
    "selinux": ["avc_cache_threshold"],
}
NAMES = ["base", "node", "openshift", "es", "guest", "a.b", "x_1", "lat-1"]
VARIABLES = ["v1", "v2", "cores", "isolated", "size", "f1"]
LISTS = ["0-3", "1,3,5", "0-7,^2", "0xff", "0xf0,,1", "2", "", "7-3", "1-2-9", "0x", "x", "1, 2", "0-3,!1-2", "'0-2'", "0xff,00,,3", "^1", "1_0", "+2",
         "0-1,,5-6", "4,5,6,8,9,10", "0xg", "-1", "0-3,^x", "\"1-2\"", "31,32,33", "0XA"]
REGEXES = ["^a", "b+", "[0-9]", "a|b", "^$", "\\d+$", "(x)?y", "\\s*[0-9]", "[^a-c]", ".", "a.c", "(?i)ABC", "\\w\\.\\w", "", "[]x]", "^\\s*$"]


class Tree:
    """One random tree; hostile is the share of odd things in it."""

    def __init__(self, rng, machines):
        self.rng = rng
        self.hostile = rng.choice([0, 0.01, 0.03, 0.1])
        self.machine = rng.choice(machines)
        self.files = {}

    def odd(self, share=1.0):
        return self.rng.random() < self.hostile * share

    def draw(self):
        rng = self.rng
        dirs = ["/r/vendor", "/r/admin", "/r/cr"][: rng.choice([1, 2, 2, 3])]
        self.names = rng.sample(NAMES, rng.randint(1, 6))
        tree = {"dirs": [], "machine": self.machine, "files": self.files}
        for d in dirs:
            share = 1.0 if d == dirs[0] else 0.35
            names = [n for n in self.names if rng.random() < share]
            tree["dirs"].append({"path": d, "profiles": [{"name": n, "text": self.profile(n, d)} for n in names]})
        wanted = [rng.choice(self.names) for _ in range(rng.choice([1, 1, 1, 1, 2, 3]))]
        if self.odd():
            wanted.insert(0, rng.choice(["bad,name", "none", "-none", "a/b", "n\u00e4me", "", "-" + self.names[0]]))
        tree["load"] = rng.choice([" ", " ", "  ", "\t"]).join(wanted)
        return tree

    def profile(self, name, folder):
        """The text of a profile."""
        rng = self.rng
        lines = []
        if rng.random() < 0.3:
            lines.append(rng.choice(["# a comment", "; another", "", "   # indented"]))
        if self.odd(0.3):
            lines.append(rng.choice(["stray=1", "\ufeff[main]", "no equals", "  [main]"]))
        sections = ["main"] if rng.random() < 0.9 else []
        if rng.random() < 0.45:
            sections.append("variables")
        for _ in range(rng.randint(0, 4)):
            kind = rng.choice(PLUGINS)
            sections.append(kind if rng.random() < 0.8 else kind + rng.choice([".x", ".y", "2"]))
        if self.odd():
            sections.append(rng.choice(["DEFAULT", "Main", "a]b", "main", "unknown.type", " sp "]))
        if rng.random() < 0.3:
            rng.shuffle(sections)
        for s in sections:
            self.section(s, name, lines)
        text = "\n".join(lines) + rng.choice(["\n", "\n", "", "\n\n"])
        if self.odd(2):
            text = text.replace("\n", rng.choice(["\r\n", "\r", "\n\n", "\n\x0c\n", "\n\xa0"]))
        return text

    def section(self, s, name, lines):
        rng = self.rng
        header = "[%s]" % s
        if self.odd():
            header += rng.choice([" # comment", " rest", "]", "=1", ";x", "  "])
        if self.odd():
            header = "  " + header
        lines.append(header)
        kind = s.split(".")[0].rstrip("2")
        if s == "main":
            self.main(name, lines)
        elif s == "variables":
            self.variables(lines)
        else:
            self.plugin(s, kind, lines)
        if self.odd(0.4):
            lines.append(rng.choice(["garbage", "=value", "key value", "[]", "[ ]", "key: value"]))

    def main(self, name, lines):
        rng = self.rng
        if rng.random() < 0.6:
            self.option(lines, "summary", rng.choice(["A profile", "Tuned for x; and y", "100% # real", "a\n   b"]))
        if rng.random() < 0.65:
            self.option(lines, "include", self.include(name))
        if self.odd(2):
            self.option(lines, rng.choice(["description", "script", "Include", "recommendedfor"]), self.value())

    def include(self, name):
        rng = self.rng
        parts = []
        for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
            n = rng.choice(self.names + ["none"] if self.odd(0.5) else self.names)
            part = n if rng.random() < 0.75 else "-" + rng.choice(self.names + ["none", "absent"])
            if rng.random() < 0.15:
                other = rng.choice(self.names)
                part = rng.choice(["${f:virt_check:%s:%s}" % (n, other), "${f:strip: %s :}" % n,
                                   "${f:regex_search_ternary:%s:^a:%s:%s}" % (rng.choice("ab"), n, other),
                                   "-${f:virt_check:%s:%s}" % (other, "none")])
            if self.odd(0.5):
                part = rng.choice(["", "${v1}", "../" + n, "dir/" + n, ".", "..", n + " x", "${f:exec:none}", "\\${v1}"])
            parts.append(part)
        return rng.choice([",", ";", ", ", " ; ", " ,"]).join(parts)

    def variables(self, lines):
        rng = self.rng
        if rng.random() < 0.3:
            path = "/r/vars/%d.conf" % rng.randint(0, 2)
            self.option(lines, "include", rng.choice([path, path, path, "/r/vars/../vars/none.conf", "/r//vars/1.conf", "${i:PROFILE_DIR}/none"]))
            if path not in self.files:
                self.files[path] = self.variables_file()
        for _ in range(rng.randint(0, 4)):
            name = rng.choice(VARIABLES)
            if self.odd(2):
                name = rng.choice(["bad-name", "type", "devices", "enabled", "1", "2", "0", "f", "\u00e4_1", "a b", "replace", "script", "TUNED_x", "drop", "3a"])
            self.option(lines, name, self.value())
        if rng.random() < 0.05:
            self.option(lines, "replace", rng.choice(["1", "0", "yes"]))
        if rng.random() < 0.05:
            self.option(lines, "drop", rng.choice(VARIABLES))

    def variables_file(self):
        lines = []
        rng = self.rng
        for _ in range(rng.randint(0, 4)):
            self.option(lines, rng.choice(VARIABLES), self.value())
        if rng.random() < 0.3:
            lines.append(rng.choice(["# isolated_cores=1", "novalue", "[more]", "[DEFAULT]", ""]))
            self.option(lines, rng.choice(VARIABLES), self.value())
        if self.odd():
            lines.append(rng.choice(["=x", "novalue\n  continued", "bad-name=1", "novalue2\n\nv1=2"]))
        return "\n".join(lines) + "\n"

    def plugin(self, s, kind, lines):
        rng = self.rng
        if s != kind and rng.random() < 0.7:
            self.option(lines, "type", kind)
        if rng.random() < 0.1:
            self.option(lines, "devices", rng.choice(["eth0", "eth*, !eth1", "${v1}", "cpulist:0-3", "${f:cpulist2devs:${cores}}", "*", ""]))
        if rng.random() < 0.08:
            self.option(lines, "replace", rng.choice(["1", "true", "True", "0", "yes", "TRUE", "false"]))
        if rng.random() < 0.08:
            self.option(lines, "enabled", rng.choice(["1", "0", "false", "true", "yes", "False"]))
        if rng.random() < 0.1:
            keys = KEYS.get(kind, ["x"])
            self.option(lines, "drop", rng.choice([",", ", ", ";", " , ", " "]).join(rng.choice(keys) for _ in range(rng.randint(1, 3))))
        if rng.random() < 0.05:
            self.option(lines, "uname_regex", rng.choice(["x86_64", "aarch64", "${v1}", "^Linux", "["]))
        if rng.random() < 0.05:
            self.option(lines, "cpuinfo_regex", rng.choice(["^model name\\s+:.*Intel", "AMD$", "${v2}", "flags.*avx", "0x0?af"]))
        if rng.random() < 0.03:
            self.option(lines, rng.choice(["script_pre", "script_post", "devices_udev_regex"]), rng.choice(["${i:PROFILE_DIR}/x.sh", "(ID=1)", "rel.sh"]))
        if rng.random() < 0.08:
            self.option(lines, "priority", rng.choice(["1", "-5", "10", "0", "+2"]) if not self.odd(5) else rng.choice(["x", "1.5", ""]))
        for _ in range(rng.randint(0, 4)):
            keys = KEYS.get(kind, ["x", "y"])
            key = rng.choice(keys)
            if self.odd():
                key = rng.choice(["script", "a b", "A", "net.ipv4.conf.eth0.1.x", "k:x", "[k", "\u00fc", "k\xa0x", "''"])
            self.option(lines, key, self.setting(kind))
        if kind == "script" and rng.random() < 0.5:
            self.option(lines, "script", rng.choice(["${i:PROFILE_DIR}/script.sh", "s.sh", "../x/s.sh", "/r/abs.sh", "\\${i:PROFILE_DIR}/y", "//r//z", ""]))

    def setting(self, kind):
        rng = self.rng
        if kind == "bootloader":
            words = rng.sample(["quiet", "rhgb", "nohz=on", "isolcpus=1-3", "nohz_full=${cores}", "a.b=c", "x=\"1 2\"", "quiet", "skew_tick=1"], rng.randint(0, 4))
            return rng.choice(["", "", "+", "+ ", "-", "- ", "\\+", "\\", "\"", "--"]) + rng.choice([" ", " ", "  "]).join(words)
        if rng.random() < 0.5:
            return rng.choice(["1", "0", "10", ">2048", "<5", ">=3", "> 7", "<", ">", "\"1024 65535\"", "\">5\"", "never", "4096", "1 2 3", "-1", "00", "\"a\" \"b\""])
        return self.value()

    def value(self):
        """A text with variables and functions."""
        rng = self.rng
        out = "".join(self.piece(2) for _ in range(rng.choice([1, 1, 1, 2, 3])))
        if self.odd():
            out += rng.choice([" # cut", "#kept", " ; kept", "}", "{2}", "\\", "$", "${", "$$", "${}", "${f}", "\n   continued", "\n\n  after a gap", "\n  [net]",
                               "\n  k=v", "\n# comment\n  more"])
        return out

    def piece(self, depth):
        rng = self.rng
        r = rng.random()
        if r < 0.4 or depth == 0:
            return rng.choice(["1", "abc", "0-3", " x ", "16", "a:b", "a,b", "", "100", "1,3", "\u00e9", "%d", "%(x)s", "b"])
        if r < 0.65:
            return rng.choice(["${%s}", "${%s}", "${%s}", "\\${%s}" if self.odd(3) else "${%s}", "\\\\${%s}" if self.odd(3) else "${%s}"]) % rng.choice(VARIABLES)
        if r < 0.7:
            return rng.choice(["${undefined}", "${i:PROFILE_DIR}/f", "$x", "${a-b}"])
        return self.function(depth)

    def function(self, depth):
        rng = self.rng
        if self.odd(3):
            return rng.choice(["${f:nosuch:1}", "${f:strip}", "${f:kb2s:x}", "\\${f:strip:a}", "\\\\${f:strip:a}", "${f:}", "${f:a-b:1}", "${f:exec:false}", "${f:STRIP:a}",
                               "${f:strip: }${f:strip:x}", "${f:virt_check:1}", "${f:s2kb:}", "${f:assertion:t:${v1}:${v2}}", "${f:assertion_non_equal:t:${v1}:${v2}}",
                               "${f:regex_search_ternary:a:(:1:2}", "${f:strip:a{2}}", "${f:calc_isolated_cores:-1}"])
        one = lambda: rng.choice([rng.choice(LISTS), rng.choice(LISTS), "${cores}", "${isolated}", self.piece(depth - 1)]).replace(":", "\\:")
        name = rng.choice(["strip", "cpulist2hex", "cpulist2hex_invert", "cpulist_invert", "cpulist_online", "cpulist_present", "cpulist_pack", "cpulist_unpack",
                           "cpulist2devs", "hex2cpulist", "kb2s", "s2kb", "regex_search_ternary", "virt_check", "calc_isolated_cores", "check_net_queue_count",
                           "cpuinfo_check", "exec"])
        text = lambda: self.piece(depth - 1)
        if name in ("kb2s", "s2kb"):
            args = [rng.choice(["0", "1", "3", "5", "1024", "${size}", " 7 ", "9007199254740993", "-3", "1_000"])]
        elif name == "hex2cpulist":
            args = [rng.choice(["ff", "0xf0", "00000000,0000000f", "", "zz", "-f", "0x_1", "0"])]
        elif name == "regex_search_ternary":
            args = [text(), rng.choice(REGEXES), text(), text()]
        elif name == "virt_check":
            args = [text(), text()]
        elif name == "calc_isolated_cores":
            args = rng.choice([[], ["1"], ["2"], ["0"], ["99"], [""]])
        elif name == "check_net_queue_count":
            args = [rng.choice(["4", "${size}", "x", ""])]
        elif name == "cpuinfo_check":
            args = [rng.choice(["^model name", "AMD", "Intel", "avx$", "0x41", "processor\\s"]), text(), rng.choice(["flags", "nothing"]), text()][: rng.choice([2, 3, 4])]
        elif name == "exec":
            args = [rng.choice(["echo", "say", "false"]), text()]
        elif name == "strip":
            args = [text() for _ in range(rng.randint(1, 3))]
        else:
            args = [one() for _ in range(rng.choice([0, 1, 1, 1, 2]))]
        return "${f:%s}" % ":".join([name] + args)

    def option(self, lines, key, value):
        rng = self.rng
        sep = rng.choice(["=", "=", " = ", " =", "= ", "\t=\t"])
        indent = "  " if self.odd() else ""
        if self.odd(0.5):
            lines.append(rng.choice(["", "# c", ";c", "   ", "  # c"]))
        lines.append(indent + key + sep + value + (" " if self.odd() else ""))
        if rng.random() < 0.03:
            lines.append("   " + rng.choice(["more", "k=v", "# c", "x ; y", "${v1}"]))
        if rng.random() < 0.05:
            lines.append("")
        if rng.random() < 0.03:
            lines.append(key + "=" + rng.choice(["1", value]))


def machines(rng):
    """Machines of several kinds."""
    out = []
    for virtual, cpus, sockets in [(True, 1, 1), (True, 4, 1), (False, 8, 2), (False, 16, 2), (False, 40, 2), (False, 72, 4), (True, 6, 0)]:
        online = "0-%d" % (cpus - 1) if cpus > 1 else "0"
        if cpus == 16:
            online = "0-5,8-15"
        model = rng.choice(["Intel(R) Xeon(R) Gold 6130 CPU", "AMD EPYC 7702"])
        out.append({
            "virtual": virtual, "online": online + "\n", "present": "0-%d\n" % (cpus - 1), "processors": cpus,
            "sockets": {str(c): str(c % sockets) if sockets else "-1" for c in range(cpus)},
            "cpuinfo": "".join("processor\t: %d\nmodel name\t: %s\nflags\t\t: fpu avx\n\n" % (c, model) for c in range(min(cpus, 2))),
            "uname": "Linux host 5.14.0 #1 SMP %s" % rng.choice(["x86_64", "aarch64"]),
            "programs": {"echo": "", "say": "said "},
        })
    return out


def trees(seed, number):
    """Random trees; the same seed gives the same ones."""
    rng = random.Random("%s/machines" % seed)
    kinds = machines(rng)
    for n in range(number):
        name = "%s/%d" % (seed, n)
        tree = Tree(random.Random("tree/" + name), kinds).draw()
        tree["name"] = name
        yield tree
