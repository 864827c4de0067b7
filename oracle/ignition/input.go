package main

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// chooser picks a number below n.
type chooser func(n int) int

// pick picks one of the options, of which the first stands for what is right and
// is taken half of the time.
func pick[T any](c chooser, options ...T) T {
	if c(2) == 0 {
		return options[0]
	}
	return options[c(len(options))]
}

// randomURL is a data URL that may be wrong.
func randomURL(c chooser) string {
	head := pick(c, "data:,", "data:text/plain;charset=US-ASCII,", "data:;base64,",
		"data:text/plain;charset=utf-8;base64,", "data:text/plain,",
		"data:text/plain;charset=US- ASCII,", "data:image/x-y;a=b;c=d,", `data:text/plain;a="",`,
		`data:text/plain;a="";b=%zz,`, `data:text/plain;a="x\"y";base64,`,
		"data:x-a/b,", "data:xtext/plain,", "data:foo/bar,", "data:text,", "data:text/,", "data:/plain,", "data:base64,",
		"data:;base64;a=b,", "data:;a=,", "data:;=b,",
		"data:;a=%41,", "data:;a=%4,", "DATA:,", "data:", "data", "", "data:message/rfc822,", "data:text/plain;charset=é,",
		`data:;a="é",`, `data:;a="x`, `data:;a="\x41",`, `data:;a="\q",`)
	body := pick(c, "", "a%20b%0A", "a b", "a+b", "%", "%4", "%zz", "%41%e9", "é", "\n", "#", "a?b=c&d", "QQ==", "QQ=",
		"QQ", "QUI=\n", "QUI", "a[b]", "%ZZ", "-_.!~*'()/;:@&=+$,", "a,b", `a"b`, "<", "{}")
	if c(4) == 0 {
		body = base64.StdEncoding.EncodeToString([]byte(body))
	}
	url := head + body
	if len(url) > 0 && c(3) == 0 { // one character is changed
		i := c(len(url))
		url = url[:i] + pick(c, "", " ", "%", ";", ",", "=", "\"", "\\", "/", "\x00", "\x7f", "\t", "é", "x", "+", "-",
			"\xff") + url[i+1:]
	}
	return url
}

// valid UTF-8 is all that JSON carries.
func text(s string) string { return strings.ToValidUTF8(s, "?") }

type object = map[string]any

// randomConfigs are one to three configurations, to be merged or appended; those
// that are merged may be of different specifications.
func randomConfigs(c chooser) (out []json.RawMessage, merged bool) {
	merged = c(2) == 0
	for range 1 + c(3) {
		raw, err := json.Marshal(randomConfig(c, merged && c(3) > 0))
		if err != nil {
			panic(err)
		}
		out = append(out, raw)
	}
	return out, merged
}

func randomConfig(c chooser, three bool) object {
	version := any("2.2.0")
	if three {
		version = []any{"3.2.0", "3.0.0", "3.1.0", "3.3.0", "3.4.0", "3.5.0"}[c(6)]
	}
	if c(40) == 0 {
		version = pick(c, any(nil), "", "3.2", "2.2", "2.3.0", "3.6.0", "3.9.0", "4.0.0", "x", 3, "3.2.0-experimental",
			"1.0.0")
	}
	config := object{"ignition": object{"version": version}}
	if c(6) > 0 {
		config["storage"] = object{"files": list(c, 3, func() any { return randomFile(c, three) })}
	}
	if storage, ok := config["storage"].(object); ok && c(10) == 0 {
		entry := object{"path": []any{"/etc/a", "/etc/c", "/var/x", "etc/x", "/etc//c"}[c(5)]}
		if !three {
			entry["filesystem"] = "root"
		}
		kind := []string{"directories", "links"}[c(2)]
		if kind == "links" {
			entry["target"] = "/x"
		}
		storage[kind] = []any{entry}
	}
	if c(3) == 0 {
		config["systemd"] = object{"units": list(c, 3, func() any { return randomUnit(c, three) })}
	}
	if c(80) == 0 {
		config["storage"] = pick[any](c, nil, "x", []any{}, 3)
	}
	return config
}

func list(c chooser, most int, item func() any) []any {
	out := []any{}
	for range c(most + 1) {
		out = append(out, item())
	}
	return out
}

// rare is a fault: with it, set has odd values; else the usual ones.
func rare(c chooser) bool { return c(12) == 0 }

