package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/loadmodel"
)

// objectPrinter writes objects one after the other, however many there are.
type objectPrinter struct {
	w     io.Writer
	json  bool
	kinds map[string]int
	begun bool
}

func (p *objectPrinter) all(work *loadmodel.Work) error {
	return p.list(func() error { return p.namespaces(work) })
}

// list writes what is between the objects that each writes.
func (p *objectPrinter) list(each func() error) error {
	if !p.json {
		return each()
	}
	if _, err := io.WriteString(p.w, `{"apiVersion":"v1","kind":"List","items":[`); err != nil {
		return err
	}
	if err := each(); err != nil {
		return err
	}
	_, err := io.WriteString(p.w, "\n]}\n")
	return err
}

func (p *objectPrinter) namespaces(work *loadmodel.Work) error {
	for i := range work.Namespaces {
		n := &work.Namespaces[i]
		meta := map[string]any{"name": n.Name}
		if len(n.Labels) > 0 {
			meta["labels"] = n.Labels
		}
		if len(n.Annotations) > 0 {
			meta["annotations"] = n.Annotations
		}
		if err := p.one(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": meta}, ""); err != nil {
			return err
		}
		for j := range n.Batches {
			if err := p.batch(&n.Batches[j], n.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *objectPrinter) batch(b *loadmodel.Batch, namespace string) error {
	for i := range b.Count {
		objects, err := b.Item(i)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if err := p.one(o.Body, namespace); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *objectPrinter) one(body map[string]any, namespace string) error {
	if meta, ok := body["metadata"].(map[string]any); ok && namespace != "" {
		meta["namespace"] = namespace
		defer delete(meta, "namespace")
	}
	kind, _ := body["kind"].(string)
	p.kinds[kind]++
	if !p.json {
		text, err := yamlout.Marshal(body)
		if err == nil {
			_, err = fmt.Fprintf(p.w, "---\n%s", text)
		}
		return err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	before := "\n"
	if p.begun {
		before = ",\n"
	}
	p.begun = true
	_, err = p.w.Write(append([]byte(before), text...))
	return err
}
