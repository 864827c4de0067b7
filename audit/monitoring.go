package audit

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/plan/prometheus"
	"plimsoll.dev/plan/store"
	"plimsoll.dev/tune/monitoring"
	"plimsoll.dev/unit"
)

// monitoringTests are about the cluster's monitoring.
var monitoringTests = []test{{noVolume, (*look).noVolume}, {volumeTooSmall, (*look).volumeTooSmall},
	{prometheusMemory, (*look).prometheusMemory}, {infraNodes, (*look).infraNodes},
	{monitoringPlace, (*look).monitoringPlace}, {metricsStorage, (*look).metricsStorage},
	{storageNodes, (*look).storageNodes}}

// prometheusName and alertmanagerName are those of the StatefulSets of the cluster's own monitoring.
const (
	prometheusName   = "prometheus-k8s"
	alertmanagerName = "alertmanager-main"
)

// monitoringKeys are the keys of config.yaml of the parts that take most, by the names of their controllers.
var monitoringKeys = map[string]string{prometheusName: "prometheusK8s", alertmanagerName: "alertmanagerMain",
	"thanos-querier": "thanosQuerier"}

// monitoringPart is what config.yaml says of a part.
type monitoringPart struct {
	Retention, RetentionSize string
	NodeSelector             map[string]string
}

// monitoringConfig is what config.yaml says of each part. What can't be read is none: the checks of tune tell of it.
func (c *Cloud) monitoringConfig() map[string]monitoringPart {
	out := map[string]monitoringPart{}
	if c.Monitoring == nil {
		return out
	}
	var text map[string]any
	if yaml.Unmarshal([]byte(*c.Monitoring), &text) != nil {
		return out
	}
	for _, key := range monitoringKeys {
		part, _ := text[key].(map[string]any)
		p := monitoringPart{NodeSelector: map[string]string{}}
		p.Retention, _ = part["retention"].(string)
		p.RetentionSize, _ = part["retentionSize"].(string)
		selector, _ := part["nodeSelector"].(map[string]any)
		for k, v := range selector {
			p.NodeSelector[k], _ = v.(string)
		}
		out[key] = p
	}
	return out
}

// podsOfMonitoring are the pods of a StatefulSet or Deployment of the cluster's monitoring that have not ended.
func (c *Cloud) podsOfMonitoring(name string) []*Pod {
	var out []*Pod
	for i := range c.Pods {
		p := &c.Pods[i]
		kind, owner, _ := strings.Cut(p.Owner, "/")
		if kind == "ReplicaSet" { // NAME-HASH
			owner = owner[:max(0, strings.LastIndex(owner, "-"))]
		}
		if p.Namespace == openshift.NamespaceMonitoring && owner == name && !p.ended() {
			out = append(out, p)
		}
	}
	return out
}

// prometheusRuns says whether the cluster's own Prometheus runs; else the rule is not about this cluster.
func (l *look) prometheusRuns() bool {
	if len(l.podsOfMonitoring(prometheusName)) > 0 {
		return true
	}
	l.notApplicable("there is no pod of %s in %s", prometheusName, openshift.NamespaceMonitoring)
	return false
}

// configured is how to have config.yaml say something.
func configured(format string, args ...any) string {
	return "oc -n openshift-monitoring edit configmap cluster-monitoring-config (oc create it where there is none), " +
		"config.yaml: " + fmt.Sprintf(format, args...)
}

// claimTemplate has each pod of a part claim a volume.
const claimTemplate = "%s: {volumeClaimTemplate: {spec: {resources: {requests: {storage: %s}}}}}"

func (l *look) noVolume() {
	if !l.prometheusRuns() {
		return
	}
	keep := retentionOf(l.monitoringConfig())
	sizes := map[string]string{prometheusName: l.claimSize(keep, l.tableSize(keep)),
		alertmanagerName: wholeGi(facts.Load().Must("ocp.prometheus.alertmanagerSize").Number)}
	var none []where
	var claims []string
	for _, name := range []string{prometheusName, alertmanagerName} {
		before := len(none)
		for _, p := range l.podsOfMonitoring(name) {
			if len(p.Claims) == 0 {
				none = append(none, at("Pod", p.path(), ""))
			}
		}
		if len(none) > before {
			claims = append(claims, fmt.Sprintf(claimTemplate, monitoringKeys[name], sizes[name]))
		}
	}
	if len(none) > 0 {
		l.find(none, configured("%s", strings.Join(claims, "; ")), "no volume: data are in an emptyDir")
	}
}

