package cel

import "testing"

// What rules come to: of each a value that keeps it, and one that breaks it.
func TestEval(t *testing.T) {
	type m = map[string]any
	for _, c := range []struct {
		rule      string
		good, bad any
	}{
		{"self == 0 || self == -1 || (self >= 2000 && self <= 2000000)", int64(-1), int64(5)},
		{"!self.contains(',')", "a", "a,b"},
		{"self.all(x, self.exists_one(y, x == y))", []any{"a", "b"}, []any{"a", "a"}},
		{"has(self.a) && self.a.size() > 0 || has(self.b)", m{"b": int64(1)}, m{"a": []any{}}},
		{"has(self.a) ? self.a == 'x' : true", m{}, m{"a": "y"}},
		{`self.split("-", 2)[1].matches('[0-9]{3}$')`, "a-123", "a-12"},
		{`self.split("-", 2)[1].matches('[0-9]{3}$')`, "a-123", "none"}, // which has no second part
		{"duration(self) <= duration('15m')", "900s", "901s"},
		{"isIP(self)", "2001:db8::1", "::ffff:1.2.3.4"},
		{"self.lowerAscii() != 'host'", "hosts", "HOST"},
		{"!format.dns1123Subdomain().validate(self).hasValue()", "a.b", "a_b"},
		{"size(self.a + self.b) <= 3", m{"a": []any{"x"}, "b": []any{"y", "z"}},
			m{"a": []any{"x", "y"}, "b": []any{"z", "z"}}},
		{"size('x' + self) <= 3", "äö", "äöü"},
		{"'a' in self && !('b' in self)", []any{"a"}, []any{"a", "b"}},
		{"self.a.b == 1 || true", m{}, nil},
		{"false && self.a.b == 1 || self.c", m{"c": true}, m{"c": false}},
	} {
		e, err := Parse(c.rule)
		if err != nil {
			t.Error(err)
			continue
		}
		if ok, err := e.Eval(c.good); !ok || err != nil {
			t.Errorf("%s of %v: %v, %v", c.rule, c.good, ok, err)
		}
		if ok, _ := e.Eval(c.bad); ok && c.bad != nil {
			t.Errorf("%s of %v: %v", c.rule, c.bad, ok)
		}
	}
}

// What isn't known is refused when it is parsed, not when it is evaluated.
func TestParse(t *testing.T) {
	for _, rule := range []string{"", "self.", "self.map(x, x)", "quantity(self)", "self * 2", "(self", "'a", "self)",
		"a b", `'\q'`, "has(self)"} {
		if _, err := Parse(rule); err == nil {
			t.Errorf("%q is taken", rule)
		}
	}
	if e, err := Parse("self >= oldSelf"); err != nil || !e.Transition {
		t.Errorf("a rule about a change: %v", err)
	}
}
