package tuning

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/tune/profile"
)

// Why no Profile is changed, by what there is in the cluster.
const (
	Unreadable   = "TunedUnreadable"
	Invalid      = "TunedInvalid"
	Conflict     = "ProfileConflict"
	PoolsUnknown = "PoolsUnknown"
	Unmanaged    = "Unmanaged"
	NoNodes      = "NoNodes"
)

// The releases whose Profile objects have a field (cluster-node-tuning-operator, pkg/apis/tuned/v1 of each), and those
// where a CR of its own had the profiles.
var (
	hasState    = release.Span{Since: 6} // managementState of CR default
	hasDebug    = release.Span{Since: 7}
	hasDaemon   = release.Span{Since: 11} // tunedConfig and providerName
	hasProfiles = release.Span{Since: 14}
	hasDeferred = release.Span{Since: 17}
	hasLevel    = release.Span{Since: 18}
	hasSum      = release.Span{Since: 4, Until: 13}
)

const (
	// sumName is the CR that has all profiles where Profile objects don't.
	sumName = "rendered"
	// deferred is the annotation of a CR that has its changes wait for a restart of the node.
	deferred = "tuned.openshift.io/deferred"
)

// plan is what a world asks for.
type plan struct {
	changes []Change
	blocks  []block
}

// block is a reason for which no Profile is changed, and the object that it lies with.
type block struct {
	kind         Kind
	ref          Ref
	reason, note string
}

// cr is a Tuned CR that was read.
type cr struct {
	ref   Ref
	typed object.Typed[openshift.Tuned]
	more  more
	wrong string
}

// more of a CR than the choice reads.
type more struct {
	Status struct {
		Conditions []openshift.Condition `json:"conditions"`
	} `json:"status"`
}

// planner works a plan out.
type planner struct {
	World
	release release.Release
	crs     []cr
	plan
}

func newPlan(w World, r release.Release) plan {
	p := &planner{World: w, release: r}
	p.read()
	x := profile.Explain(p.input())
	p.guard(x)
	if len(p.blocks) == 0 {
		p.sum(x)
		p.profiles(x)
		p.gone()
	}
	p.judge(x)
	return p.plan
}

func (p *planner) block(kind Kind, ref Ref, reason, note string) {
	p.blocks = append(p.blocks, block{kind, ref, reason, note})
}

// read takes the CRs apart, and finds what is wrong with them as "plimsoll tune check" does.
func (p *planner) read() {
	var objects []*object.Object
	for _, t := range p.Tuneds {
		c := cr{ref: t.Ref}
		read, problems := object.Split("Tuned "+t.Ref.Name, t.Text)
		if len(problems) > 0 || len(read) != 1 {
			c.wrong = "it can't be read"
			if len(problems) > 0 {
				c.wrong += ": " + problems[0].What
			}
			p.block(KindTuned, t.Ref, Unreadable, c.wrong)
			p.crs = append(p.crs, c)
			continue
		}
		var found []v1alpha1.Finding
		c.typed, found = object.Decode[openshift.Tuned](read[0])
		_ = json.Unmarshal(t.Text, &c.more) // a status of other shape is none
		p.errors(&c, Unreadable, found)
		p.crs = append(p.crs, c)
		if !profile.IsSum(read[0], p.release) {
			objects = append(objects, read[0])
		}
	}
	found := profile.Check(objects, p.release)
	for i := range p.crs {
		c := &p.crs[i]
		if c.typed.Object == nil || c.wrong != "" {
			continue
		}
		p.errors(c, Invalid, slices.DeleteFunc(slices.Clone(found), func(f v1alpha1.Finding) bool {
			return f.Place == nil || f.Place.File != c.typed.Tree.Name
		}))
	}
}

// errors of a CR hold everything up.
func (p *planner) errors(c *cr, reason string, found []v1alpha1.Finding) {
	for _, f := range found {
		if f.Severity != v1alpha1.Error {
			continue
		}
		at := ""
		if f.Place != nil && f.Place.Field != "" {
			at = f.Place.Field + ": "
		}
		p.block(KindTuned, c.ref, reason, at+f.Message)
		c.wrong = cmp.Or(c.wrong, at+f.Message)
	}
}

