package netjobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/engine/netmeter"
	"plimsoll.dev/loadmodel"
)

const (
	// poll is how often the cluster is asked how far it is.
	poll = time.Second
	// cleaning bounds how long the namespace may take to go.
	cleaning = 5 * time.Minute
	// maxLog bounds what is read of a log.
	maxLog = 256 << 20
)

// resources of the objects that a run has.
var resources = map[string]apiserver.Resource{
	"Namespace": {APIVersion: "v1", Kind: "Namespace", Name: "namespaces"},
	"Service":   {APIVersion: "v1", Kind: "Service", Name: "services", Namespaced: true},
	"Job":       {APIVersion: "batch/v1", Kind: "Job", Name: "jobs", Namespaced: true},
	"Pod":       {APIVersion: "v1", Kind: "Pod", Name: "pods", Namespaced: true},
}

// session is one run.
type session struct {
	Options
	client *apiserver.Client
	told   func(what string)
	// made says that there is, or may be, something to take away.
	made bool
}

// Run measures in the cluster, and takes away what it has made, however it ends. Told hears what it waits for.
func Run(ctx context.Context, client *apiserver.Client, o Options, told func(string)) (*network.Run, error) {
	s := &session{Options: o, client: client, told: told}
	run, err := s.measure(ctx)
	if !s.made {
		return nil, err
	}
	after, stop := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer stop()
	if fault := s.clean(after); fault != nil {
		err = errors.Join(err, fmt.Errorf("the namespace %s is left: %w", Namespace(o.RunID), fault))
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}

func (s *session) measure(ctx context.Context) (*network.Run, error) {
	for _, o := range s.server() {
		if err := s.create(ctx, o); err != nil {
			return nil, err
		}
	}
	at, there := s.External, s.External
	if at == "" {
		p, err := s.await(ctx, serverName, func(p *pod) bool { return p.ready() })
		if err != nil {
			return nil, err
		}
		at, there = net.JoinHostPort(p.Status.PodIP, strconv.Itoa(netmeter.Port)), "node "+p.Spec.NodeName
		if s.Service {
			if at, err = s.serviceAddress(ctx); err != nil {
				return nil, err
			}
		}
	}
	if err := s.create(ctx, s.Options.client(at)); err != nil {
		return nil, err
	}
	p, err := s.await(ctx, clientName, func(p *pod) bool { return p.Status.Phase == "Succeeded" })
	if err != nil {
		return nil, err
	}
	run, err := s.result(ctx, p.Metadata.Name)
	if err != nil {
		return nil, err
	}
	run.RunID, run.Place = s.RunID, s.place(p.Spec.NodeName, there)
	return run, nil
}

// place in words.
func (s *session) place(client, server string) string {
	by := "pod network"
	if s.HostNetwork {
		by = "host network"
	}
	if s.Service {
		by += ", through a Service"
	}
	return fmt.Sprintf("a pod of node %s and %s (%s)", client, server, by)
}

func (s *session) create(ctx context.Context, o loadmodel.Object) error {
	body, err := json.Marshal(o.Body)
	if err != nil {
		return err
	}
	namespace := ""
	if resources[o.Kind].Namespaced {
		namespace = Namespace(s.RunID)
	}
	_, err = load.Send(ctx, s.client, resources[o.Kind].Path(namespace), body, func(time.Duration) {},
		func() []byte { return body })
	s.made = s.made || err == nil || apiserver.Code(err) == 0 // nobody knows what became of a call without an answer
	if err != nil {
		return fmt.Errorf("%s %s: %w", o.Kind, o.Name, err)
	}
	return nil
}

// pod of an end, as far as it matters.
type pod struct {
	Metadata struct{ Name string }
	Spec     struct{ NodeName string }
	Status   struct {
		Phase, PodIP string
		Conditions   []struct{ Type, Status string }
	}
}

func (p *pod) ready() bool {
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" && c.Status == "True" {
			return p.Status.PodIP != ""
		}
	}
	return false
}

