package kubeletconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/schema"
	"plimsoll.dev/unit"
)

// fields are names of fields.
type fields []string

func (f fields) String() string { return strings.Join(f, ", ") }

// refuse finds what the operator refuses before it merges: fields that would cut
// the node off, and a few that contradict each other. from is the kubeletConfig as
// it was read.
func refuse(spec *openshift.KubeletConfigSpec, from map[string]any, r release.Release) (out []Problem) {
	if spec.KubeletConfig == nil && !specExtras.In(r) {
		return []Problem{
			{Rule: missingConfig, Path: "spec", What: "the KubeletConfig has no kubeletConfig: the operator refuses it",
				Fix: "add kubeletConfig with the fields to change"},
		}
	}
	for _, path := range refusedFields.In(r) {
		if v := at(from, path); !empty(v) || v != nil && presenceRefused(path) {
			out = append(out, Problem{Rule: refusedField, Path: inConfig(path),
				What: fmt.Sprintf("%s may not be set, the operator refuses the KubeletConfig", path), Fix: "remove " + path})
		}
	}
	if operatorChecksEvictionSoft.In(r) {
		out = append(out, softThresholds(from, "the operator refuses the KubeletConfig")...)
	}
	if operatorChecksReserved.In(r) {
		out = append(out, reservedQuantities(from, "the operator refuses the KubeletConfig")...)
	}
	return append(out, refuseSpec(spec, from, r)...)
}

// presenceRefused says whether a field is refused even with an empty value, which
// a pointer can tell from none.
func presenceRefused(path string) bool { return path == "failSwapOn" }

