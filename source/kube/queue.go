package kube

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// waiting is a pod of a group that the scheduler has in its queue.
type waiting struct {
	created string
	place   place
	target  string // the only node that it may run on
}

// queued is a waiting pod and its type.
type queued struct {
	waiting
	priority int32
	podType  int
}

// compare orders pods as the scheduler's queue does: by priority, then by age. Of
// equal ones the first in the text comes first.
func (q *queued) compare(o *queued) int {
	return cmp.Or(cmp.Compare(o.priority, q.priority), compare(q.created, o.created), flip(q.place.before(o.place)))
}

// queue adds the pods that wait, in the order of the scheduler. at are the nodes by
// name.
func (t *tally) queue(inv *v1alpha1.Inventory, groups []*group, at map[string]int) {
	var all []queued
	for i, g := range groups {
		for _, w := range g.waiting {
			all = append(all, queued{w, g.base.Priority, i})
		}
	}
	slices.SortFunc(all, func(a, b queued) int { return a.compare(&b) })
	for _, q := range all {
		node, known := at[q.target]
		if !known {
			node = -1
		}
		inv.Queue = append(inv.Queue, v1alpha1.Queued{PodType: q.podType, Node: node})
	}
}

// image reads an image's name as the kubelets write it: with a tag.
func (r *reader) image(v value) string {
	name := r.word(v.bytes())
	if name != "" && strings.LastIndexByte(name, ':') <= strings.LastIndexByte(name, '/') {
		name += ":latest"
	}
	return name
}

// nodeImages reads the images on a node, each by all of its names.
func (r *reader) nodeImages(v value) map[string]int64 {
	var out map[string]int64
	for image := range v.elems() {
		size, err := strconv.ParseInt(image.get("sizeBytes").text(), 10, 64)
		if err != nil {
			continue
		}
		for name := range image.get("names").elems() {
			if out == nil {
				out = map[string]int64{}
			}
			if _, again := out[name.text()]; !again {
				out[r.word(name.bytes())] = size
			}
		}
	}
	return out
}

// pull notes the images of pods that some node has, and leaves of the nodes' those
// that some pod has.
func (t *tally) pull(groups []*group) {
	there, used := map[string]bool{}, map[string]bool{}
	for i := range t.nodes {
		for name := range t.nodes[i].images {
			there[name] = true
		}
	}
	for _, g := range groups {
		has := slices.DeleteFunc(slices.Concat(g.images, g.pulled), func(name string) bool { return !there[name] })
		if len(has) > 0 {
			s := g.placing()
			s.Images, s.ImageVolumes = g.images, g.pulled
		}
		for _, name := range has {
			used[name] = true
		}
	}
	for i := range t.nodes {
		maps.DeleteFunc(t.nodes[i].images, func(name string, _ int64) bool { return !used[name] })
	}
}
