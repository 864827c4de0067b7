package main

import (
	"math/rand"
	"reflect"
	"strings"

	kubelet "k8s.io/kubelet/config/v1beta1"
)

// drawer draws KubeletConfigs: mostly well formed, often with values that are
// zero, sometimes with names in the wrong case, unknown names and wrong types.
type drawer struct{ *rand.Rand }

// chance is true p times in a hundred.
func (d drawer) chance(p int) bool { return d.Intn(100) < p }

func (d drawer) config() map[string]any {
	t := reflect.TypeOf(kubelet.KubeletConfiguration{})
	out := map[string]any{}
	for range 1 + d.Intn(6) {
		if d.chance(40) {
			name := likely[d.Intn(len(likely))]
			f, _ := t.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
			d.set(out, f)
			continue
		}
		d.set(out, t.Field(d.Intn(t.NumField())))
	}
	if d.chance(4) {
		out["notAField"] = d.pick("a", 1, true)
	}
	return out
}

// likely are fields that the operator's own kubelet.conf sets, or that people do.
var likely = strings.Fields("maxPods podsPerCore kubeAPIQPS kubeAPIBurst systemReserved kubeReserved authentication " +
	"serializeImagePulls rotateCertificates clusterDNS featureGates enforceNodeAllocatable podPidsLimit failSwapOn " +
	"protectKernelDefaults cpuManagerPolicy cpuManagerReconcilePeriod evictionSoft " +
	"containerLogMaxSize nodeStatusUpdateFrequency")

// set sets a field of a struct.
func (d drawer) set(out map[string]any, f reflect.StructField) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || name == "" || f.PkgPath != "" {
		return
	}
	if d.chance(3) {
		name = d.pick(strings.ToUpper(name), strings.ToLower(name)).(string)
	}
	out[name] = d.value(f.Type)
}

func (d drawer) pick(list ...any) any { return list[d.Intn(len(list))] }

// value draws a value for a type, seldom one that doesn't fit.
func (d drawer) value(t reflect.Type) any {
	if d.chance(1) {
		return d.pick("x", 7, 1.5, true, []any{}, map[string]any{}, nil, "", -1, int64(1)<<40)
	}
	switch special(t) {
	case "duration":
		return d.pick("5s", "10m", "0s", "0", "1h30m0s", "1.5s", "250ms", "90s", "-3s", "48h", "5", 5, "1d")
	case "quantity":
		return d.pick("1Gi", "1024Mi", "500m", "0", "2k", "0.5", 3, "1G", "1K")
	case "timeOrDuration":
		return d.pick("5s", 5000000000, "0s", 0, "1m30s")
	case "time":
		return nil
	case "nanoseconds":
		return d.pick(0, 5000000000)
	}
	return d.plain(t)
}

func (d drawer) plain(t reflect.Type) any {
	switch t.Kind() {
	case reflect.Ptr:
		return d.value(t.Elem())
	case reflect.Bool:
		return d.chance(50)
	case reflect.String:
		return d.pick("", "a", "static", "/system.slice", "systemd", "1-3")
	case reflect.Float32, reflect.Float64:
		return d.pick(0, 0.25, 1, 0.9)
	case reflect.Slice:
		return d.list(t.Elem())
	case reflect.Map:
		out := map[string]any{}
		for range d.Intn(3) {
			out[d.pick("cpu", "memory", "pid", "memory.available", "SupportPodPidsLimit",
				"ephemeral-storage").(string)] = d.value(t.Elem())
		}
		return out
	case reflect.Struct:
		out := map[string]any{}
		for range d.Intn(4) {
			d.set(out, t.Field(d.Intn(t.NumField())))
		}
		return out
	}
	return d.pick(0, 0, 1, 5, 110, 250, 500, 100)
}

func (d drawer) list(t reflect.Type) any {
	out := []any{}
	for range d.Intn(3) {
		out = append(out, d.value(t))
	}
	return out
}
