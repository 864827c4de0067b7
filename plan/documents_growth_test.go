package plan_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// onePodANode makes a plan of so many workers, which are stated: each pod fills one.
func onePodANode(workers int, rest string) small {
	return small{
		Provider: "aws", Node: fmt.Sprintf("cpus: 4, memory: 16G}, {name: i, role: infra, cpus: 32, memory: 128G}], "+
			"options: [{name: o, nodes: [{type: w, count: %d}]", workers),
		Pods: fmt.Sprintf("{name: a, replicas: %d, cpu: 3, memory: 1G}", workers),
		Rest: "policy: {spareNodes: 0, " + rest + "}",
	}
}

// P4, OCP 10.2.2: NVMe or SSD for etcd; Ceph, NFS and spinning disks are not recommended.
func TestDocumentEtcdStorage(t *testing.T) {
	for disk, bad := range map[string]bool{"nvme": false, "ssd": false, "hdd": true, "ceph": true, "nfs": true} {
		p := small{Rest: "storage: {etcd: " + disk + "}"}.plan(t)
		expectFinding(t, p, v1alpha1.Warning, "control.etcd.storage", bad)
	}
}

// P4, OCP 2.4 and 10.3: the quota, the database with and without free space,
// 20 GB for /var/lib/etcd, a 99th percentile of less than 50 ms.
func TestDocumentEtcdSize(t *testing.T) {
	with := func(secrets int, quota string) *v1alpha1.Plan {
		s := counted("4.4", 10, fmt.Sprintf("secrets: %d", secrets))
		s.Rest += "\nstorage: {etcdQuota: " + quota + "}"
		return s.plan(t)
	}
	few, many := with(1000, "8G"), with(800_000, "8G")
	for _, p := range []*v1alpha1.Plan{few, many} {
		number(t, p, "control.etcd.disk", 20e9)
		number(t, p, "control.etcd.total", 2*figure(t, p, "control.etcd.inUse").Value.Number)
		if got := gauge(t, p, "etcdInUse").Limit.Number; got != 8e9 {
			t.Errorf("the database can grow up to 8 GB, the plan says %v", got)
		}
	}
	if a, b := figure(t, few, "control.etcd.inUse").Value.Number,
		figure(t, many, "control.etcd.inUse").Value.Number; a >= b {
		t.Errorf("799,000 more secrets make %v of %v", b, a)
	}
	expectFinding(t, few, v1alpha1.Warning, "control.etcd.defragment", false)
	expectFinding(t, with(1000, "300M"), v1alpha1.Warning, "control.etcd.defragment", true)
	for _, p := range []*v1alpha1.Plan{few, with(1000, "100M")} { // less than is in use: no writes
		if used := gauge(t, p, "etcdInUse").Share; p.Verdict.Fits != (used <= 1) {
			t.Errorf("%v of the quota is in use, and fits is %v", used, p.Verdict.Fits)
		}
	}
	roundTrip(t, few)
}

// roundTrip wants the document's 50 ms and its query in the plan.
func roundTrip(t *testing.T, few *v1alpha1.Plan) {
	t.Helper()
	i := slices.IndexFunc(few.Findings, func(f v1alpha1.Finding) bool { return f.ID == "control.etcd.watch" })
	if i < 0 || !strings.Contains(few.Findings[i].Message, "50 ms") ||
		!strings.Contains(few.Findings[i].Remedy,
			"histogram_quantile(0.99, rate(etcd_network_peer_round_trip_time_seconds_bucket[2m]))") {
		t.Errorf("no word of the peers' round trip in %v", few.Findings)
	}
}

// P5, OCP 3.1: no more than 25 to 50 machines at once, over all zones.
func TestDocumentGrowth(t *testing.T) {
	for _, c := range []struct{ machines, batch, zones, steps int }{
		{1, 25, 1, 1}, {25, 25, 3, 1}, {26, 25, 3, 2}, {110, 25, 3, 5}, {110, 50, 3, 3}, {20, 25, 7, 1}, {101, 50, 7, 3},
	} {
		p := onePodANode(c.machines, fmt.Sprintf("zones: %d, batchSize: %d", c.zones, c.batch)).plan(t)
		number(t, p, "grow.steps[worker]", float64(c.steps))
		growsEvenly(t, p, "worker", c.machines, c.batch, c.zones)
	}
}

