package controlplane

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// sizeTable shows the published sizes with the chosen one marked.
func (c *planner) sizeTable(rows []Row, at int) {
	t := c.Table("control.sizes", "Published sizes of control plane nodes",
		part.Right("Workers up to"), part.Right("Namespaces of the test"), part.Right("Cores"), part.Right("Memory"))
	t.Wide = true
	for i, r := range rows {
		cells := []v1alpha1.Cell{part.Bare(r.Workers), part.Text("-"), part.Num(r.Cores), part.Num(r.Memory)}
		if r.Namespaces.Number > 0 {
			cells[1] = part.Bare(r.Namespaces)
		}
		if i == at && !c.res.Beyond {
			for j := range cells {
				cells[j].Mark = "good"
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, r := range rows {
		for _, note := range c.conditions(r) {
			if !slices.Contains(t.Notes, note) {
				t.Notes = append(t.Notes, note)
			}
		}
	}
	if source := rows[at].Workers.From.Source; source != nil {
		t.Notes = append(t.Notes, "Source: "+source.String()+". Between the rows the next larger one is taken.")
	}
}

// etcdTable shows what the estimate is made of, in the order of the list.
func (c *planner) etcdTable(list []stored, live derive.Value) {
	t := c.Table("control.etcd", "What etcd stores, estimated",
		part.Left("Objects"), part.Right("Number"), part.Right("Bytes of each"), part.Right("Together"), part.Right("Share"))
	t.Wide = true
	line := func(title string, number, each v1alpha1.Cell, bytes derive.Value) {
		share := derive.Of(100*bytes.Number/live.Number, unit.Percent)
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(title), number, each, part.Num(bytes), part.Num(share)})
	}
	fig, _ := c.Get("control.etcd.live")
	line("The platform's own", part.Text("-"), part.Text("-"), fig.Inputs[0].Value)
	for _, s := range list {
		size := c.Fact("etcd.object.size/" + s.kind)
		line(s.title, part.Bare(s.count), part.Bare(size), s.bytes)
	}
	t.Notes = append(t.Notes, "Sizes are assumptions: protobuf encodings of realistic objects, rounded up. "+
		"History and free space come on top.")
}