// input of the choice.
func (p *planner) input() profile.Input {
	in := profile.Input{Nodes: p.Nodes, Pods: p.Pods, Release: p.release, Stored: true}
	for i := range p.crs {
		if p.crs[i].typed.Object != nil {
			in.Tuneds = append(in.Tuneds, p.crs[i].typed)
		}
	}
	if len(p.Pools) > 0 {
		in.Pools = pool.Complete(p.Pools, p.release)
	}
	return in
}

func (p *planner) cr(name string) *cr {
	i := slices.IndexFunc(p.crs, func(c cr) bool { return c.ref.Name == name })
	if i < 0 {
		return nil
	}
	return &p.crs[i]
}

// guard finds what else is a reason to change nothing.
func (p *planner) guard(x *profile.Explanation) {
	if x.Frozen != "" {
		for _, d := range x.Profiles {
			if c := p.cr(d.CR); d.Conflict && c != nil {
				p.block(KindTuned, c.ref, Conflict, fmt.Sprintf("profile %s has another text in %v", d.Name, d.Others))
			}
		}
	}
	for _, i := range x.Items {
		if c := p.cr(i.CR); len(p.Pools) == 0 && i.MachineConfigLabels != nil && c != nil {
			p.block(KindTuned, c.ref, PoolsUnknown, i.Name()+" selects nodes by machineConfigLabels, and there are no "+
				"MachineConfigPools: which nodes it is for is not known")
		}
	}
	if c := p.cr(profile.DefaultName); c != nil && hasState.Has(p.release) {
		if s := c.typed.Value.Spec.ManagementState; s == "Unmanaged" || s == "Removed" {
			p.block(KindTuned, c.ref, Unmanaged, "its managementState is "+s)
		}
	}
	if len(p.Nodes) == 0 && len(p.Profiles) > 0 {
		p.block(KindProfile, p.Profiles[0].Ref, NoNodes, "the cluster has no nodes: no Profile is deleted")
	}
}

// sum keeps the CR that has all profiles.
func (p *planner) sum(x *profile.Explanation) {
	if !hasSum.Has(p.release) {
		return
	}
	want := texts(x)
	change := Change{Do: Create, Kind: KindTuned, Ref: Ref{Name: sumName}, Owner: p.owner(),
		Spec: map[string]any{"profile": want, "recommend": []any{}}, Note: "the profiles of all Tuned CRs"}
	if c := p.cr(sumName); c != nil {
		var have []Text
		for _, t := range c.typed.Value.Spec.Profile {
			if t.Name != nil && t.Data != nil {
				have = append(have, Text{*t.Name, *t.Data})
			}
		}
		if slices.Equal(have, want) {
			return
		}
		change.Do, change.Ref, change.Owner = Update, c.ref, Ref{}
	}
	p.changes = append(p.changes, change)
}

func texts(x *profile.Explanation) []Text {
	out := make([]Text, len(x.Profiles))
	for i, d := range x.Profiles {
		out[i] = Text{d.Name, d.Data}
	}
	return out
}

// owner of what is made: the CR default, as with the operator.
func (p *planner) owner() Ref {
	if c := p.cr(profile.DefaultName); c != nil {
		return c.ref
	}
	return Ref{}
}

// profiles of the nodes that are there.
func (p *planner) profiles(x *profile.Explanation) {
	have := map[string]*Profile{}
	for i := range p.Profiles {
		have[p.Profiles[i].Ref.Name] = &p.Profiles[i]
	}
	all := texts(x)
	for i := range x.Nodes {
		n := &x.Nodes[i]
		if n.Class < 0 {
			continue // of another operating system: the operator leaves it, and its Profile, alone
		}
		want, later := p.want(x, n)
		if hasProfiles.Has(p.release) {
			want.Profile = all
		}
		change := Change{Do: Create, Kind: KindProfile, Ref: Ref{Name: n.Name}, Spec: want, Owner: p.owner(),
			Note: "the node gets profile " + want.Config.TunedProfile}
		if later != "" {
			change.Annotations = map[string]string{deferred: later}
		}
		if old := have[n.Name]; old != nil {
			if alike(&old.Spec, &want) && old.Annotations[deferred] == later {
				continue
			}
			change.update(old, later, want.Config.TunedProfile)
		}
		p.changes = append(p.changes, change)
	}
}

