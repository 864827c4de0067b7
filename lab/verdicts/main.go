// Command verdicts asks a real API server what it makes of objects of kinds that are defined by files: the oracle of
// the main module's package tune/crd. It starts a control plane in the working directory, and creates nothing in it.
//
//	go run ./verdicts DEFINITIONS < cases > verdicts   # KIND-COLUMN.yaml each; cases as lines of JSON
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/lab/plane"
)

// verdict is a case, and what the server says of it: the fields that it refuses, sorted, and those that it drops.
type verdict struct {
	Kind    string          `json:"kind"`
	Column  string          `json:"column"`
	Spec    json.RawMessage `json:"spec,omitempty"`
	Refused []string        `json:"refused,omitempty"`
	Dropped []string        `json:"dropped,omitempty"`
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) != 2 {
		return errors.New("name the directory of the definitions")
	}
	dir, err := filepath.Abs(os.Args[1])
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "verdicts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	if err := os.Chdir(home); err != nil {
		return err
	}
	p, err := plane.Start(ctx, plane.Options{Fast: true})
	if err != nil {
		return err
	}
	return errors.Join(ask(ctx, dir), p.Stop())
}

// ask answers all cases; those of a kind and column stand together.
func ask(ctx context.Context, dir string) error {
	config, err := plane.Client("kubeconfig")
	if err != nil {
		return err
	}
	config.ContentType, config.AcceptContentTypes = "application/json", ""
	w := &warnings{}
	config.WarningHandler = w
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	var now string
	var served *apiextensionsv1.CustomResourceDefinition
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var v verdict
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return err
		}
		if of := v.Kind + "-" + v.Column; of != now {
			if served, err = serve(ctx, client, filepath.Join(dir, of+".yaml")); err != nil {
				return fmt.Errorf("%s: %w", of, err)
			}
			now = of
		}
		w.texts = nil
		if v.Refused, err = create(ctx, client.ApiextensionsV1().RESTClient(), served, v.Spec); err != nil {
			return fmt.Errorf("%s %s: %w", now, v.Spec, err)
		}
		v.Dropped = w.fields()
		if err := out.Encode(v); err != nil {
			return err
		}
	}
	return in.Err()
}

// serve has the server serve a definition, in place of another one of the name.
func serve(ctx context.Context, client *clientset.Clientset, file string) (*apiextensionsv1.CustomResourceDefinition,
	error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, d); err != nil {
		return nil, err
	}
	d.Spec.Conversion = nil // nobody answers its webhook here
	all := client.ApiextensionsV1().CustomResourceDefinitions()
	for {
		err := all.Delete(ctx, d.Name, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			break
		} else if err != nil {
			return nil, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	if _, err := all.Create(ctx, d, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	for range 600 { // until it serves: objects without a kind are refused otherwise than paths that are not there
		_, err := create(ctx, client.ApiextensionsV1().RESTClient(), d, []byte("{}"))
		if err == nil {
			return d, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.New("it is not served")
}

// create asks whether an object could be created, and returns the fields for which it is refused.
func create(ctx context.Context, client rest.Interface, d *apiextensionsv1.CustomResourceDefinition,
	spec json.RawMessage) ([]string, error) {
	stored := slices.IndexFunc(d.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	version := d.Spec.Versions[stored].Name
	object := map[string]any{"apiVersion": d.Spec.Group + "/" + version, "kind": d.Spec.Names.Kind,
		"metadata": map[string]string{"name": "x"}}
	if spec != nil {
		object["spec"] = spec
	}
	body, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	path := "/apis/" + d.Spec.Group + "/" + version
	if d.Spec.Scope == apiextensionsv1.NamespaceScoped {
		path += "/namespaces/" + metav1.NamespaceDefault
	}
	err = client.Post().AbsPath(path, d.Spec.Names.Plural).Param("dryRun", metav1.DryRunAll).
		Param("fieldValidation", metav1.FieldValidationWarn).SetHeader("Content-Type", "application/json").Body(body).
		Do(ctx).Error()
	var status *apierrors.StatusError
	if err == nil || !apierrors.IsInvalid(err) || !errors.As(err, &status) {
		return nil, err
	}
	var out []string
	for _, c := range status.ErrStatus.Details.Causes {
		if strings.HasPrefix(c.Message, "Invalid value: null: some validation rules were not checked") {
			continue
		}
		out = append(out, fieldOf(c))
	}
	if out == nil {
		return nil, err
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > 1 && out[0] == "" { // said of the object beside a field: which form of several the field should have
		out = out[1:]
	}
	return out, nil
}

// fieldOf is the field of a cause, "" for the object itself: some name it in the message alone, and the path of a scale
// begins with a point.
func fieldOf(c metav1.StatusCause) string {
	if c.Field != "<nil>" {
		return strings.TrimPrefix(c.Field, ".")
	}
	if _, field, ok := strings.Cut(c.Message, " with format int32 in "); ok {
		return field
	}
	return ""
}

// warnings keeps what the server warns of.
type warnings struct{ texts []string }

// HandleWarningHeader is called for each.
func (w *warnings) HandleWarningHeader(_ int, _, text string) { w.texts = append(w.texts, text) }

// fields are those that the server drops because it doesn't know them.
func (w *warnings) fields() (out []string) {
	for _, t := range w.texts {
		if f, ok := strings.CutPrefix(t, "unknown field "); ok {
			out = append(out, strings.Trim(f, `"`))
		}
	}
	slices.Sort(out)
	return out
}
