package monitoring

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// value judges a value. What is empty has its default.
func (c *config) value(n *yamlpos.Node, path string, k *key) {
	if n.Kind == yamlpos.Null || masked(n.Text) {
		return
	}
	switch k.is {
	case mapping:
		if c.demand(n, path, yamlpos.Map) {
			c.mapping(n, path, k.keys)
			c.structure(n, path, k)
		}
	case items:
		for i, item := range c.list(n, path) {
			if at := fmt.Sprintf("%s[%d]", path, i); c.demand(item, at, yamlpos.Map) {
				c.mapping(item, at, k.keys)
			}
		}
	case textList:
		for i, item := range c.list(n, path) {
			c.text(item, fmt.Sprintf("%s[%d]", path, i))
		}
	case patterns:
		c.patterns(n, path)
	case textMap, ownLabels:
		c.texts(n, path, k)
	case quantities:
		c.amounts(n, path)
	case boolean:
		if _, ok := c.truth(n); !ok {
			c.badValue(wrongType, n, path, shown(n)+" is not true or false", "write true or false")
		}
	case number:
		if n.Kind != yamlpos.Int || strings.HasPrefix(n.Text, "-") {
			c.badValue(wrongType, n, path, shown(n)+" is not a whole number of 0 or more", "write a number without quotes")
		}
	case text, retention, diskLimit, bodyLimit, interval, logFile:
		if c.text(n, path) {
			c.meaning(n, path, k)
		}
	}
}

// shown is a value in a message.
func shown(n *yamlpos.Node) string {
	switch n.Kind {
	case yamlpos.List, yamlpos.Map:
		return n.Kind.String()
	case yamlpos.Text:
		return yamlpos.Quote(n.Text)
	}
	return yamlpos.Shorten(n.Text)
}

// demand says whether a value is of a kind, and notes when it isn't.
func (c *config) demand(n *yamlpos.Node, path string, kind yamlpos.Kind) bool {
	if n.Kind == kind {
		return true
	}
	if n.Kind != yamlpos.Null && !masked(n.Text) {
		c.badValue(wrongType, n, path, shown(n)+" stands where "+kind.String()+
			" is expected: the operator can't read config.yaml", "write "+kind.String())
	}
	return false
}

func (c *config) list(n *yamlpos.Node, path string) []*yamlpos.Node {
	if !c.demand(n, path, yamlpos.List) {
		return nil
	}
	return n.Items
}

// text says whether a value is text for the operator, and notes when it isn't.
func (c *config) text(n *yamlpos.Node, path string) bool {
	if n.Kind == yamlpos.Null || masked(n.Text) {
		return false
	}
	if _, isTruth := c.truth(n); n.Kind == yamlpos.Text && !isTruth {
		return true
	}
	what, fix := shown(n)+" is "+n.Kind.String()+", not text: the operator can't read config.yaml",
		"quote it: "+strconv.Quote(yamlpos.Shorten(n.Text))
	switch n.Kind {
	case yamlpos.Text:
		what = n.Text + " without quotes is a boolean for the operator, not text: it can't read config.yaml"
	case yamlpos.List, yamlpos.Map:
		fix = "write one text"
	}
	c.badValue(wrongType, n, path, what, fix)
	return false
}

// truths are the booleans of YAML 1.1, which the operator's parser follows.
var truths = map[string]bool{"true": true, "yes": true, "on": true, "y": true, "false": false, "no": false,
	"off": false, "n": false}

// truth is the boolean that the operator reads; ok is false for anything else.
func (c *config) truth(n *yamlpos.Node) (is, ok bool) {
	if n.Kind != yamlpos.Bool && n.Kind != yamlpos.Text || c.quoted(n) {
		return false, false
	}
	lower := strings.ToLower(n.Text)
	is, ok = truths[lower]
	usual := n.Text == lower || n.Text == strings.ToUpper(n.Text) || n.Text == strings.ToUpper(n.Text[:1])+lower[1:]
	return is, ok && usual
}

// quoted says whether a text is written with quotes or as a block.
func (c *config) quoted(n *yamlpos.Node) bool {
	if n.Line > len(c.lines) || n.Col > len(c.lines[n.Line-1]) {
		return false
	}
	return strings.ContainsRune(`"'|>`, c.lines[n.Line-1][n.Col-1])
}

