package routermeter

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestMessages(t *testing.T) {
	for _, tt := range []struct {
		text, fault string
		want        message
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "", message{status: 200, length: 3}},
		{"HTTP/1.1 503 X\r\ncontent-length: 0\r\nConnection: Close\r\n\r\n", "", message{status: 503, close: true}},
		{"HTTP/1.0 204 No\r\n\r\n", "", message{status: 204, close: true}},
		{"GET / HTTP/1.1\r\nHost: h\r\nCONNECTION: Upgrade\r\n\r\n", "", message{upgrade: true}},
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "unexpected EOF", message{}},
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd", "1 bytes follow", message{}},
		{"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "is no length", message{}},
		{"HTTP/1.1 200 OK\r\nContent-Length: 16777217\r\n\r\n", "at most 16777216", message{}},
		{"HTTP/1.1 200 OK\r\n\r\n", "without Content-Length", message{}},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "in chunks", message{}},
		{"HTTP/1.1 2\r\n\r\n", "no response", message{}},
		{"HTTP/1.1 2x0 OK\r\n\r\n", "no response", message{}},
		{"SSH-2.0\r\n\r\n", "no message", message{}},
		{"HTTP/1.1 200", "unexpected EOF", message{}},
		{"", "EOF", message{}},
		{"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", bufferSize), "more than", message{}},
	} {
		for _, from := range []io.Reader{strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text)),
			iotest.DataErrReader(strings.NewReader(tt.text))} {
			in := incoming{from: from, buffer: make([]byte, bufferSize)}
			m, err := in.read()
			if tt.fault == "" && (err != nil || m != tt.want || in.bytes != int64(len(tt.text))) {
				t.Errorf("%.60q: %+v %v", tt.text, m, err)
			}
			// By single bytes nobody sees what follows.
			if tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) && !strings.Contains(tt.fault,
				"follow") {
				t.Errorf("%.60q: %v, and not %s", tt.text, err, tt.fault)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 3")
	f.Fuzz(func(t *testing.T, head string) {
		if m, err := parse([]byte(head)); err == nil && m.length < 0 {
			t.Error(m)
		}
	})
}

func TestTargets(t *testing.T) {
	to := map[string][]Target{}
	for _, text := range []string{"http://a.example.com/x?y", "https://b.example.com:8443",
		"passthrough=https://c.example.com/",
		"none=http://d.example.com/a=b"} {
		if err := AddURL(to, text); err != nil {
			t.Error(err)
		}
	}
	list := `{"kind": "List", "items": [
{"kind": "Route", "spec": {"host": "e.example.com", "tls": {"termination": "reencrypt"}}},
{"kind": "Service", "spec": {"host": "no"}}, {"kind": "Route", "spec": {"host": "f.example.com", "path": "/f"}}]}`
	if err := AddRoutes(to, []byte(list)); err != nil {
		t.Error(err)
	}
	if err := AddRoutes(to, []byte("kind: Route\nspec: {host: g.example.com, tls: {termination: edge}}\n")); err != nil {
		t.Error(err)
	}
	if err := Resolve(t.Context(), to, "192.0.2.7"); err != nil {
		t.Error(err)
	}
	if b := to["edge"][0]; b.name() != "b.example.com" || to["edge"][1].name() != "g.example.com" {
		t.Errorf("TLS asks for %q", b.name())
	}
	want := map[string][]Target{
		"none": {{"192.0.2.7:80", "a.example.com", "/x?y", false}, {"192.0.2.7:80", "d.example.com", "/a=b", false},
			{"192.0.2.7:80", "f.example.com", "/f", false}},
		"edge":        {{"192.0.2.7:8443", "b.example.com:8443", "/", true}, {"192.0.2.7:443", "g.example.com", "/", true}},
		"passthrough": {{"192.0.2.7:443", "c.example.com", "/", true}},
		"re-encrypt":  {{"192.0.2.7:443", "e.example.com", "/", true}},
	}
	for kind, list := range want {
		if len(to[kind]) != len(list) {
			t.Fatalf("%s: %+v", kind, to[kind])
		}
		for i := range list {
			if to[kind][i] != list[i] {
				t.Errorf("%s: %+v, and not %+v", kind, to[kind][i], list[i])
			}
		}
	}
	for _, text := range []string{"a.example.com", "ftp://a/", "edge=http://a/", "none=https://a/", "x=https://a/",
		"https://", "https://user:secret@a/"} {
		if err := AddURL(to, text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for _, text := range []string{"", "[", "kind: Service\nspec: {host: h}\n",
		"kind: Route\nspec: {host: h, tls: {termination: x}}\n"} {
		if err := AddRoutes(to, []byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if err := Resolve(t.Context(), map[string][]Target{"none": {{Address: "no-such.invalid:80"}}}, ""); err == nil ||
		!strings.Contains(err.Error(), "--address") {
		t.Error(err)
	}
}
