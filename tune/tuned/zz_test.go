package tuned

import ("testing";"os";"path/filepath";"encoding/json";"fmt")

func TestZZ(t *testing.T) {
	dir := Directory{Path: "/usr/lib/tuned"}
	names, _ := filepath.Glob("/usr/lib/tuned/*/tuned.conf")
	for _, n := range names {
		b, _ := os.ReadFile(n)
		dir.Profiles = append(dir.Profiles, Profile{Name: filepath.Base(filepath.Dir(n)), Source: Source{Body: string(b), File: n}})
	}
	s := NewSet(dir)
	no := false
	for _, n := range s.Names() {
	f, found := s.Flatten(n, Machine{Virtual: &no})
	if n == "openshift-node" { b, _ := json.MarshalIndent(f, "", " "); fmt.Println(string(b)[:3000]) }
	if f == nil || len(found) > 0 { fmt.Println(n, f != nil) }
	for _, x := range found { fmt.Println("  ", x.Severity, x.ID, x.Message, "|", x.Remedy) }
	}
}
