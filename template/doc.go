// Package template processes OpenShift templates as "oc process --local" does: parameters are filled
// into copies of the objects, and nobody is asked.
//
// It knows no kinds but those that its rules name, and creates nothing. The rules are those of
// pkg/template of openshift/library-go.
//
//	t := template.Read(tree.Root)
//	objects, err := t.Process(template.Options{Given: map[string]string{"NAME": "web"}})
package template
