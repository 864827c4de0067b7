package load

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// choice is how objects of a kind are made.
type choice struct {
	resource apiserver.Resource
	how      string // native, standIn, converted or skipped
	into     loadmodel.Conversion
}

// The ways to make a kind.
const (
	native    = "native"
	standIn   = "standIn"
	converted = "converted"
	skipped   = "skipped"
)

type kindKey struct{ apiVersion, kind string }

// choose finds for each kind of the work how it is made. The error names all kinds that the server
// does not have.
func (r *run) choose(ctx context.Context) error {
	missing := map[string]bool{}
	seen := map[string]bool{}
	for i := range r.work.Namespaces {
		for _, b := range r.work.Namespaces[i].Batches {
			if seen[b.Field] {
				continue
			}
			seen[b.Field] = true
			objects, err := b.Item(0)
			if err != nil {
				return err
			}
			for _, o := range objects {
				if err := r.chooseKind(ctx, o, missing); err != nil {
					return err
				}
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the API server has no %s (--missing convert makes %s of them, skip leaves them out; "+
			"plimsoll lab up has stand-ins for OpenShift's)", strings.Join(slices.Sorted(maps.Keys(missing)), ", "),
			"Deployments and Ingresses")
	}
	return r.unknownWaits()
}

func (r *run) chooseKind(ctx context.Context, o loadmodel.Object, missing map[string]bool) error {
	key := kindKey{o.APIVersion, o.Kind}
	if _, done := r.choices[key]; done {
		return nil
	}
	found, ok, err := r.discovery.Find(ctx, o.APIVersion, o.Kind)
	if err != nil {
		return err
	}
	if ok {
		how, err := r.standsIn(ctx, found)
		r.choices[key] = choice{resource: found, how: how}
		return err
	}
	if into, can := loadmodel.Convert(o.APIVersion, o.Kind); can && r.opt.Missing == "convert" {
		found, ok, err = r.discovery.Find(ctx, into.APIVersion, into.Kind)
		if err != nil {
			return err
		}
		if ok {
			r.choices[key] = choice{resource: found, how: converted, into: into}
			return nil
		}
	}
	if r.opt.Missing == "skip" || r.opt.Missing == "convert" {
		r.choices[key] = choice{how: skipped}
		return nil
	}
	missing[o.Kind+" of "+o.APIVersion] = true
	return nil
}

// standsIn says whether a kind is OpenShift's own or a custom resource in its place: OpenShift
// serves these groups without one.
func (r *run) standsIn(ctx context.Context, found apiserver.Resource) (string, error) {
	group := found.Group()
	if !strings.HasSuffix(group, ".openshift.io") {
		return native, nil
	}
	definitions := apiserver.Resource{APIVersion: "apiextensions.k8s.io/v1", Name: "customresourcedefinitions"}
	path := definitions.Path("") + "/" + found.Name + "." + group
	_, err := r.client.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: path})
	switch {
	case err == nil && standIns[found.Kind]:
		return standIn, nil
	case err != nil && apiserver.Code(err) != http.StatusNotFound && apiserver.Code(err) != http.StatusForbidden:
		return native, err
	}
	return native, nil
}

// standIns are kinds that OpenShift serves by itself, without a custom resource definition. (Route has
// one on MicroShift, which acts on it.)
var standIns = map[string]bool{"DeploymentConfig": true, "BuildConfig": true, "Build": true, "ImageStream": true,
	"ImageStreamTag": true, "Image": true, "Template": true, "Route": true, "Project": true}

// Resources are those that a run of the work creates objects of. The error is that of Run where the server does not
// have them all.
func Resources(ctx context.Context, c *apiserver.Client, w *loadmodel.Work,
	missing string) ([]apiserver.Resource, error) {
	r := &run{client: c, discovery: c.Discover(), work: w, opt: Options{Missing: missing}, choices: map[kindKey]choice{}}
	if err := r.choose(ctx); err != nil {
		return nil, err
	}
	return r.resources(), nil
}

// resources that objects are created of.
func (r *run) resources() []apiserver.Resource {
	var out []apiserver.Resource
	for _, c := range r.choices {
		if c.how != skipped {
			out = append(out, c.resource)
		}
	}
	return out
}