// growsEvenly follows the steps of a pool: none too large, no two zones more than one apart.
func growsEvenly(t *testing.T, p *v1alpha1.Plan, pool string, machines, batch, zones int) {
	t.Helper()
	have := make([]int, zones)
	for _, step := range p.Decisions.Growth {
		if step.Pool != pool {
			continue
		}
		added, total := 0, 0
		for z, n := range step.Add {
			have[z] += n
			added += n
			total += have[z]
		}
		if added > batch || total != step.Total || !slices.Equal(have, step.Replicas) ||
			slices.Max(have)-slices.Min(have) > 1 {
			t.Errorf("%d machines over %d zones, %d at once: step %+v after which zones have %v", machines, zones, batch,
				step, have)
		}
	}
	if got := sumOf(have); got != machines {
		t.Errorf("the steps lead to %d machines, not %d", got, machines)
	}
}

func sumOf(numbers []int) int {
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// P5: 50 at once is the most that the document advises.
func TestDocumentBatchLimit(t *testing.T) {
	for batch, tooMany := range map[int]bool{24: false, 25: false, 50: false, 51: true} {
		p := onePodANode(110, fmt.Sprintf("batchSize: %d", batch)).plan(t)
		expectFinding(t, p, v1alpha1.Warning, "grow.batch.large", tooMany)
		if g := gauge(t, p, "batchSize"); g.Limit.Number != 50 || g.Value.Number != float64(batch) {
			t.Errorf("%d at once: the gauge is %v of %v", batch, g.Value.Number, g.Limit.Number)
		}
	}
}

// P6, OCP 2.2: one node at a time; three workers take 10 to 15 minutes.
func TestDocumentRollout(t *testing.T) {
	const minute = 60
	for _, c := range []struct {
		workers        int
		maxUnavailable string
		atOnce         float64
	}{
		{3, "1", 1}, {25, "1", 1}, {25, "5", 5}, {25, "10%", 2}, {25, "30%", 7}, {25, "3%", 1}, {25, "100%", 25},
		{25, "40", 25}, {110, "10%", 11},
	} {
		p := onePodANode(c.workers, fmt.Sprintf("maxUnavailable: %q", c.maxUnavailable)).plan(t)
		groups := math.Ceil(float64(c.workers) / c.atOnce)
		number(t, p, "grow.rollout.atOnce[worker]", c.atOnce)
		number(t, p, "grow.rollout.waves[worker]", groups)
		number(t, p, "grow.rollout.min[worker]", groups*10*minute/3)
		number(t, p, "grow.rollout.max[worker]", groups*15*minute/3)
		number(t, p, "grow.rollout.left[worker]", 100*(1-c.atOnce/float64(c.workers)))
	}
	p := onePodANode(3, "maxUnavailable: 1").plan(t)
	stated(t, p, map[string]string{"grow.rollout.min[worker]": "10 min", "grow.rollout.max[worker]": "15 min"})
}

// P6: a setting that never lets a node go is refused, and one's own time counts.
func TestDocumentRolloutSettings(t *testing.T) {
	for _, bad := range []string{"0", "0%", "101%", "many"} {
		if got := refusal(t, onePodANode(3, fmt.Sprintf("maxUnavailable: %q", bad))); !strings.Contains(got,
			"maxUnavailable") {
			t.Errorf("%s: got %q", bad, got)
		}
	}
	p := onePodANode(20, "rolloutPerNode: 7m, maxUnavailable: 2").plan(t)
	stated(t, p, map[string]string{"grow.rollout.min[worker]": "1 h 10 min", "grow.rollout.max[worker]": "1 h 10 min"})
}

// table81 is OCP table 8.1.
var table81 = []struct {
	nodes, pods                  int
	day, fifteenDays, ram, chunk float64 // GB, GB, GB, MB
}{{50, 1800, 6.3, 94, 6, 16}, {100, 3600, 13, 195, 10, 26}, {150, 5400, 19, 283, 12, 36}, {200, 7200, 25, 375, 14, 46}}

// monitored is a cluster of so many nodes in all with so many pods; three are
// control plane nodes, three infrastructure nodes.
func monitored(nodes, pods int, monitoring string) small {
	workers := nodes - 6
	return small{
		Node: "cpus: 64, memory: 512G",
		Pods: fmt.Sprintf("{name: a, replicas: %d, cpu: 60, memory: 1G, maxPerNode: 1}, {name: "+
			"b, replicas: %d, cpu: 1m, memory: 1M}", workers, pods-workers),
		Rest: "policy: {spareNodes: 0}\nmonitoring: {" + monitoring + "}",
	}
}

// P7, OCP 8.1: the four rows of the table are met exactly.
func TestDocumentPrometheus(t *testing.T) {
	for _, row := range table81 {
		p := monitored(row.nodes, row.pods, "retention: 15d").plan(t)
		number(t, p, "nodes.all", float64(row.nodes))
		prometheus(t, p, row.day, row.fifteenDays, row.ram, row.chunk)
		number(t, p, "monitoring.volume", row.fifteenDays*1e9)
		number(t, p, "monitoring.cpu", float64(row.nodes)/50*1000)
		expectFinding(t, p, v1alpha1.Warning, "monitoring.extrapolated.above", false)
		expectFinding(t, p, v1alpha1.Info, "monitoring.extrapolated.below", false)
		if got := p.Decisions.Monitoring.PrometheusSize; float64(got) < row.fifteenDays*1e9 ||
			float64(got) > row.fifteenDays*1.02e9 {
			t.Errorf("%d nodes: a volume of %d for %v GB", row.nodes, got, row.fifteenDays)
		}
	}
}

func prometheus(t *testing.T, p *v1alpha1.Plan, day, fifteenDays, ram, chunk float64) {
	t.Helper()
	number(t, p, "monitoring.storagePerDay", day*1e9)
	number(t, p, "monitoring.storagePer15Days", fifteenDays*1e9)
	number(t, p, "monitoring.ram", ram*1e9)
	number(t, p, "monitoring.networkPerChunk", chunk*1e6)
}

// P7: between the rows a straight line, beyond the last a prolonged one that says so.
func TestDocumentPrometheusBetweenAndBeyond(t *testing.T) {
	for i := range len(table81) - 1 {
		a, b := table81[i], table81[i+1]
		p := monitored((a.nodes+b.nodes)/2, (a.pods+b.pods)/2, "").plan(t)
		prometheus(t, p, (a.day+b.day)/2, (a.fifteenDays+b.fifteenDays)/2, (a.ram+b.ram)/2, (a.chunk+b.chunk)/2)
	}
	prometheus(t, monitored(250, 9000, "").plan(t), 31, 467, 16, 56)
	for nodes, beyond := range map[int]bool{199: false, 200: false, 201: true, 250: true} {
		expectFinding(t, monitored(nodes, 36*nodes, "").plan(t), v1alpha1.Warning, "monitoring.extrapolated.above", beyond)
	}
	for nodes, below := range map[int]bool{49: true, 50: false} {
		expectFinding(t, monitored(nodes, 36*nodes, "").plan(t), v1alpha1.Info, "monitoring.extrapolated.below", below)
	}
	// More pods than the table's 36 a node: the pods choose the row.
	prometheus(t, monitored(50, 3600, "").plan(t), 13, 195, 10, 26)
}

// P7, OCP 8.2: any retention, three infrastructure nodes.
func TestDocumentRetention(t *testing.T) {
	for retention, volume := range map[string]float64{"15d": 195, "30d": 390, "90d": 1170, "1d": 13, "360h": 195} {
		p := monitored(100, 3600, "retention: "+retention).plan(t)
		number(t, p, "monitoring.volume", volume*1e9)
		number(t, p, "monitoring.ram", 10e9)
		number(t, p, "infra.nodes", 3)
	}
	want := float64(2*(182<<30) + 3*(20<<30)) // two replicas of 195 GB, Alertmanagers of 20Gi
	number(t, monitored(100, 3600, "").plan(t), "monitoring.storage", want)
}