// await a pod of an end that is as far as it should be. The error says what keeps it.
func (s *session) await(ctx context.Context, end string, far func(*pod) bool) (*pod, error) {
	s.told("the " + end)
	selector := "app.kubernetes.io/component=" + end
	begun := time.Now()
	for {
		list, err := s.pods(ctx, selector)
		if err != nil {
			return nil, err
		}
		runs := false
		for _, p := range list {
			if far(&p) {
				return &p, nil
			}
			runs = runs || p.Status.Phase == "Running"
		}
		over, err := s.over(ctx, end)
		if err != nil {
			return nil, err
		}
		if over != "" || !runs && time.Since(begun) > s.Patience {
			return nil, s.trouble(ctx, end, selector, over)
		}
		if runs {
			begun = time.Now()
		}
		if err := apiserver.Wait(ctx, time.Now().Add(poll)); err != nil {
			return nil, err
		}
	}
}

func (s *session) get(ctx context.Context, path string, query url.Values, into any) error {
	text, err := load.Again(ctx, s.client, apiserver.Request{Method: http.MethodGet, Path: path, Query: query})
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func (s *session) pods(ctx context.Context, selector string) ([]pod, error) {
	var list struct{ Items []pod }
	err := s.get(ctx, resources["Pod"].Path(Namespace(s.RunID)), url.Values{"labelSelector": {selector}}, &list)
	return list.Items, err
}

// over says why a Job has ended without success; empty while it has not.
func (s *session) over(ctx context.Context, end string) (string, error) {
	var job struct {
		Status struct {
			Conditions []struct{ Type, Status, Reason, Message string }
		}
	}
	err := s.get(ctx, resources["Job"].Path(Namespace(s.RunID))+"/"+end, nil, &job)
	for _, c := range job.Status.Conditions {
		if c.Type == "Failed" && c.Status == "True" {
			return fmt.Sprintf("%s (%s)", c.Reason, c.Message), err
		}
	}
	return "", err
}

// trouble says why an end does not run, or what it printed before it ended.
func (s *session) trouble(ctx context.Context, end, selector, over string) error {
	found, pods, err := load.Troubles(ctx, s.client, Namespace(s.RunID), selector)
	switch {
	case err != nil:
		return err
	case len(found) > 0:
		return fmt.Errorf("the %s has trouble: %s (%s)", end, found[0].Reason, found[0].Example)
	case over != "":
		return fmt.Errorf("the %s has ended: %s", end, over)
	case pods == 0:
		return fmt.Errorf("the %s has no pod after %v", end, s.Patience)
	}
	return fmt.Errorf("the %s is not ready after %v", end, s.Patience)
}

// serviceAddress that the Service got.
func (s *session) serviceAddress(ctx context.Context) (string, error) {
	var service struct{ Spec struct{ ClusterIP string } }
	err := s.get(ctx, resources["Service"].Path(Namespace(s.RunID))+"/"+serverName, nil, &service)
	if err == nil && net.ParseIP(service.Spec.ClusterIP) == nil {
		err = errors.New("the Service has no address")
	}
	return net.JoinHostPort(service.Spec.ClusterIP, strconv.Itoa(netmeter.Port)), err
}

// result is what the client printed.
func (s *session) result(ctx context.Context, name string) (*network.Run, error) {
	s.told("the result")
	text, err := load.Again(ctx, s.client, apiserver.Request{Method: http.MethodGet,
		Path: resources["Pod"].Path(Namespace(s.RunID)) + "/" + name + "/log", Accept: "text/plain, */*",
		Query: url.Values{"limitBytes": {strconv.Itoa(maxLog)}}})
	if err != nil {
		return nil, fmt.Errorf("the client's log: %w", err)
	}
	var answer struct {
		Kind   string
		Result *network.Run
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Kind != network.RunKind || answer.Result == nil {
		said := strings.TrimSpace(string(text))
		return nil, fmt.Errorf("the client printed no result: %q", said[:min(len(said), 300)])
	}
	return answer.Result, nil
}

// clean takes the namespace away with all that is in it, and waits until it is gone.
func (s *session) clean(ctx context.Context) error {
	s.told("the clean-up")
	path := resources["Namespace"].Path("") + "/" + Namespace(s.RunID)
	err := load.Delete(ctx, s.client, path, "Foreground")
	for err == nil {
		var there struct{}
		if err = s.get(ctx, path, nil, &there); err == nil {
			err = apiserver.Wait(ctx, time.Now().Add(poll/4))
		}
	}
	if apiserver.Code(err) == http.StatusNotFound {
		return nil
	}
	return err
}
