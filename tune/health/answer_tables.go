package health

import (
	"cmp"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/cell"
)

// isStep says whether an entry is a step of a machine's life.
func (e Entry) isStep() bool {
	return e.Name == Created || e.Name == Joined || e.Name == Drained || e.Name == Gone
}

// together joins entries that differ in the machine only, and follow each other.
func together(log []Entry, take func(Entry) bool, row func(e Entry, machines string)) {
	var names []string
	var last Entry
	flush := func() {
		if len(names) > 0 {
			row(last, fold(names))
		}
		names = nil
	}
	for _, e := range log {
		if !take(e) {
			continue
		}
		like := e
		like.Machine = last.Machine
		if len(names) == 0 || like != last {
			flush()
		}
		last = e
		names = append(names, e.Machine)
	}
	flush()
}

// eventTable tells what the script and the checks do.
func (s *Simulation) eventTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "events", Columns: cell.Columns("At", "Check", "Machines", "What", "Why")}
	events := emitsEvents.In(s.Release)
	together(s.Log, func(e Entry) bool { return !e.isStep() }, func(e Entry, machines string) {
		what := cmp.Or(e.Text, string(e.Name))
		if e.Text == "" && !e.Event && events {
			what += " (no event)"
		}
		row := cell.Texts(clock(int64(e.At)), e.Check, machines, what, e.Why)
		row[3].Mark = eventMarks[e.Name]
		t.Rows = append(t.Rows, row)
	})
	t.Notes = []string{
		"The operator of this release emits no events: the names are those that later releases give to what it does.",
	}
	if events {
		t.Notes = []string{
			"An event is told when it is emitted first; the operator emits it again at each pass while it holds.",
		}
	}
	return t
}

// stepTable tells what becomes of machines.
func (s *Simulation) stepTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "steps", Columns: cell.Columns("At", "Machines", "What")}
	together(s.Log, Entry.isStep, func(e Entry, machines string) {
		t.Rows = append(t.Rows, cell.Texts(clock(int64(e.At)), machines, string(e.Name)))
	})
	return t
}

// leftTable tells which machines were due and not deleted, and why not.
func (s *Simulation) leftTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "notRemediated",
		Columns: cell.Columns("Check", "Machines", "Due at", "Because", "What keeps it", "How it ends")}
	var names []string
	for i, u := range s.Left {
		names = append(names, u.Machine)
		if i+1 < len(s.Left) && u.like(s.Left[i+1]) {
			continue
		}
		t.Rows = append(t.Rows, cell.Texts(u.Check, fold(names), clock(int64(u.Since)), u.Why, u.Kept,
			cmp.Or(u.Ended, "it does not")))
		names = nil
	}
	return t
}

// like says whether another machine fared the same.
func (u Unremedied) like(o Unremedied) bool {
	return u.Check == o.Check && u.Since == o.Since && u.Why == o.Why && u.Kept == o.Kept && u.Ended == o.Ended
}

// statusTable tells the counts of the checks over time.
func (s *Simulation) statusTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "status", Columns: cell.Columns("Check", "At", "MaxUnhealthy", "ExpectedMachines",
		"CurrentHealthy", "Unhealthy", "Allowed", "Remediation")}
	for i := 3; i <= 6; i++ {
		t.Columns[i].Right = true
	}
	for _, c := range s.Checks {
		for _, st := range c.Status {
			state := "allowed"
			switch {
			case st.Paused:
				state = "paused"
			case st.Error != "":
				state = st.Error
			case st.Restricted:
				state = "restricted"
			}
			t.Rows = append(t.Rows, cell.Texts(c.Name, clock(int64(st.At)), c.MaxUnhealthy, strconv.Itoa(st.Expected),
				strconv.Itoa(st.Healthy), strconv.Itoa(st.Unhealthy), strconv.Itoa(max(0, st.Max)), state))
		}
	}
	return t
}

// expectationTable tells which expectations hold.
func (s *Simulation) expectationTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "expectations", Columns: cell.Columns("Line", "Expectation", "Holds", "Instead")}
	t.Columns[0].Right = true
	for _, x := range s.Expectations {
		row := cell.Texts(strconv.Itoa(x.Line), x.Text, "yes", x.Got)
		row[2].Mark = "good"
		if !x.OK {
			row[2].Text, row[2].Mark = "no", "bad"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
