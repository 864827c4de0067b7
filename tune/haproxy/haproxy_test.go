package haproxy_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll.dev/facts"
	"plimsoll.dev/internal/need"
	"plimsoll.dev/tune/haproxy"
	"plimsoll.dev/unit"
)

// program is HAProxy, also where it is not on the path of users.
func program(t *testing.T) string {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+"/usr/sbin")
	return need.Program(t, "haproxy")
}

// certificate is a self-signed certificate with its key.
func certificate(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "*.example.com"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}))
}

// failer is a test, or one of rapid's.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// accepts demands that the real HAProxy takes a configuration without a warning,
// but for the limits that a desk has.
func accepts(t failer, program, dir, cert string, files []haproxy.File) {
	t.Helper()
	for _, f := range append(files, haproxy.File{Path: haproxy.CertificateFile, Text: cert},
		haproxy.File{Path: haproxy.AuthorityFile, Text: cert}) {
		path := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.Text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(program, "-c", "-f", filepath.Join(dir, haproxy.ConfigFile)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, files[0].Text)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "[WARNING]") && !strings.Contains(line, "ulimit") && !strings.Contains(line, "FD limit") {
			t.Fatalf("%s\n%s", out, files[0].Text)
		}
	}
}

// processes bounds the tests that start one for each draw.
const processes = 40

// TestHAProxyAccepts demands that the real HAProxy takes what is generated: for the
// shop, and for many drawn mixes and machines.
func TestHAProxyAccepts(t *testing.T) {
	binary, cert, dir := program(t), certificate(t), t.TempDir()
	accepts(t, binary, dir, cert, advise(t, mixed("4.17")).Config(haproxy.Layout{Dir: dir}))
	inputs := rapid.Custom(drawn)
	layouts := rapid.Custom(func(t *rapid.T) haproxy.Layout {
		return haproxy.Layout{Dir: dir, Routes: rapid.IntRange(1, 5).Draw(t, "shown"),
			Servers: rapid.IntRange(1, 3).Draw(t, "servers")}
	})
	for seed := range processes {
		in := inputs.Example(seed)
		a, problems := haproxy.Advise(in, facts.Load())
		if len(problems) > 0 {
			t.Fatalf("%+v: %v", in, problems)
		}
		accepts(t, binary, dir, cert, a.Config(layouts.Example(seed)))
	}
}

// TestHAProxyCanRefuse: the check of the test above can fail.
func TestHAProxyCanRefuse(t *testing.T) {
	binary, dir := program(t), t.TempDir()
	path := filepath.Join(dir, "bad.cfg")
	if err := os.WriteFile(path, []byte("defaults\n  timeout client 1.5s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(binary, "-c", "-f", path).CombinedOutput(); err == nil {
		t.Errorf("1.5s is accepted: %s", out)
	}
}

// drawn is an input that makes sense.
func drawn(t *rapid.T) haproxy.Input {
	in := haproxy.Input{
		Release: rapid.SampledFrom([]string{"3.11", "4.1", "4.4", "4.5", "4.8", "4.9", "4.11", "4.12", "4.16",
			"4.22"}).Draw(t, "release"),
		Publishing:     rapid.SampledFrom([]string{"", "HostNetwork", "LoadBalancerService"}).Draw(t, "publishing"),
		BareMetal:      rapid.Bool().Draw(t, "metal"),
		ChangesPerHour: rapid.SampledFrom([]float64{0, 0.00002, 0.1, 1, 60, 3600}).Draw(t, "changes"),
		LargestHeader: unit.Bytes(rapid.SampledFrom([]int64{0, 4000, 24576, 24577, 200_000, 268_423_152}).Draw(t,
			"header")),
		Threads:             rapid.SampledFrom([]int{0, 0, 1, 2, 4, 8, 64}).Draw(t, "threads"),
		Cores:               rapid.IntRange(0, 9).Draw(t, "cores"),
		Memory:              unit.Bytes(rapid.SampledFrom([]int64{0, 300 << 20, 4 << 30}).Draw(t, "memory")),
		NIC:                 unit.BitRate(rapid.SampledFrom([]int64{0, 1e9, 1e10}).Draw(t, "network")),
		HardStop:            unit.Duration(rapid.SampledFrom([]int64{0, 0, 1, 90, 3600, 2_147_483}).Draw(t, "stop")),
		NetworkLoadBalancer: rapid.Bool().Draw(t, "balancer"),
	}
	for range rapid.IntRange(0, 8).Draw(t, "cpus") {
		in.CPUs.Add(rapid.IntRange(0, 31).Draw(t, "cpu"))
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "kinds") {
		in.Traffic = append(in.Traffic, haproxy.Traffic{Name: string(rune('a' + i)),
			Encryption:            rapid.SampledFrom(haproxy.Encryptions()).Draw(t, "encryption"),
			RequestsPerSecond:     rapid.Float64Range(0, 200_000).Draw(t, "requests"),
			RequestsPerConnection: rapid.SampledFrom([]float64{0, 1, 1.5, 50}).Draw(t, "per connection"),
			Connections:           rapid.IntRange(0, 300_000).Draw(t, "connections"),
			Lifetime:              unit.Duration(rapid.SampledFrom([]int64{0, 45, 600, 86400}).Draw(t, "life")),
			Routes:                rapid.IntRange(0, 3000).Draw(t, "routes"),
			Resumption:            share(unit.Factor(rapid.Float64Range(0, 1).Draw(t, "resumed")))})
	}
	return in
}
