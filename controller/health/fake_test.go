package health

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/tune/health"
)

// fake is a cluster in memory. What is cached is the world as it was when it was watched last.
type fake struct {
	World
	cached  *World
	deleted []string
	marked  []string
	events  []said
	status  []Status
	denies  string // a machine about which all is refused
	hangs   string // a machine about which nothing is answered
	// fails is asked before each call; looks counts those of the live world.
	fails func(call string) error
	looks int
}

type said struct {
	machine string
	name    health.EventName
	note    string
}

func (f *fake) failing(call string) error {
	if f.fails == nil {
		return nil
	}
	return f.fails(call)
}

// copied is a world that later changes leave alone.
func copied(w World) World {
	w.Machines = slices.Clone(w.Machines)
	for i := range w.Machines {
		w.Machines[i].Annotations = maps.Clone(w.Machines[i].Annotations)
	}
	w.Requests = maps.Clone(w.Requests)
	nodes := map[string]*health.Node{}
	for name, n := range w.Nodes {
		one := *n
		one.Conditions = slices.Clone(n.Conditions)
		nodes[name] = &one
	}
	w.Nodes = nodes
	return w
}

func (f *fake) Cached(context.Context, Ref) (World, error) {
	if err := f.failing("cached"); err != nil {
		return World{}, err
	}
	if f.cached != nil {
		return copied(*f.cached), nil
	}
	w := copied(f.World)
	w.Leases, w.Leads = nil, false
	return w, nil
}

func (f *fake) Live(context.Context, Ref) (World, error) {
	f.looks++
	if err := f.failing("live"); err != nil {
		return World{}, err
	}
	return copied(f.World), nil
}

func (f *fake) Node(_ context.Context, name string) (*health.Node, error) {
	if err := f.failing("node"); err != nil {
		return nil, err
	}
	return f.Nodes[name], nil
}

func (f *fake) find(m Ref) (int, error) {
	i := slices.IndexFunc(f.Machines, func(o Machine) bool { return o.Name == m.Name })
	if i < 0 || f.Machines[i].Ref != m {
		return -1, cluster.ErrChanged
	}
	return i, nil
}

// answer about a machine.
func (f *fake) answer(ctx context.Context, call, machine string) error {
	if err := f.failing(call + " " + machine); err != nil {
		return err
	}
	if machine == f.hangs {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second): // which was too long
			f.hangs = ""
		}
	}
	if machine == f.denies {
		return fmt.Errorf("%w: a webhook says no", cluster.ErrRefused)
	}
	return nil
}

func (f *fake) Delete(ctx context.Context, m Ref) error {
	if err := f.answer(ctx, "delete", m.Name); err != nil {
		return err
	}
	i, err := f.find(m)
	if err == nil {
		f.Machines = slices.Delete(f.Machines, i, i+1)
		f.deleted = append(f.deleted, m.Name)
	}
	return err
}

func (f *fake) Annotate(_ context.Context, m Ref, key string) error {
	i, err := f.find(m)
	if err == nil {
		f.Machines[i].Annotations = map[string]string{key: ""}
		f.marked = append(f.marked, m.Name)
	}
	return err
}

func (f *fake) Request(ctx context.Context, _ *openshift.MachineHealthCheck, m Ref) error {
	if err := f.answer(ctx, "request", m.Name); err != nil {
		return err
	}
	_, err := f.find(m)
	if err == nil {
		if f.Requests == nil {
			f.Requests = map[string]Ref{}
		}
		f.Requests[m.Name] = Ref{Name: m.Name}
	}
	return err
}

func (f *fake) Withdraw(ctx context.Context, _ *openshift.MachineHealthCheck, request Ref) error {
	err := f.answer(ctx, "withdraw", request.Name)
	if err == nil {
		delete(f.Requests, request.Name)
	}
	return err
}

func (f *fake) Tell(_ context.Context, _ Ref, s Status) error {
	f.status = append(f.status, s)
	return f.failing("tell")
}

func (f *fake) Event(_ Ref, machine *Ref, name health.EventName, note string) {
	e := said{"", name, note}
	if machine != nil {
		e.machine = machine.Name
	}
	f.events = append(f.events, e)
}

var errDown = errors.New("the server is away")

// check of all machines, of which so many may be unhealthy.
func check(most any) *openshift.MachineHealthCheck {
	return &openshift.MachineHealthCheck{Metadata: openshift.ObjectMeta{Namespace: "m", Name: "workers"},
		Spec: openshift.MachineHealthCheckSpec{MaxUnhealthy: most, UnhealthyConditions: []openshift.UnhealthyCondition{
			{Type: "Ready", Status: "Unknown", Timeout: "300s"}, {Type: "Ready", Status: "False", Timeout: "300s"}}}}
}

var begin = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