// texts judges a mapping of texts, such as a node selector.
func (c *config) texts(n *yamlpos.Node, path string, k *key) {
	if !c.demand(n, path, yamlpos.Map) {
		return
	}
	for _, e := range n.Entries {
		at := joined(path, e.Key)
		if k.is == ownLabels && slices.Contains(reserved, e.Key) {
			r, then := reservedLabel, "the operator is not upgradeable, and 4.20 refuses config.yaml"
			if reservedLabels.In(c.release) {
				r, then = badValue, "it refuses config.yaml"
			}
			c.bad(r, e.Line, e.Col, at, fmt.Sprintf("the label %s is the operator's own: %s", e.Key, then), "take another name")
		}
		c.text(e.Value, at)
	}
}

// reserved are the labels that the operator gives samples itself.
var reserved = []string{"prometheus", "prometheus_replica", "cluster"}

// Durations of Prometheus: with one unit up to 4.5, then with several, the longest
// first.
var (
	oneUnit  = regexp.MustCompile(`^[0-9]+(ms|[smhdwy])$`)
	severals = regexp.MustCompile(`^(0|([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?)$`)
	onDisk   = regexp.MustCompile(`^(0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$`)
)

// Retention says what is wrong with a retention in a release, and what would be
// right; empty when nothing is. The empty text is the default, 15 days.
func Retention(text string, r release.Release) (what, fix string) {
	pattern := oneUnit
	if compoundRetention.In(r) {
		pattern = severals
	}
	trimmed := strings.TrimSpace(text)
	lower := strings.ToLower(trimmed)
	switch {
	case text == "" || pattern.MatchString(text):
		return "", ""
	case pattern.MatchString(trimmed):
		return fmt.Sprintf("the retention %s has blanks around it", strconv.Quote(yamlpos.Shorten(text))), "write " + trimmed
	case severals.MatchString(trimmed):
		return fmt.Sprintf("the retention %s has several units, which Prometheus reads from 4.6 on", trimmed),
			"write it in one unit, such as 36h"
	case pattern.MatchString(lower):
		return fmt.Sprintf("the retention %s has its unit in capitals", trimmed), "write " + lower
	}
	return fmt.Sprintf("the retention %s is no duration of Prometheus", strconv.Quote(yamlpos.Shorten(text))),
		"write a whole number with ms, s, m, h, d, w or y, such as 15d"
}

// amounts judges a mapping of resources to amounts.
func (c *config) amounts(n *yamlpos.Node, path string) {
	if !c.demand(n, path, yamlpos.Map) {
		return
	}
	for _, e := range n.Entries {
		v, at := e.Value, joined(path, e.Key)
		switch v.Kind {
		case yamlpos.Null:
		case yamlpos.Text, yamlpos.Int, yamlpos.Float:
			if what, fix := Amount(e.Key, v.Text); what != "" && !masked(v.Text) {
				c.badValue(badQuantity, v, at, what, fix)
			}
		default:
			c.badValue(wrongType, v, at, shown(v)+" is no amount: the operator can't read config.yaml", "write it like 20Gi")
		}
	}
}

// suffix is an amount with a suffix that people use and Kubernetes doesn't.
var suffix = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([kKmMgGtTpPeE])(i?)[bB]?$`)

// Amount says what is wrong with an amount of a resource, and what would be right;
// empty when nothing is. Blanks around it are cut off, as Kubernetes does when it
// reads an object (but not where it parses a bare text).
func Amount(resource, text string) (what, fix string) {
	text = strings.TrimSpace(text)
	_, err := unit.ParseBytes(text)
	if resource == "cpu" {
		_, err = unit.ParseCPU(text)
	}
	if err == nil {
		if resource != "cpu" && strings.HasSuffix(text, "m") {
			return fmt.Sprintf("%s are thousandths of a byte", text), "write " + strings.TrimSuffix(text, "m") + "M or Mi"
		}
		return "", ""
	}
	shown := strconv.Quote(yamlpos.Shorten(text))
	m := suffix.FindStringSubmatch(text)
	switch {
	case m != nil && resource != "cpu" && m[2] == "K" && m[3] == "" && !strings.ContainsAny(text, "bB"):
		return fmt.Sprintf("the amount %s has the suffix K, which Kubernetes doesn't know", shown),
			fmt.Sprintf("write %sk (thousands) or %sKi (times 1024)", m[1], m[1])
	case m != nil && resource != "cpu":
		letter := strings.ToUpper(m[2])
		if letter == "K" && m[3] == "" {
			letter = "k"
		}
		if m[1]+letter+m[3] == text {
			return fmt.Sprintf("the amount %s is beyond what is reckoned with", shown), "write less than 8Ei"
		}
		return fmt.Sprintf("the amount %s is not written as Kubernetes reads it", shown), "write " + m[1] + letter + m[3]
	}
	return fmt.Sprintf("the amount %s can't be read", shown),
		"write it like " + map[bool]string{true: "500m or 2", false: "20Gi or 20G"}[resource == "cpu"]
}
