package audit

import (
	"fmt"
	"strings"
	"time"

	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// etcdTests are about etcd. Each sees what was measured of it.
var etcdTests = []test{{etcdQuotaUse, etcd(quotaUse)}, {etcdAlarm, alarms},
	{etcdFragmentation, etcd(fragmentation)}, {etcdGrowth, etcd(growth)}, {etcdKeyspace, etcd(keyspace)},
	{etcdPeerRTT, etcd(peerRTT)}, {etcdFsync, etcd(fsync)}, {etcdCommit, etcd(commit)},
	{etcdLeaderChanges, etcd(leaderChanges)}, {etcdNoLeader, etcd(noLeader)}, {etcdMembers, etcd(members)}}

// NoMetrics is why nothing is known of etcd where nobody says where to ask.
const NoMetrics = "no metrics were given (--prometheus URL, --openmetrics FILE)"

// etcd has a rule see what was measured, or say why nothing was.
func etcd(run func(*look, *Etcd)) func(*look) {
	return func(l *look) {
		switch e := l.Etcd; {
		case e == nil && l.elsewhere():
			l.notApplicable(hostedControl)
		case e == nil:
			l.notSeen(NoMetrics)
		case e.Unread != "":
			l.notSeen("%s", e.Unread)
		case len(e.Members) == 0:
			l.notSeen("%s has no metrics of etcd", e.Source)
		case len(e.present()) == 0:
			l.notSeen("%s has no metrics of etcd since %s, and then all members had none: is it scraped, and is the clock "+
				"of this machine right?", e.Source, clock(e.lastSeen()))
		default:
			run(l, e)
			l.asOf(e.At)
		}
	}
}

// elsewhere says that the control plane is none of the cluster's nodes: who gives it away has its metrics.
func (l *look) elsewhere() bool {
	seen, _ := l.state("nodes")
	return seen == OK && len(l.Nodes) > 0 && len(l.members()) == 0
}

// asOf says of what was found when it was so, where that is long ago: a file may be old.
func (l *look) asOf(at time.Time) {
	if at.IsZero() || l.Now.Sub(at) < time.Hour {
		return
	}
	for i := range l.out.Findings {
		f := &l.out.Findings[i]
		f.Message = "as of " + clock(at) + ": " + f.Message
	}
}

// lastSeen is when a member had metrics the last time.
func (e *Etcd) lastSeen() (last time.Time) {
	for _, m := range e.Members {
		if m.Gone != nil && m.Gone.After(last) {
			last = *m.Gone
		}
	}
	return last
}

// present are the members that have metrics now.
func (e *Etcd) present() []*EtcdMember {
	var out []*EtcdMember
	for i := range e.Members {
		if e.Members[i].Gone == nil {
			out = append(out, &e.Members[i])
		}
	}
	return out
}

// expected is how many members there should be, and who says so; 0 where nobody does.
func (l *look) expected() (int, string) {
	if n := len(l.Etcd.Named); n > 0 {
		return n, "its own list of members"
	}
	if l.OpenShift != "" {
		return l.hosts(), "the nodes of the control plane"
	}
	n := 0
	for i := range l.Pods {
		if p := &l.Pods[i]; p.Namespace == "kube-system" && p.Labels["component"] == "etcd" && !p.ended() {
			n++
		}
	}
	return n, "the pods in kube-system"
}

// hosts is how many nodes of OpenShift have a member: those of the control plane, and an arbiter.
func (l *look) hosts() (n int) {
	for i := range l.Nodes {
		if l.Nodes[i].control() || l.Nodes[i].has("arbiter") {
			n++
		}
	}
	return n
}

// unmeasured are members of which nothing is known, as a rule that finds nothing has to say.
func (l *look) unmeasured() []string {
	var out []string
	seen := len(l.Etcd.present())
	want, by := l.expected()
	if seen < want {
		out = append(out, fmt.Sprintf("%d of %s have metrics, by %s", seen, words.Count(want, "member"), by))
	}
	if want > 0 && seen >= want {
		return out // others were members before
	}
	for i := range l.Etcd.Members {
		if m := &l.Etcd.Members[i]; m.Gone != nil {
			out = append(out, fmt.Sprintf("%s has no metrics since %s", m.Name, clock(*m.Gone)))
		}
	}
	return out
}

// unless says that a rule that found nothing has not seen all.
func (l *look) unless(missing []string) {
	if missing = append(missing, l.unmeasured()...); len(missing) > 0 && l.out.State == OK {
		l.notSeen("%s", together(missing))
	}
}

// together names the members once of which the same is missing.
func together(missing []string) string {
	by := map[string][]string{}
	var order []string
	for _, m := range missing {
		who, why, _ := strings.Cut(m, ": ")
		if by[why] == nil {
			order = append(order, why)
		}
		by[why] = append(by[why], who)
	}
	var out []string
	for _, why := range order {
		who := words.Some(by[why], shown)
		if why != "" {
			who += ": " + why
		}
		out = append(out, who)
	}
	return strings.Join(out, "; ")
}

// figures gives each member's value to take, which says why it can't judge it, or nothing. What is not known of which
// member is returned.
func figures(e *Etcd, of func(*EtcdMember) Figure, take func(*EtcdMember, float64) string) (missing []string) {
	for _, m := range e.present() {
		why := of(m).why()
		if v, ok := of(m).known(); ok {
			why = take(m, v)
		}
		if why != "" {
			missing = append(missing, m.Name+": "+why)
		}
	}
	return missing
}

// member is where a finding is, with what is to be said of it alone.
func member(m *EtcdMember, note string, args ...any) where {
	return at("EtcdMember", m.Name, note, args...)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func fact(id string) float64 { return facts.Load().Must(id).Number }

func ofBytes(v float64) string { return unit.FormatDecimal(unit.Bytes(v)) }

// seconds as people say them; latencies below a second in milliseconds.
func ofSeconds(v float64) string {
	if v < 1 {
		return fmt.Sprintf("%.3g ms", 1000*v)
	}
	return fmt.Sprintf("%.3g s", v)
}

// etcdctl is a command for one member, told as it can be given. The environment of OpenShift's pods names all members.
func (l *look) etcdctl(m, what string) string {
	host := m
	if i := strings.LastIndexByte(m, ':'); i > 0 {
		host = strings.Trim(m[:i], "[]")
	}
	if node := l.nodeOf(host); node != "" {
		m = "etcd-" + node
	}
	switch {
	case l.OpenShift != "":
		if !strings.HasPrefix(m, "etcd-") {
			m = "etcd-" + m
		}
		return fmt.Sprintf(`oc -n openshift-etcd rsh %s sh -c "unset ETCDCTL_ENDPOINTS; etcdctl --command-timeout=30s `+
			`--endpoints=https://localhost:2379 %s"`, m, what)
	case strings.HasPrefix(m, "etcd-"): // as kubeadm has it
		return "kubectl -n kube-system exec " + m + " -- etcdctl --command-timeout=30s " +
			"--endpoints=https://127.0.0.1:2379 --cacert=/etc/kubernetes/pki/etcd/ca.crt " +
			"--cert=/etc/kubernetes/pki/etcd/server.crt --key=/etc/kubernetes/pki/etcd/server.key " + what
	case l.Etcd.SinceStart:
		host = "127.0.0.1"
	}
	return "etcdctl --command-timeout=30s --endpoints=https://" + host + ":2379 " + what
}

// nodeOf is the node with an address, or with that name.
func (l *look) nodeOf(host string) string {
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if n.Metadata.Name == host {
			return host
		}
		for _, a := range n.Status.Addresses {
			if a.Address == host {
				return n.Metadata.Name
			}
		}
	}
	return ""
}

// defragment says how to give free space back: it stops a member for as long as it takes, so that one follows the
// other.
func (l *look) defragment() string {
	var first, last []string
	for _, m := range l.Etcd.present() {
		to := &first
		if m.Leads {
			to = &last
		}
		*to = append(*to, m.Name)
	}
	all := append(first, last...)
	if len(all) == 0 {
		all = []string{"MEMBER"}
	}
	return fmt.Sprintf("defragment one member after another, the leader last (%s), and wait a minute between "+
		"them: %s", strings.Join(all, ", "), l.etcdctl(all[0], "defrag"))
}
