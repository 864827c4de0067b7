package health

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
)

// templateSuffix is what the kind of a template has after that of the request (machine-api-operator,
// pkg/util/external/util.go).
const templateSuffix = "Template"

// template is what a check names.
type template struct {
	name      string
	of, makes schema.GroupVersionKind
}

// templateOf a check; nil where it has none.
func templateOf(check *openshift.MachineHealthCheck) (*template, error) {
	ref := check.Spec.RemediationTemplate
	if len(ref) == 0 {
		return nil, nil
	}
	text := func(key string) string { s, _ := ref[key].(string); return s }
	of := schema.FromAPIVersionAndKind(text("apiVersion"), text("kind"))
	t := &template{name: text("name"), of: of, makes: of}
	t.makes.Kind = strings.TrimSuffix(of.Kind, templateSuffix)
	if t.makes.Kind == of.Kind || t.makes.Kind == "" {
		return nil, fmt.Errorf("remediationTemplate of kind %q: the kind of a template ends in %s", of.Kind, templateSuffix)
	}
	if t.makes.GroupKind() == machineKind.GroupKind() { // each healthy one would be a request to withdraw
		return nil, fmt.Errorf("remediationTemplate of kind %q makes machines, and no requests", of.Kind)
	}
	return t, nil
}

// requests that are there, asked of the server: they are few, and their kind need not be one that is watched.
func (k *kube) requests(ctx context.Context, check *openshift.MachineHealthCheck) (map[string]Ref, error) {
	t, err := templateOf(check)
	if err != nil || t == nil {
		return nil, err
	}
	list := cluster.List(t.makes)
	if err := k.live.List(ctx, list, client.InNamespace(check.Metadata.Namespace)); err != nil {
		return nil, err
	}
	out := map[string]Ref{}
	for i := range list.Items {
		out[list.Items[i].GetName()] = cluster.RefOf(&list.Items[i])
	}
	return out, nil
}

// errTemplate says that the template of a check is missing, or can't be read, or is none.
var errTemplate = errors.New("remediationTemplate:")

// Request makes an object of a machine's name, by the spec.template of the template.
func (k *kube) Request(ctx context.Context, check *openshift.MachineHealthCheck, m Ref) error {
	t, err := templateOf(check)
	if err != nil {
		return err
	}
	if t.name == "" || len(path.IsValidPathSegmentName(t.name)) > 0 { // it does not matter for what was made before
		return fmt.Errorf("%w %s has the name %q: no object has such a one", errTemplate, t.of.Kind, t.name)
	}
	from := cluster.Object(t.of, m.Namespace, t.name)
	err = k.live.Get(ctx, client.ObjectKeyFromObject(from), from)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || meta.IsNoMatchError(err) {
		return fmt.Errorf("%w %s %s: %w", errTemplate, t.of.Kind, t.name, err)
	}
	if err != nil {
		return err
	}
	inner, found, err := unstructured.NestedMap(from.Object, "spec", "template")
	if err != nil || !found {
		return fmt.Errorf("%w %s %s has no spec.template", errTemplate, t.of.Kind, t.name)
	}
	to := &unstructured.Unstructured{Object: map[string]any{"spec": inner["spec"]}}
	to.SetGroupVersionKind(t.makes)
	to.SetNamespace(m.Namespace)
	to.SetName(m.Name)
	labels, _, _ := unstructured.NestedStringMap(inner, "metadata", "labels")
	to.SetLabels(labels)
	notes, _, _ := unstructured.NestedStringMap(inner, "metadata", "annotations")
	if notes == nil {
		notes = map[string]string{}
	}
	notes["machine.openshift.io/cloned-from-name"] = t.name
	notes["machine.openshift.io/cloned-from-groupkind"] = t.of.GroupKind().String()
	to.SetAnnotations(notes)
	to.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: machineKind.GroupVersion().String(), Kind: machineKind.Kind,
		Name: m.Name, UID: types.UID(m.UID)}})
	return cluster.Changed(k.Create(ctx, to))
}

// Withdraw deletes a request, if it is the one that was read; who remediates may have done so.
func (k *kube) Withdraw(ctx context.Context, check *openshift.MachineHealthCheck, request Ref) error {
	t, err := templateOf(check)
	if err != nil {
		return err
	}
	uid := types.UID(request.UID)
	return cluster.Changed(client.IgnoreNotFound(k.Client.Delete(ctx,
		cluster.Object(t.makes, request.Namespace, request.Name), client.Preconditions(metav1.Preconditions{UID: &uid}))))
}