func randomFile(c chooser, three bool) any {
	f := object{"path": []any{"/etc/a", "/etc/b", "/etc/c/d", "/etc/systemd/system/x.service"}[c(4)]}
	if !three {
		f["filesystem"] = "root"
	}
	if c(3) > 0 {
		f["mode"] = []any{420, 384, 0, 493, 511}[c(5)]
	}
	body := object{}
	if c(5) > 0 {
		body["source"] = "data:," + []string{"", "a", "b%0A", "%41+"}[c(4)]
	}
	if c(8) == 0 {
		body["source"] = text(randomURL(c))
	}
	if c(12) == 0 {
		body["compression"] = pick[any](c, "", nil, "gzip", "bzip2")
	}
	if c(12) == 0 { // "packed" and a line feed
		body["source"] = "data:;base64,H4sIAAAAAAACAytITM5OTeECAEPgQS8HAAAA"
		body["compression"] = "gzip"
	}
	if c(4) > 0 || len(body) > 0 {
		f["contents"] = body
	}
	if c(5) == 0 {
		f["overwrite"] = c(2) == 0
	}
	if rare(c) {
		spoil(c, f, three)
	}
	return f
}

// spoil makes a file wrong, or odd.
func spoil(c chooser, f object, three bool) {
	switch c(9) {
	case 0:
		f["path"] = pick[any](c, "", "etc/a", "/etc//a", "/etc/a/", "/etc/../a", "/", nil, 3, "/etc/./b")
	case 1:
		f["mode"] = pick[any](c, 1204, -1, 4095, 4096, 512, "0644", 420.5, nil, true, 644)
	case 2:
		f["filesystem"] = pick[any](c, "data", "", nil, "root")
	case 3:
		f["user"] = pick[any](c, object{"id": 0}, object{"name": "core"}, object{"id": 0, "name": "core"},
			object{"id": 0, "name": ""}, object{"id": "0"}, nil, "core")
	case 4:
		f["overwrite"] = pick[any](c, "true", nil, 1)
	case 5:
		f["append"] = pick[any](c, !three, object{}, 1)
		if three {
			f["append"] = pick[any](c, []any{}, []any{object{"source": "data:,x"}}, true)
		}
	case 6:
		f["contents"] = pick[any](c, object{"source": 3}, nil, "x", object{"source": "https://example.com/x"},
			object{"source": "ftp://example.com/x"},
			object{"source": "data:,", "verification": object{"hash": "sha512-" + strings.Repeat("a", 128)}},
			object{"source": "data:,", "verification": object{"hash": "sha512-aa"}},
			object{"source": "data:,", "verification": object{"hash": "md5"}},
			object{"verification": object{"hash": "sha512-" + strings.Repeat("a", 128)}})
	case 7:
		f["Path"] = f["path"]
		delete(f, "path")
	case 8:
		f["unknown"] = 1
	}
}

func randomUnit(c chooser, three bool) any {
	u := object{"name": []any{"x.service", "y.timer"}[c(2)]}
	if rare(c) {
		u["name"] = pick[any](c, "x", "x.conf", "", nil, 3, "x@y.service")
	}
	if c(3) > 0 {
		u["contents"] = pick[any](c, "[Unit]\nA=b\n[Install]\nWantedBy=x\n", "", "[Service]\nExecStart=/bin/a \\\n  b\n", nil)
		if rare(c) {
			u["contents"] = pick[any](c, "[Unit", "[Unit] x\n", "[Unit]\nA\n", "A=b\n", "[Unit]\nA", "[Unit]\n# c \\\nB\nC=d",
				"[]\n=\n", "x[Unit]\r\nA=b\r\n", "[Unit]\n  A=b\n;c\n\n[Install]", 3, "[Unit]\nA=\\\n\nB=c\n", "[Un\nit]\nA=b",
				"[Unit]\rA=b")
		}
	}
	if c(2) == 0 {
		u["enabled"] = pick[any](c, true, false, nil)
	}
	if !three && c(4) == 0 {
		u["enable"] = c(2) == 0
	}
	if c(5) == 0 {
		u["mask"] = c(2) == 0
	}
	if c(3) == 0 {
		u["dropins"] = list(c, 2, func() any {
			d := object{"name": []any{"10-a.conf", "20-b.conf"}[c(2)], "contents": []any{"[Unit]\nA=1\n", "[Unit]\nA=2\n"}[c(2)]}
			if rare(c) {
				d["name"] = pick[any](c, "a", "", nil)
			}
			return d
		})
	}
	return u
}