// refuseSpec judges the fields beside kubeletConfig, which came after 4.5.
func refuseSpec(spec *openshift.KubeletConfigSpec, from map[string]any, r release.Release) (out []Problem) {
	if !specExtras.In(r) {
		for name, given := range map[string]bool{"autoSizingReserved": spec.AutoSizingReserved != nil,
			"logLevel": spec.LogLevel != nil, "tlsSecurityProfile": spec.TLSSecurityProfile != nil} {
			if given {
				out = append(out, Problem{Rule: unknownField, Path: "spec." + name,
					What: fmt.Sprintf("%s is not known in %v: it is dropped silently", name, r), Fix: "remove it"})
			}
		}
		slices.SortFunc(out, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
		return out
	}
	if name, ok := spec.TLSSecurityProfile["type"].(string); ok && name != "Intermediate" {
		out = append(out, Problem{Rule: tlsNotShown, Path: "spec.tlsSecurityProfile",
			What: fmt.Sprintf("the TLS settings of profile %s are applied, and those of Intermediate are shown", name),
			Fix:  "read them in the profile's documentation"})
	}
	out = append(out, tlsProfile(spec.TLSSecurityProfile)...)
	if l := spec.LogLevel; l != nil && (*l < 0 || *l > 10) {
		out = append(out, Problem{Rule: contradiction, Path: "spec.logLevel",
			What: fmt.Sprintf("logLevel %d is not within 0 to 10", *l), Fix: "write 2 (the default) to 10"})
	}
	if a := spec.AutoSizingReserved; a != nil && *a && !empty(from["systemReserved"]) {
		out = append(out, Problem{Rule: contradiction, Path: "spec.autoSizingReserved",
			What: "autoSizingReserved and systemReserved can't be used together", Fix: "remove one of them"})
	}
	return append(out, cgroups(from["systemReservedCgroup"], from["systemCgroups"])...)
}

// kubeletCiphers are those that the operator hands to the kubelet, by the names that profiles have for them.
var kubeletCiphers = strings.Fields(`TLS_AES_128_GCM_SHA256 TLS_AES_256_GCM_SHA384 TLS_CHACHA20_POLY1305_SHA256
	ECDHE-ECDSA-AES128-GCM-SHA256 ECDHE-RSA-AES128-GCM-SHA256 ECDHE-ECDSA-AES256-GCM-SHA384
	ECDHE-RSA-AES256-GCM-SHA384 ECDHE-ECDSA-CHACHA20-POLY1305 ECDHE-RSA-CHACHA20-POLY1305 ECDHE-ECDSA-AES128-SHA256
	ECDHE-RSA-AES128-SHA256 AES128-GCM-SHA256 AES256-GCM-SHA384 AES128-SHA256 ECDHE-ECDSA-AES128-SHA
	ECDHE-RSA-AES128-SHA ECDHE-ECDSA-AES256-SHA ECDHE-RSA-AES256-SHA AES128-SHA AES256-SHA DES-CBC3-SHA
	ECDHE-RSA-DES-CBC3-SHA`)

// tlsProfile judges a TLS profile of one's own.
func tlsProfile(profile map[string]any) []Problem {
	const path = "spec.tlsSecurityProfile"
	if profile["type"] != "Custom" {
		return nil
	}
	custom, ok := profile["custom"].(map[string]any)
	if !ok {
		return []Problem{{Rule: tlsIgnored, Path: path, What: "profile Custom has no custom: that of Intermediate is taken",
			Fix: "write custom: {minTLSVersion: VersionTLS12, ciphers: [...]}"}}
	}
	var out []Problem
	list, _ := custom["ciphers"].([]any)
	for i, v := range list {
		name, isText := v.(string)
		if !isText || slices.Contains(kubeletCiphers, name) {
			continue
		}
		fix := "remove it; known are those of openssl ciphers that Go has"
		if near := schema.Nearest(name, kubeletCiphers); near != "" {
			fix = "write " + near
		}
		out = append(out, Problem{Rule: tlsIgnored, Path: fmt.Sprintf("%s.custom.ciphers[%d]", path, i),
			What: fmt.Sprintf("cipher %s is not one of the kubelet's: it is left out silently", name), Fix: fix})
	}
	if len(out) == len(list) {
		out = append(out, Problem{Rule: tlsIgnored, Path: path + ".custom", What: "no cipher of the profile is left: " +
			"the kubelet takes those of its own choice", Fix: "name ciphers of the kubelet"})
	}
	return out
}

// cgroups finds two cgroups that must be one.
func cgroups(reserved, system any) []Problem {
	if empty(reserved) || empty(system) || reserved == system {
		return nil
	}
	return []Problem{{Rule: contradiction, Path: inConfig("systemReservedCgroup"),
		What: fmt.Sprintf("systemReservedCgroup %v is not systemCgroups %v", reserved, system),
		Fix:  "write the same in both"}}
}

// refuseStaticPods judges staticPodPath for a pool, which is refused by pool today.
// raw are the names as they were written.
func refuseStaticPods(spec *openshift.KubeletConfigSpec, from map[string]any,
	p *openshift.MachineConfigPool) []Problem {
	_, written := spec.KubeletConfig["staticPodPath"]
	problem := Problem{Rule: refusedField, Path: inConfig("staticPodPath"), Fix: "remove staticPodPath"}
	switch {
	case selectsMasters(p) && written:
		problem.What = fmt.Sprintf("staticPodPath may not be set for pool %s of the control plane", p.Metadata.Name)
	case !selectsMasters(p) && from["staticPodPath"] != "":
		problem.What = fmt.Sprintf("staticPodPath of pool %s must be empty", p.Metadata.Name)
	default:
		return nil
	}
	return []Problem{problem}
}

// selectsMasters says whether a pool belongs to the control plane, by its name or
// because it asks for the label of masters.
func selectsMasters(p *openshift.MachineConfigPool) bool {
	s := p.Spec.NodeSelector
	if controlPlane(p.Metadata.Name) || s == nil {
		return controlPlane(p.Metadata.Name)
	}
	if _, ok := s.MatchLabels[openshift.LabelMaster]; ok {
		return true
	}
	for _, r := range s.MatchExpressions {
		if r.Key == openshift.LabelMaster && (r.Operator == "Exists" || r.Operator == "In") {
			return true
		}
	}
	return false
}

// softThresholds finds soft eviction thresholds without a grace period; off are values that need none.
func softThresholds(from map[string]any, effect string, off ...any) (out []Problem) {
	soft, _ := from["evictionSoft"].(map[string]any)
	grace, _ := from["evictionSoftGracePeriod"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(soft)) {
		if _, ok := grace[key]; !ok && !slices.Contains(off, soft[key]) {
			out = append(out, Problem{Rule: softWithoutGrace, Path: inConfig("evictionSoft." + key),
				What: fmt.Sprintf("evictionSoft %s has no grace period: %s", key, effect),
				Fix:  fmt.Sprintf("set evictionSoftGracePeriod %s, such as 1m30s", key)})
		}
	}
	return out
}

// reservedQuantities finds reservations that are no quantity or negative.
func reservedQuantities(from map[string]any, effect string) (out []Problem) {
	for _, name := range []string{"kubeReserved", "systemReserved"} {
		reserved, _ := from[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(reserved)) {
			text, _ := reserved[key].(string)
			q, err := unit.ParseQuantity(text)
			if err == nil && q.Sign() >= 0 || key != "cpu" && key != "memory" && key != "ephemeral-storage" {
				continue
			}
			out = append(out, Problem{Rule: badReserved, Path: inConfig(name + "." + key),
				What: fmt.Sprintf("%s %s %q is not a quantity of 0 or more: %s", name, key, text, effect),
				Fix:  "write it like 500m or 1Gi"})
		}
	}
	return out
}

// at is the value at a path of structs.
func at(tree map[string]any, path string) any {
	var v any = tree
	for part := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[part]
	}
	return v
}

// inConfig is the path of a field of the kubelet within a KubeletConfig.
func inConfig(path string) string { return join("spec.kubeletConfig", path) }