// update turns the change into one of an object that is there.
func (c *Change) update(old *Profile, later, name string) {
	c.Do, c.Ref, c.Owner = Update, old.Ref, Ref{}
	c.Annotations = maps.Clone(old.Annotations)
	delete(c.Annotations, deferred)
	if later != "" {
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[deferred] = later
	}
	if was := old.Spec.Config.TunedProfile; was != name {
		c.Note += " instead of " + was
	} else {
		c.Note = "profile " + name + " stays, but what belongs to it has changed"
	}
}

// want is what a node is asked for, and whether that waits for a restart.
func (p *planner) want(x *profile.Explanation, n *profile.NodeChoice) (s Spec, later string) {
	s.Config.TunedProfile = n.Profile
	if hasDaemon.Has(p.release) {
		s.Config.ProviderName = p.Providers[n.Name]
	}
	item := x.Classes[n.Class].Item
	if item < 0 {
		return s, ""
	}
	won := &x.Items[item]
	c := p.cr(won.CR)
	if c == nil || won.BuiltIn && x.BuiltIn != "" {
		return s, "" // the operator's own items set up nothing
	}
	if v := c.typed.Value.Metadata.Annotations[deferred]; hasDeferred.Has(p.release) && (v == "always" || v == "update") {
		later = v
	}
	if o := c.typed.Value.Spec.Recommend[won.Index].Operand; o != nil {
		if hasDebug.Has(p.release) {
			s.Config.Debug = o.Debug
		}
		if hasDaemon.Has(p.release) {
			s.Config.TunedConfig = o.TunedConfig
		}
		if hasLevel.Has(p.release) {
			s.Config.Verbosity = o.Verbosity
		}
	}
	return s, later
}

func alike(a, b *Spec) bool {
	return reflect.DeepEqual(a.Config, b.Config) && slices.Equal(a.Profile, b.Profile)
}

// gone are Profiles whose nodes are.
func (p *planner) gone() {
	nodes := map[string]bool{}
	for _, n := range p.Nodes {
		nodes[n.Name] = true
	}
	for _, o := range p.Profiles {
		if !nodes[o.Ref.Name] {
			p.changes = append(p.changes, Change{Do: Delete, Kind: KindProfile, Ref: o.Ref, Note: "the node is gone"})
		}
	}
}

// judge writes the condition Valid of CRs, in the releases that have it. What "tune check" calls an error makes a CR
// invalid as well.
func (p *planner) judge(x *profile.Explanation) {
	if x.Status == nil {
		return
	}
	for _, r := range x.Status.Tuneds {
		c := p.cr(r.Name)
		if c == nil || len(r.Conditions) == 0 || r.Name == profile.DefaultName && x.BuiltIn != "" {
			continue
		}
		want := r.Conditions[0]
		want.Message = r.Message
		if c.wrong != "" {
			want.Status, want.Reason, want.Message = "False", "InvalidConfiguration", c.wrong
		}
		i := slices.IndexFunc(c.more.Status.Conditions, func(o openshift.Condition) bool { return o.Type == want.Type })
		if i >= 0 {
			have := c.more.Status.Conditions[i]
			if have.Status == want.Status && have.Reason == want.Reason && have.Message == want.Message {
				continue
			}
			if have.Status == want.Status {
				want.LastTransitionTime = have.LastTransitionTime
			}
		}
		p.changes = append(p.changes, Change{Do: Judge, Kind: KindTuned, Ref: c.ref, Valid: want,
			Note: cmp.Or(want.Message, "it is valid")})
	}
}
