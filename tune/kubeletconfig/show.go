package kubeletconfig

import (
	"encoding/json"
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/cell"
)

// sentence says in a few words what a pool gets.
func (r PoolResult) sentence(o Options) string {
	if r.Wins == "" {
		return fmt.Sprintf("pool %s keeps the template", r.Pool)
	}
	var words []string
	for _, c := range r.Changes {
		words = append(words, fmt.Sprintf("%s %s -> %s", c.Field, text(c.Template), text(c.Now)))
	}
	if len(words) > 4 {
		words = append(words[:4], fmt.Sprintf("%d more", len(words)-4))
	}
	for _, f := range r.Files {
		words = append(words, f.Path+" is written")
	}
	if len(words) == 0 {
		words = append(words, "kubelet.conf stays the same")
	}
	return fmt.Sprintf("pool %s gets %s (%s)%s", r.Pool, r.Wins, strings.Join(words, ", "), r.podsWords(o))
}

func (r PoolResult) podsWords(o Options) string {
	switch {
	case r.Pods == 0:
		return ", and the pods on a node depend on its cores"
	case o.Cores > 0:
		return fmt.Sprintf(": a node of %d cores takes %d pods", o.Cores, r.Pods)
	}
	return fmt.Sprintf(": a node takes %d pods", r.Pods)
}

// part shows a pool to people.
func (r PoolResult) part() v1alpha1.Part {
	p := v1alpha1.Part{Title: "Pool " + r.Pool}
	if r.Wins == "" {
		p.Lead = append(p.Lead, "No KubeletConfig counts for this pool: its nodes keep the template's kubelet.conf.")
	} else {
		p.Lead = append(p.Lead, fmt.Sprintf("KubeletConfig %s counts, by MachineConfig %s. Its nodes are drained and "+
			"rebooted one after the other, as many at once as maxUnavailable of the pool says.", r.Wins, r.MachineConfig),
			"Taking the label off the pool leaves that MachineConfig in place; deleting the KubeletConfig removes it.")
	}
	if len(r.Lose) > 0 {
		p.Tables = append(p.Tables, r.loseTable())
	}
	if len(r.Changes) > 0 {
		p.Tables = append(p.Tables, r.changeTable())
	}
	if r.Diff != "" {
		p.Texts = append(p.Texts, v1alpha1.Text{Title: "/etc/kubernetes/kubelet.conf, compared with the template",
			Language: "diff", Body: r.Diff})
	}
	for _, f := range r.Files {
		p.Texts = append(p.Texts, v1alpha1.Text{Title: f.Path, Language: "ini", Body: f.Text})
	}
	return p
}

func (r PoolResult) loseTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "kubelet.lose." + r.Pool, Title: "KubeletConfigs that have no effect here",
		Columns: cell.Columns("KubeletConfig", "MachineConfig", "Lost")}
	for _, l := range r.Lose {
		mc := v1alpha1.Cell{Text: l.MachineConfig}
		if l.Refused {
			mc = v1alpha1.Cell{Text: "none: refused", Mark: "bad"}
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{{Text: l.Name}, mc, {Text: l.Lost, Mark: "warn"}})
	}
	return t
}

func (r PoolResult) changeTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "kubelet.changes." + r.Pool, Title: "Fields that differ from the template",
		Columns: cell.Columns("Field", "Template", "Now")}
	for _, c := range r.Changes {
		t.Rows = append(t.Rows, cell.Texts(c.Field, text(c.Template), text(c.Now)))
	}
	return t
}

// text writes a value of JSON on a line.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "not set"
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
