package yamlpos

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// dump writes a tree with its positions, one node a line.
func dump(b *strings.Builder, n *Node, indent string) {
	fmt.Fprintf(b, "%s%d:%d %s %q\n", indent, n.Line, n.Col, n.Kind, n.Text)
	for _, item := range n.Items {
		dump(b, item, indent+"- ")
	}
	for _, e := range n.Entries {
		fmt.Fprintf(b, "%s%d:%d %q:\n", indent, e.Line, e.Col, e.Key)
		dump(b, e.Value, indent+"  ")
	}
}

// oracle dumps what another YAML library reads, in the same form.
func oracle(b *strings.Builder, n *yaml.Node, key *yaml.Node, indent string) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	line, col := n.Line, n.Column
	switch n.Kind {
	case yaml.SequenceNode:
		fmt.Fprintf(b, "%s%d:%d %s %q\n", indent, line, col, List, "")
		for _, item := range n.Content {
			oracle(b, item, nil, indent+"- ")
		}
	case yaml.MappingNode:
		fmt.Fprintf(b, "%s%d:%d %s %q\n", indent, line, col, Map, "")
		for i := 0; i < len(n.Content); i += 2 {
			k := n.Content[i]
			fmt.Fprintf(b, "%s%d:%d %q:\n", indent, k.Line, k.Column, k.Value)
			oracle(b, n.Content[i+1], k, indent+"  ")
		}
	default:
		kind := Text
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
			kind = classify(n.Value)
		}
		if kind == Null && n.Value == "" && key != nil {
			line, col = key.Line, key.Column
		}
		fmt.Fprintf(b, "%s%d:%d %s %q\n", indent, line, col, kind, n.Value)
	}
}

func FuzzAgree(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tree, ps := Parse("f", []byte(s))
		if len(ps) > 0 || strings.Contains(s, "<<") || strings.Contains(s, "&") || strings.Contains(s, "\ufeff") || strings.Contains(s, "\\/") {
			return
		}
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(s), &doc); err != nil {
			t.Fatalf("%q other: %v", s, err)
		}
		var a, b strings.Builder
		dump(&a, tree.Root, "")
		oracle(&b, doc.Content[0], nil, "")
		if d := cmp.Diff(b.String(), a.String()); d != "" {
			t.Fatalf("%q: (-other +ours)\n%s", s, d)
		}
	})
}

var seeds = []string{
	"a: 1 # x\nb:\n  - c: \"q\"\n    d: 'x y'\n",
	"a: 1\r\nb:\r\n  - c: x\r\n    d: y\r\n",
	"日本: 東京\nb: {日: 1, c: 2}\n",
	"a: one\n  two\n  three\nb: 2\n",
	"a: |\n  x\n  y\nb: >-\n  z\nc: 1\n",
	"a: \"x\n  y\"\nb: 2\n",
	"a: {b: 1,\n  c: 2,\n d: [1,\n2]}\ne: 4.10\n",
	"a:\nb: ~\nc: null\nd:\n  - x\n",
	"a:\tb\nc: d\n",
	"{\n\t\"a\": 1,\n\t\"b\": [\n\t\t1,\n\t\t\"x\\/y\\u0041\"\n\t]\n}\n",
	"-\n  a: 1\n- b: 2\n",
	"  a: 1\n  b: 2\n",
	"a: x\n\n\n\nb: \n\n\n  y\n",
	"# c\na: x # d\n  # e\nb: 1 #\n# f",
	"---\na: 1\n...\n",
	"a:\n- b\n- c: 1\n  d: 2\n-\n  - e\n",
	"'a b': \"c\\td\"\n\"e\": 'it''s'\n",
	"a: \"\"\nb: ''\nc: []\nd: {}\n",
	"a: http://x.y/z#q\nb: c#d\nc: -1\nd: - \n",
}