// retentionOf Prometheus: what config.yaml says, else the default.
func retentionOf(config map[string]monitoringPart) unit.Duration {
	text := config[monitoringKeys[prometheusName]].Retention
	if d, err := unit.ParseDuration(text); err == nil {
		return d
	}
	return unit.Duration(facts.Load().Must("ocp.prometheus.retention").Value().Int())
}

// byTable is a column of table 8.1 for the cluster's nodes, or for as many as its pods would make at the table's pods a
// node where that is more.
func (l *look) byTable(column func(prometheus.Row) derive.Value) float64 {
	c := facts.Load()
	var points []prometheus.Point
	for _, r := range prometheus.Rows(c) {
		points = append(points, prometheus.Point{X: r.Nodes, Y: column(r)})
	}
	pods := 0
	for i := range l.Pods {
		if !l.Pods[i].ended() {
			pods++
		}
	}
	nodes := max(float64(len(l.Nodes)), float64(pods)/c.Must("ocp.prometheus.podsPerNode").Number)
	y, _ := prometheus.Interpolate(points, nodes)
	return y
}

// tableSize is what one Prometheus keeps in a time, by table 8.1, whose figures have room to spare.
func (l *look) tableSize(keep unit.Duration) float64 {
	const day = 86400
	days := l.byTable(func(r prometheus.Row) derive.Value { return r.Per15Days }) / 15
	return max(days*float64(keep)/day, l.byTable(func(r prometheus.Row) derive.Value { return r.PerDay }))
}

// claimSize is the size to claim: no less than what the smallest cluster of table 8.1 keeps in that time, since the
// platform's own series do not shrink with the cluster.
func (l *look) claimSize(keep unit.Duration, need float64) string {
	const day = 86400
	smallest := prometheus.Rows(facts.Load())[0].Per15Days.Number / 15
	return wholeGi(max(need, smallest*float64(keep)/day))
}

// wholeGi writes bytes as a claim asks for them.
func wholeGi(bytes float64) string {
	return fmt.Sprintf("%dGi", (int64(bytes)+int64(unit.GiB)-1)/int64(unit.GiB))
}

// size of a claim: what it has, else what it asks for.
func (c *Claim) size() int64 {
	if n := quantity("storage", c.Status.Capacity["storage"]); n > 0 {
		return n
	}
	return quantity("storage", c.Spec.Resources.Requests["storage"])
}

