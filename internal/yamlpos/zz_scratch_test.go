package yamlpos

import (
	"fmt"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
	"math/rand"
	"os"
	"sort"
	"strings"
	"testing"
	"time"
)

func TestScratch(t *testing.T) {
	if os.Getenv("SCRATCH") == "" {
		t.Skip()
	}
	alpha := []string{"a", "b", "1", "-", " ", "  ", "\n", "\n  ", ": ", ":", "- ", "'", "\"", "{", "}", "[", "]", ",", ", ", "#", " #", "|", "|\n", ">", "~", "null", "true", "4.10", "日", "?", "!", "@", "%", "\\", "*", "&", "0", "x y", "---", "..."}
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	bad := map[string]string{}
	end := time.Now().Add(20 * time.Second)
	n := 0
	okc := 0
	for time.Now().Before(end) {
		s := seeds[r.Intn(len(seeds))]
		for k := 0; k < 1+r.Intn(3); k++ {
			i := r.Intn(len(s) + 1)
			j := i
			if r.Intn(2) == 0 {
				j = min(len(s), i+r.Intn(4))
			}
			s = s[:i] + alpha[r.Intn(len(alpha))] + s[j:]
		}
		n++
		s = strings.ReplaceAll(s, "\t", " ")
		tree, ps := Parse("f", []byte(s))
		if len(ps) > 0 || strings.Contains(s, "?") || strings.Contains(s, "|") || tree.Root.Kind != Map || strings.ContainsAny(s, "&\ufeff") || strings.Contains(s, "<<") || strings.Contains(s, "\\/") {
			continue
		}
		okc++
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(s), &doc); err != nil {
			k := "REJ " + err.Error()
			if os.Getenv("REJ") == "" {
				continue
			}
			if i := strings.Index(k, ": "); i > 0 {
				k = "REJ " + k[strings.LastIndex(k, ": "):]
			}
			if o, ok := bad[k]; !ok || len(s) < len(o) {
				bad[k] = s
			}
			continue
		}
		if len(doc.Content) == 0 {
			bad["EMPTY"] = s
			continue
		}
		var a, b strings.Builder
		dump(&a, tree.Root, "")
		oracle(&b, doc.Content[0], nil, "")
		if a.String() != b.String() { // category: first differing line kinds
			d := cmp.Diff(b.String(), a.String())
			_ = d
			la, lb := strings.Split(a.String(), "\n"), strings.Split(b.String(), "\n")
			k := "DIFF"
			for i := range la {
				if i >= len(lb) || la[i] != lb[i] {
					x := ""
					if i < len(lb) {
						x = lb[i]
					}
					k = fmt.Sprintf("DIFF len%d other[%.12s] ours[%.12s]", len(la)-len(lb), strings.TrimLeft(x, " -"), strings.TrimLeft(la[i], " -"))
					break
				}
			}
			if o, ok := bad[k]; !ok || len(s) < len(o) {
				bad[k] = s
			}
		}
	}
	keys := []string{}
	for k := range bad {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return len(bad[keys[i]]) < len(bad[keys[j]]) })
	fmt.Println(n, okc, len(keys))
	for i, k := range keys {
		if i > 70 {
			break
		}
		fmt.Printf("%s\n      %q\n", k, bad[k])
	}
}
