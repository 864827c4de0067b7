package health

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
)

func ocp(section string) derive.Source { return derive.Source{Code: "OCP", Section: section} }

func rule(id string, s v1alpha1.Severity, title string, sources ...derive.Source) object.Rule {
	return object.Rule{ID: "health." + id, Severity: s, Title: title, Sources: sources}
}

// What makes the API server refuse a check.
var (
	wrongVersion = rule("apiVersion", v1alpha1.Error, "the apiVersion is not machine.openshift.io/v1beta1: the API server knows no such kind", ocp("3.4"), schema)
	wrongName    = rule("name", v1alpha1.Error, "the name is not one that objects can have", ocp("3.4"))
	required     = rule("required", v1alpha1.Error, "a field that the era requires is missing", schema)
	noPattern    = rule("pattern", v1alpha1.Error, "a value does not match the pattern of the era", schema)
	noCondition  = rule("noConditions", v1alpha1.Error, "there is no condition: the API server refuses the empty list, and without the list only missing nodes and failed machines count", schema)
)

// Whom a check selects.
var (
	unknownLabel = rule("labelKey", v1alpha1.Error, "the selector asks for a label that machines don't have: it selects none", ocp("3.4"), mao("machine labels"))
	badSelector  = rule("selector", v1alpha1.Error, "the operator can't make a selector of the labels: each pass fails", checker)
	everything   = rule("emptySelector", v1alpha1.Warning, "an empty selector takes all machines, the control plane among them", checker)
	controlPlane = rule("controlPlane", v1alpha1.Warning, "a check covers machines of the control plane, which the documents advise against", ocp("3.5"), checker)
	elsewhere    = rule("namespace", v1alpha1.Warning, "a check takes machines of its own namespace only", checker)
	nothing      = rule("selectsNothing", v1alpha1.Warning, "none of the machines that were given is selected", checker)
	ownerless    = rule("noOwner", v1alpha1.Warning, "selected machines have no owner that replaces them: they count, and are never remediated", ocp("3.3.1"), checker)
	overlap      = rule("overlap", v1alpha1.Warning, "two checks cover one machine: each counts and deletes without the other", checker)
)

// Timeouts and conditions.
var (
	badTimeout     = rule("timeout", v1alpha1.Error, "a timeout is not a duration: each target that has a node is an error, neither healthy nor remediated", checker)
	noTimeout      = rule("timeoutMissing", v1alpha1.Error, "a missing timeout is 0 s today: a node is deleted as soon as the condition shows", schema)
	undecodable    = rule("undecodable", v1alpha1.Error, "a duration passes the pattern and can't be decoded: no check of the cluster works any more", schema)
	shortTimeout   = rule("timeoutShort", v1alpha1.Warning, "a timeout is shorter than what the cluster itself needs to notice a node", derive.Source{Code: "kubernetes.io", Section: "Nodes"})
	rebootTime     = rule("rebootTime", v1alpha1.Info, "a reboot that takes long counts as a failure", checker)
	badStatus      = rule("conditionStatus", v1alpha1.Error, "a condition never has the status: it is True, False or Unknown", checker)
	healthyStatus  = rule("healthyStatus", v1alpha1.Error, "the status is that of a healthy node: all of them are remediated", checker)
	twice          = rule("duplicateCondition", v1alpha1.Warning, "one condition stands twice: the shorter timeout counts", checker)
	startupIgnored = rule("startupIgnored", v1alpha1.Warning, "nodeStartupTimeout is not known: 10 min are fixed", ocp("3.4"), checker)
	startupBelow   = rule("startupNegative", v1alpha1.Error, "machines are deleted as soon as they are made: nodeStartupTimeout leaves no time", checker)
)

// How many may be unhealthy.
var (
	textLimit     = rule("maxText", v1alpha1.Warning, "maxUnhealthy is a number in quotes, which eras read differently", checker)
	badLimit      = rule("maxInvalid", v1alpha1.Error, "maxUnhealthy is neither a number nor a percentage: nothing is remediated", checker)
	negativeLimit = rule("maxNegative", v1alpha1.Error, "maxUnhealthy is negative: nothing is remediated", checker)
	zeroLimit     = rule("maxZero", v1alpha1.Warning, "maxUnhealthy is 0: nothing is ever remediated", checker)
	overLimit     = rule("maxOver100", v1alpha1.Info, "maxUnhealthy is above 100 %: there is no limit", checker)
	noLimit       = rule("noLimit", v1alpha1.Info, "without maxUnhealthy machines are deleted whatever the state of the cluster", ocp("3.4.1"))
	floorZero     = rule("floorZero", v1alpha1.Warning, "the percentage of a small pool rounds down to 0: nothing is ever remediated", ocp("3.4.1.2"), checker)
	burst         = rule("burst", v1alpha1.Warning, "machines that start count as unhealthy: a large step of scaling up stops remediation", ocp("3.1"), checker)
)

// Annotations and templates.
var (
	unknownStrategy = rule("strategy", v1alpha1.Warning, "the strategy is not known to the era: machines are deleted", checker)
	pauseIgnored    = rule("pauseIgnored", v1alpha1.Warning, "the pause annotation is not known to the era", checker)
	templateIgnored = rule("templateIgnored", v1alpha1.Warning, "remediationTemplate is not known to the era: machines are deleted", checker)
)

// What a simulation proves.
var (
	cureBlocks      = rule("cureBlocks", v1alpha1.Warning, "machines that start or are being deleted stop the remediation of others", checker)
	rebootDeleted   = rule("rebootDeleted", v1alpha1.Warning, "a machine was deleted while it rebooted as it should", checker)
	startupLoop     = rule("startupLoop", v1alpha1.Warning, "replacements are deleted before they have a node, and replaced in turn", checker)
	longRestriction = rule("longRestriction", v1alpha1.Warning, "remediation is restricted for more than 30 min", checker)
	neverRemediated = rule("neverRemediated", v1alpha1.Warning, "machines that are due are passed over", ocp("3.3.1"), checker)
	stalledRule     = rule("stalled", v1alpha1.Error, "a scenario went on without an end at one instant, or takes too much work to be played")
	refusedRule     = rule("refused", v1alpha1.Error, "the API server of the era refuses a check: nothing is watched", schema)
)

// refusals are the rules whose errors mean that the API server refuses the object.
var refusals = []string{wrongVersion.ID, wrongName.ID, required.ID, noPattern.ID, noCondition.ID, object.WrongType.ID}

// Rules are all that Check and a simulation can find.
func Rules() []object.Rule {
	return []object.Rule{wrongVersion, wrongName, required, noPattern, noCondition,
		unknownLabel, badSelector, everything, controlPlane, elsewhere, nothing, ownerless, overlap,
		badTimeout, noTimeout, undecodable, shortTimeout, rebootTime, badStatus, healthyStatus, twice, startupIgnored, startupBelow,
		textLimit, badLimit, negativeLimit, zeroLimit, overLimit, noLimit, floorZero, burst,
		unknownStrategy, pauseIgnored, templateIgnored,
		cureBlocks, rebootDeleted, startupLoop, longRestriction, neverRemediated, stalledRule, refusedRule}
}
