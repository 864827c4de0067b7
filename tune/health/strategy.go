package health

import "plimsoll.dev/release"

// strategy is how a check asks somebody else to remediate, by annotations.
type strategy struct {
	// key and value of the check's annotation.
	key, value string
	// mark is the annotation that the machine gets; in 4.3 its node.
	mark string
}

// String is the strategy as the check is annotated.
func (s strategy) String() string { return s.key + "=" + s.value }

var (
	reboots = strategy{"healthchecking.openshift.io/strategy", "reboot",
		"healthchecking.openshift.io/machine-remediation-reboot"}
	metal = strategy{"machine.openshift.io/remediation-strategy", "external-baremetal",
		"host.metal3.io/external-remediation"}
)

// Mark is the annotation by which machines of a release are handed to an external remediation.
func Mark(r release.Release) string { return external.In(r).mark }

// HasTemplate says whether a check hands its machines over by a remediationTemplate, which its release must know.
func (p *Policy) HasTemplate() bool { return p.template }

// TellsAllowed says whether the status of a release has remediationsAllowed and the condition RemediationAllowed.
func TellsAllowed(r release.Release) bool { return allowedCondition.In(r) }
