package release

import "testing"

func TestBehaviour(t *testing.T) {
	b := Behaviour[bool]{ID: "a.b", Steps: []Step[bool]{{From: V45, Value: true}}}
	if b.In(V44) || !b.In(V45) || !b.In(Newest) || !b.In(Current) {
		t.Errorf("since 4.5: %v", b.Steps)
	}
	b.Steps = []Step[bool]{{From: 1, Value: true}, {From: 11, Value: false}}
	if !b.In(1) || !b.In(10) || b.In(11) || b.In(Current) {
		t.Errorf("up to 4.10: %v", b.Steps)
	}
	if (&Behaviour[int]{Steps: []Step[int]{{From: 4, Value: 7}}}).In(V43) != 0 {
		t.Error("before the first step it is not the zero value")
	}
}

func TestRow(t *testing.T) {
	owner := Behaviour[string]{ID: "a.owner",
		Steps: []Step[string]{{From: 1, Value: "MachineSet"}, {From: 5, Value: "any controller"}}}
	for _, c := range []struct {
		row  Row
		want string
	}{
		{owner.Row(), "MachineSet; any controller since 4.5"},
		{(&Behaviour[bool]{Steps: []Step[bool]{{From: V45, Value: true}}}).Row(), "since 4.5"},
		{(&Behaviour[bool]{Steps: []Step[bool]{{From: 7, Value: true}, {From: 11, Value: false}}}).Row(), "4.7 to 4.10"},
		{(&Behaviour[bool]{Steps: []Step[bool]{{From: 1, Value: true}, {From: 4, Value: false}}}).Row(), "until 4.3"},
		{(&Behaviour[bool]{Steps: []Step[bool]{{From: 6, Seen: 19, Value: true}}}).Row(), "since 4.6–4.19"},
		{(&Behaviour[bool]{Steps: []Step[bool]{{From: 4, Value: true}, {From: 6, Seen: 19}}}).Row(), "4.4 to 4.5–4.18"},
		{(&Behaviour[int]{Steps: []Step[int]{{From: 1, Value: 20}, {From: 6, Seen: 19, Value: 5}}}).Row(),
			"20; 5 since 4.6–4.19"},
		{(&Behaviour[bool]{Steps: []Step[bool]{{From: 5, Value: true}, {From: 6, Seen: 19}}}).Row(), "4.5 to 4.5–4.18"},
		{(&Behaviour[bool]{Steps: []Step[bool]{{From: 5, Value: true}, {From: 6}}}).Row(), "4.5"},
		{(&Behaviour[bool]{Steps: []Step[bool]{{From: 1, Value: true}}}).Row(), "always"},
		{(&Behaviour[bool]{}).Row(), "never"},
		{(&Behaviour[bool]{
			Steps: []Step[bool]{{From: 3, Value: true}, {From: 5, Value: false}, {From: 7, Value: true}},
		}).Row(), "4.3 to 4.4, since 4.7"},
	} {
		if got := c.row.Values(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := owner.Row().In(Current); got != "any controller" {
		t.Errorf("today: %q", got)
	}
}
