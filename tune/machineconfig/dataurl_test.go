package machineconfig

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// The one-liner of "Red Hat OpenShift on IBM Z" gives this for its rule with the
// mask of the text.
const documentURL = "data:text/plain;charset=US-ASCII," +
	"%23%20turn%20on%20Receive%20Packet%20Steering%20%28RPS%29%20for%20all%20network%20interfaces%0A" +
	"ACTION%3D%3D%22add%22%2C%20SUBSYSTEM%3D%3D%22net%22%2C%20KERNEL%3D%3D%22%2A%22%2C%20ATTR%7Bqueues/" +
	"%2A/rps_cpus%7D%3D%22ff%22%0A"

const documentRule = "# turn on Receive Packet Steering (RPS) for all network interfaces\n" +
	`ACTION=="add", SUBSYSTEM=="net", KERNEL=="*", ATTR{queues/*/rps_cpus}="ff"` + "\n"

func TestDocumentURL(t *testing.T) {
	if got := EncodeDataURL([]byte(documentRule)); got != documentURL {
		t.Errorf("encoded\n%s\nwant\n%s", got, documentURL)
	}
	got, err := DecodeDataURL(documentURL)
	if err != nil || string(got) != documentRule {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDecodeDataURL(t *testing.T) {
	for _, c := range []struct{ url, want, bad string }{
		{url: "data:,", want: ""},
		{url: "data:,a%20b+c", want: "a b+c"},
		{url: "data:;base64,QUI=", want: "AB"},
		{url: "data:text/plain;charset=US-ASCII,A.B.D.0/24%20dev%20enc9000%0A", want: "A.B.D.0/24 dev enc9000\n"},
		{url: "data:;base64,QUI", bad: "padding"},
		{url: "data:,a b", bad: "a blank stands in the data, character 2"},
		{url: "data:,%4", bad: "a percent sign stands without its two hexadecimal digits: unexpected end"},
		{url: "data:,%zz", bad: "a percent sign stands without its two hexadecimal digits"},
		{url: "data:,\u00e9", bad: "stands in the data"},
		{url: "data:text/plain;charset=US- ASCII,x",
			bad: `"data:text/plain;charset=US- ASCII" before the data: a blank stands in it`},
		{url: "data:text/plain;charset=,x",
			bad: `"data:text/plain;charset=" before the data: invalid character for parameter value`},
		{url: "data:foo/bar,x", bad: `"data:foo/bar" before the data: invalid media type`},
		{url: "data:text/plain", bad: "no comma"},
		{url: "https://example.com/x", bad: "does not begin"},
		{url: "", bad: "does not begin"},
	} {
		got, err := DecodeDataURL(c.url)
		switch {
		case c.bad == "" && (err != nil || string(got) != c.want):
			t.Errorf("%q: %q, %v", c.url, got, err)
		case c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad) || !strings.HasSuffix(err.Error(), ")")):
			t.Errorf("%q: %v, want %q and what would be right", c.url, err, c.bad)
		}
	}
}

// Whatever is encoded decodes to itself; and another library decodes what stands
// behind the comma the same way.
func TestEncodeDataURL(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		for _, u := range []string{EncodeDataURL(data), EncodeDataURLBase64(data)} {
			got, err := DecodeDataURL(u)
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%q: %q, %v", u, got, err)
			}
		}
		_, behind, _ := strings.Cut(EncodeDataURL(data), ",")
		if got, err := url.PathUnescape(behind); err != nil || got != string(data) {
			t.Fatalf("%q: %q, %v", behind, got, err)
		}
	})
}

func FuzzDataURL(f *testing.F) {
	for _, s := range []string{documentURL, "data:;base64,QUI=", `data:;a="x\"",`, "data:x-a/b;c=d,%41", "data:,+", "",
		`data:;a="";b=%zz,`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		data, err := DecodeDataURL(s)
		if err != nil {
			return
		}
		if len(data) > len(s) {
			t.Fatalf("%q grows to %d bytes", s, len(data))
		}
		if again, err := DecodeDataURL(EncodeDataURL(data)); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%q: %q, %v", s, again, err)
		}
	})
}
