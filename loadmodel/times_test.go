package loadmodel

import (
	"strings"
	"testing"
	"time"
)

// The forms of both programs' configurations, and those of OCP tables 5.5 to 5.7.
func TestTimes(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30": 30 * time.Second, "10 s": 10 * time.Second, "10s": 10 * time.Second, "0 min": 0, "2 min": 2 * time.Minute,
		"1 hr": time.Hour, "180 s": 3 * time.Minute, "250 ms": 250 * time.Millisecond, "1m30s": 90 * time.Second,
		"0": 0, "1.5 s": 1500 * time.Millisecond, "20us": 20 * time.Microsecond, "5 ns": 5,
	} {
		var s Seconds
		if err := s.UnmarshalText([]byte(text)); err != nil || time.Duration(s) != want {
			t.Errorf("%q: %v, %v; want %v", text, time.Duration(s), err, want)
		}
	}
	var m Milliseconds
	if err := m.UnmarshalText([]byte("250")); err != nil || time.Duration(m) != 250*time.Millisecond {
		t.Errorf("250 without a unit: %v, %v", time.Duration(m), err)
	}
	for text, want := range map[string]string{
		"": "is not a time", "-1": "is not a time", "ten": "is not a time", "5 parsecs": "no unit of time",
		"200h": "too long", "1e9 s": "is not a time", "9999999999": "too long",
	} {
		var s Seconds
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestServed(t *testing.T) {
	for _, c := range [][3]string{
		{"v1", "Pod", "v1"}, {"v1", "DeploymentConfig", "apps.openshift.io/v1"}, {"v1", "Route", "route.openshift.io/v1"},
		{"v1", "RoleBinding", "rbac.authorization.k8s.io/v1"}, {"extensions/v1beta1", "Deployment", "apps/v1"},
		{"apps/v1beta2", "StatefulSet", "apps/v1"}, {"batch/v1", "Job", "batch/v1"},
	} {
		if got := Served(c[0], c[1]); got != c[2] {
			t.Errorf("%s of %s is served as %s, want %s", c[1], c[0], got, c[2])
		}
	}
}
