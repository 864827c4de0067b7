// Package openshift has an API server serve the kinds of OpenShift: the definitions of
// github.com/openshift/api where there are such, with their validation, and permissive
// stand-ins for the kinds that OpenShift's own API servers serve. Nothing acts on them.
//
// It serves no project.openshift.io: in the laboratory a project is a namespace, and a
// second truth beside it would mislead.
//
//	err := openshift.Install(ctx, config)
package openshift

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

//go:generate go run ./gen

//go:embed crds
var manifests embed.FS

// standIns are kinds without a definition in the module: those of OpenShift's aggregated
// API servers, and of the tuning operator.
var standIns = []struct{ group, version, kind, plural string }{
	{"apps.openshift.io", "v1", "DeploymentConfig", "deploymentconfigs"},
	{"build.openshift.io", "v1", "Build", "builds"},
	{"build.openshift.io", "v1", "BuildConfig", "buildconfigs"},
	{"image.openshift.io", "v1", "ImageStream", "imagestreams"},
	{"template.openshift.io", "v1", "Template", "templates"},
	{"tuned.openshift.io", "v1", "Profile", "profiles"},
	{"tuned.openshift.io", "v1", "Tuned", "tuneds"},
}

// Definitions are all kinds that are served.
func Definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := manifests.ReadDir("crds")
	if err != nil {
		return nil, err
	}
	var out []*apiextensionsv1.CustomResourceDefinition
	for _, f := range files {
		text, err := manifests.ReadFile("crds/" + f.Name())
		if err != nil {
			return nil, err
		}
		d := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, d); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		out = append(out, d)
	}
	for _, s := range standIns {
		out = append(out, standIn(s.group, s.version, s.kind, s.plural))
	}
	return out, nil
}

// standIn is a definition that takes any field.
func standIn(group, version, kind, plural string) *apiextensionsv1.CustomResourceDefinition {
	preserve, status := true, &apiextensionsv1.CustomResourceSubresourceStatus{}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group, Annotations: map[string]string{
			// Names below openshift.io are free, those below k8s.io would need an approval.
			"plimsoll.dev/stand-in": "takes any field; nothing acts on it"}},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{Group: group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, ListKind: kind + "List", Plural: plural,
				Singular: strings.ToLower(kind)},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: status},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &preserve}}}}},
	}
}

// Install has the API server serve all of them, and returns when it does. Those that are
// there already stay.
func Install(ctx context.Context, config *rest.Config) error {
	// Definitions are JSON: their schemas are not worth the protobuf.
	c := rest.CopyConfig(config)
	c.ContentType, c.AcceptContentTypes = "application/json", ""
	client, err := clientset.NewForConfig(c)
	if err != nil {
		return err
	}
	all, err := Definitions()
	if err != nil {
		return err
	}
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	for _, d := range all {
		if _, err := crds.Create(ctx, d, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	for _, d := range all {
		for {
			now, err := crds.Get(ctx, d.Name, metav1.GetOptions{})
			if err != nil {
				return fmt.Errorf("%s: %w", d.Name, err)
			}
			if established(now) {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s was not established: %w", d.Name, ctx.Err())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return warm(ctx, client.ApiextensionsV1().RESTClient(), all)
}

// warm asks for one object of each kind, without making it: the server takes two seconds for the first
// object of any custom kind, which would be measured as if it were the load's.
func warm(ctx context.Context, client rest.Interface, all []*apiextensionsv1.CustomResourceDefinition) error {
	var asked sync.WaitGroup
	for _, d := range all {
		path := "/apis/" + d.Spec.Group + "/" + d.Spec.Versions[0].Name
		if d.Spec.Scope == apiextensionsv1.NamespaceScoped {
			path += "/namespaces/" + metav1.NamespaceDefault
		}
		body := fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "warm"}}`,
			d.Spec.Group+"/"+d.Spec.Versions[0].Name, d.Spec.Names.Kind)
		asked.Go(func() { // whether it would be valid does not matter
			_ = client.Post().AbsPath(path, d.Spec.Names.Plural).Param("dryRun", metav1.DryRunAll).
				SetHeader("Content-Type", "application/json").Body([]byte(body)).Do(ctx).Error()
		})
	}
	asked.Wait()
	return ctx.Err()
}

func established(d *apiextensionsv1.CustomResourceDefinition) bool {
	for _, c := range d.Status.Conditions {
		if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
			return true
		}
	}
	return false
}