// claimsOfPrometheus are the claims of its pods.
func (l *look) claimsOfPrometheus() []*Claim {
	var out []*Claim
	for _, p := range l.podsOfMonitoring(prometheusName) {
		for _, c := range l.claimsOf(p.Namespace) {
			if slices.Contains(p.Claims, c.Metadata.Name) && c.size() > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

func (l *look) volumeTooSmall() {
	if !l.prometheusRuns() {
		return
	}
	claims, config := l.claimsOfPrometheus(), l.monitoringConfig()
	if len(claims) == 0 {
		l.notApplicable("Prometheus has no volume")
		return
	}
	keep, bounded := retentionOf(config), config[monitoringKeys[prometheusName]].RetentionSize
	need, claim := l.tableSize(keep), l.claimSize(keep, l.tableSize(keep))
	if n := diskSize(bounded); n > 0 { // older blocks go when that is reached
		need = min(need, float64(n))
		claim = wholeGi(need)
	}
	var small []where
	for _, c := range claims {
		if float64(c.size()) < need {
			small = append(small, atClaim(c, "%s", unit.FormatBytes(unit.Bytes(c.size()))))
		}
	}
	if len(small) == 0 {
		return
	}
	fix := configured(claimTemplate, monitoringKeys[prometheusName], claim) + ", and of each claim oc -n " +
		openshift.NamespaceMonitoring + " edit pvc, where its storage class can expand volumes; or a shorter retention"
	if l.Release.Minor() >= sizeBound {
		fix += ", or a retentionSize below the volume's size"
	}
	l.find(small, fix, "a retention of %s takes %s by table 8.1 for %s", keep, unit.FormatDecimal(unit.Bytes(need)),
		words.Count(len(l.Nodes), "node"))
}

// sizeBound is the release that knows retentionSize.
const sizeBound = 11

// diskSize reads a size of Prometheus, such as 90GiB, whose units are powers of two whichever way they are written; 0
// where it is none.
func diskSize(text string) int64 {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "B"), "i")
	if text == "" || text == "0" {
		return 0
	}
	if strings.ContainsRune("KMGTPE", rune(text[len(text)-1])) {
		text += "i"
	}
	return quantity("storage", text)
}

// memoryShare is the share of its node's memory that Prometheus may take.
const memoryShare = 0.5

func (l *look) prometheusMemory() {
	if !l.prometheusRuns() {
		return
	}
	need := l.byTable(func(r prometheus.Row) derive.Value { return r.RAM })
	memory := map[string]int64{}
	for i := range l.Nodes {
		memory[l.Nodes[i].Metadata.Name] = l.Nodes[i].allocatable("memory")
	}
	var tight []where
	for _, p := range l.podsOfMonitoring(prometheusName) {
		has := memory[p.Node]
		if has > 0 && need > memoryShare*float64(has) {
			tight = append(tight, at("Pod", p.path(), "%s of Node/%s", unit.FormatBytes(unit.Bytes(has)), p.Node))
		}
	}
	if len(tight) > 0 {
		l.find(tight, configured("prometheusK8s: {nodeSelector: ...} of nodes with more than %s of memory",
			wholeGi(need/memoryShare)), "Prometheus takes %s by table 8.1 for %s, more than %.0f %% of its node's memory, "+
			"which is the most by this program's own choice", unit.FormatDecimal(unit.Bytes(need)),
			words.Count(len(l.Nodes), "node"), 100*memoryShare)
	}
}

// monitoringPlace finds pods of the monitoring that are not where they should be: on other nodes than config.yaml says,
// or beside the users' pods though there are infrastructure nodes.
func (l *look) monitoringPlace() {
	if !l.prometheusRuns() {
		return
	}
	nodes := map[string]*Node{}
	for i := range l.Nodes {
		nodes[l.Nodes[i].Metadata.Name] = &l.Nodes[i]
	}
	infra, config := len(l.nodesOfInfra()) > 0, l.monitoringConfig()
	var elsewhere, beside []where
	var keys []string
	for _, name := range []string{prometheusName, alertmanagerName, "thanos-querier"} {
		key, told := monitoringKeys[name], false
		if !monitoring.Knows(l.Release, key+".nodeSelector") {
			continue
		}
		for _, p := range l.podsOfMonitoring(name) {
			n := nodes[p.Node]
			if n == nil {
				continue
			}
			one := at("Pod", p.path(), "on Node/%s", p.Node)
			switch selector := config[key].NodeSelector; {
			case len(selector) > 0 && !n.labelled(selector):
				elsewhere = append(elsewhere, one)
			case len(selector) == 0 && infra && !n.has("infra") && !n.control():
				beside, told = append(beside, one), true
			}
		}
		if told {
			keys = append(keys, key+`: {nodeSelector: {node-role.kubernetes.io/infra: ""}}`)
		}
	}
	if len(elsewhere) > 0 {
		l.find(elsewhere, "oc get clusteroperator monitoring -o yaml says why the operator does not apply config.yaml; pods "+
			"whose node was relabelled move when they are deleted", "on a node that their nodeSelector in config.yaml excludes")
	}
	if len(beside) > 0 {
		l.find(beside, configured("%s, with tolerations where those nodes have taints", strings.Join(keys, "; ")),
			"not on the infrastructure nodes that the cluster has")
	}
}

// labelled says whether a node has all labels.
func (n *Node) labelled(labels map[string]string) bool {
	for k, v := range labels {
		if have, ok := n.Metadata.Labels[k]; !ok || have != v {
			return false
		}
	}
	return true
}

// metricsStorage judges what the volumes of the monitoring are kept on.
func (l *look) metricsStorage() {
	claims := l.claimsOf(openshift.NamespaceMonitoring, userMonitoring)
	if len(claims) == 0 {
		l.notApplicable("the monitoring has no volume")
		return
	}
	keeper, catalogue := l.keeper(), facts.Load()
	bad, why := map[v1alpha1.Severity][]where{}, map[v1alpha1.Severity]string{}
	for _, c := range claims {
		kept, need := keeper.of(c), store.Need{Use: "metrics", AccessMode: "RWO"}
		if c.may(writeMany) {
			need.AccessMode = "RWX"
		}
		if kept.technology != "file" || kept.nfs() && need.AccessMode == "RWO" { // nfsCore tells of NFS
			continue
		}
		severity, choice := v1alpha1.Warning, store.Judge(catalogue, need, kept.technology, kept.product)
		if choice.Level == store.NotConfigurable {
			severity = v1alpha1.Error
		}
		bad[severity] = append(bad[severity], atClaim(c, "%s", kept.driver))
		why[severity] = choice.Words()
	}
	for _, s := range []v1alpha1.Severity{v1alpha1.Error, v1alpha1.Warning} {
		if len(bad[s]) > 0 {
			l.findAs(s, bad[s], configured("a storageClassName of block storage, and ReadWriteOnce, in volumeClaimTemplate; "+
				"then delete the claims with their pods one by one"), "%s", why[s])
		}
	}
}
