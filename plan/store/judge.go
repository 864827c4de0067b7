package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
)

// judge gives the verdict on the scenario's own choice.
func (p *planner) judge(r request, need Need, a *Advice) {
	of := products[r.Product].technology
	technology := cmp.Or(r.Technology, of)
	if technology == "" {
		return // product "other" without a technology: nothing is known of it
	}
	if r.Technology != "" && of != "" && r.Technology != of {
		p.FindAt(v1alpha1.Error, "storage.choice.mismatch", r.path+".technology",
			fmt.Sprintf("%s: %s is %s storage, the scenario says %s", r.Name, products[r.Product].title, of, r.Technology),
			"write technology: "+of, derive.Source{Code: "OCP", Section: "10.1"})
		return
	}
	given := Judge(p.Facts, need, technology, r.Product)
	a.Given = &given
	p.verdict(r, given, a.Choices[0])
}

// verdict turns a level into a finding; what is recommended needs none.
func (p *planner) verdict(r request, given, best Choice) {
	severity, id := v1alpha1.Info, "storage.choice.configurable"
	switch given.Level {
	case Recommended:
		return
	case NotRecommended:
		severity, id = v1alpha1.Warning, "storage.choice.notRecommended"
	case NotConfigurable:
		severity, id = v1alpha1.Error, "storage.choice.notConfigurable"
	}
	judged, why := fmt.Sprintf("%s is %s", title(given), given.Level), given.Words()
	if !strings.HasPrefix(why, judged) { // else the first reason says it
		why = judged + ": " + why
	}
	f := p.Find(severity, id, r.Name+": "+why, p.remedy(r, given, best))
	f.Field, f.Figure = r.path, "storage.advice["+r.Name+"]"
	for _, why := range given.Why() {
		if s := p.Facts.Must(why.Fact).Source; !slices.Contains(f.Sources, s) {
			f.Sources = append(f.Sources, s)
		}
	}
}

// remedy names the best choice when it is another and better one.
func (p *planner) remedy(r request, given, best Choice) string {
	switch {
	case r.Use == "etcd" && given.Level != Recommended:
		return "put etcd on " + title(best)
	case given.Level == NotConfigurable && best.Level == NotConfigurable:
		return "no technology serves this use in this access mode; ask for another access mode"
	case worse(best.Level, given.Level) != best.Level && best.Technology == given.Technology &&
		products[best.Product].title == "":
		return "take other " + best.Technology + " storage than " + products[given.Product].title + " (" +
			string(best.Level) + ")"
	case worse(best.Level, given.Level) != best.Level:
		return "take " + title(best) + " (" + string(best.Level) + ")"
	}
	return "there is no better choice on this platform"
}

func title(c Choice) string {
	if t := products[c.Product].title; t != "" && c.Product != "other" {
		return c.Technology + " storage (" + t + ")"
	}
	return c.Technology + " storage"
}

// checkMode warns when a scaled registry on file storage asks for a mode that it
// can't share.
func (p *planner) checkMode(r request) {
	if r.Use != "scaledRegistry" || r.AccessMode == "RWX" || r.Technology == "object" ||
		products[r.Product].technology == "object" {
		return
	}
	severity := v1alpha1.Warning
	if p.Origin.Assumed(r.path + ".accessMode") {
		severity = v1alpha1.Info
	}
	p.FindAt(severity, "storage.scaledRegistry.accessMode", r.path+".accessMode",
		fmt.Sprintf("%s: a scaled registry needs storage with ReadWriteMany, "+
			"which two or more pods write; the scenario has %s", r.Name, r.AccessMode),
		"write accessMode: RWX unless the registry lies on object storage",
		p.Facts.Must("ocp.storage.scaledRegistryRWX").Source)
}
