package netmeter

import "testing"

// A host may have a port or not, by name or address; what is no port is told before anybody waits for an answer.
func TestAddress(t *testing.T) {
	for text, want := range map[string]string{"host": "host:5209", "host:1": "host:1", "192.0.2.7": "192.0.2.7:5209",
		"::1": "[::1]:5209", "[::1]": "[::1]:5209", "[::1]:7": "[::1]:7", ":5209": ":5209",
		"fe80::1%eth0": "[fe80::1%eth0]:5209",
		"":             "", "host:": "", "host:abc": "", "host:99999": "", "[::1": ""} {
		got, err := Address(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
