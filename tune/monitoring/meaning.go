package monitoring

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
)

// meaning judges what a text means.
func (c *config) meaning(n *yamlpos.Node, at string, k *key) {
	switch k.is {
	case retention:
		if what, fix := Retention(n.Text, c.release); what != "" {
			c.badValue(badRetention, n, at, what, fix)
		}
	case diskLimit:
		if n.Text != "" && !onDisk.MatchString(n.Text) {
			c.badValue(badRetention, n, at, fmt.Sprintf("the limit %s is no size of Prometheus", shown(n)),
				sizes+", such as 90GiB")
		}
	case bodyLimit:
		if n.Text != "" && n.Text != "automatic" && !onDisk.MatchString(n.Text) {
			c.badValue(noBodyLimit, n, at,
				fmt.Sprintf("%s is no size: the operator warns in its log and sets no limit", shown(n)), sizes+", or automatic")
		}
	case interval:
		if what := wrongInterval(n.Text); what != "" {
			c.badValue(badValue, n, at, what+": the operator refuses config.yaml", "write 5s to 5m, such as 30s")
		}
	case logFile:
		if what, fix := wrongLog(n.Text); what != "" {
			c.badValue(badValue, n, at, what+": the operator reports an error and applies nothing of it", fix)
		}
	default:
		c.choice(n, at, k)
	}
}

const sizes = "write a number with B, KB, MB, GB, TB or KiB, MiB, GiB, TiB"

// choice judges a text that is one of several.
func (c *config) choice(n *yamlpos.Node, at string, k *key) {
	switch {
	case k.not != "" && n.Text == k.not:
		c.badValue(badValue, n, at, fmt.Sprintf("%s %s is not taken any more", k.name, k.not), "leave it out")
	case len(k.oneOf) > 0 && !slices.Contains(k.oneOf, n.Text):
		c.badValue(badValue, n, at, fmt.Sprintf("%s is none of the values of %s", shown(n), k.name),
			"write "+strings.Join(k.oneOf[1:], ", ")+" or nothing")
	case k.preview.Since != 0 && k.preview.Has(c.release) && !slices.Contains(k.oneOf[:2], n.Text):
		c.badValue(techPreview, n, at, fmt.Sprintf("%s %s is a Technology Preview %s: "+
			"without its feature gate the operator refuses config.yaml", k.name, n.Text, c.when()),
			"leave it out on a cluster that must be upgraded")
	}
}

// Bounds of an interval in milliseconds.
const shortest, longest = 5_000, 300_000

// wrongInterval says what is wrong with an interval; the empty one is the default.
func wrongInterval(text string) string {
	quoted := strconv.Quote(yamlpos.Shorten(text))
	if text == "" {
		return ""
	}
	if !severals.MatchString(text) {
		return "the interval " + quoted + " is no duration of Prometheus"
	}
	if ms := milliseconds(text); ms < shortest || ms > longest {
		return "the interval " + quoted + " is not within 5s and 5m"
	}
	return ""
}

// step is a part of a duration.
var step = regexp.MustCompile(`([0-9]+)(ms|[smhdwy])`)

// milliseconds are those of a duration of Prometheus, in which each unit stands once;
// more than a year is a year.
func milliseconds(text string) int64 {
	of := map[string]int64{"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000,
		"y": 365 * 86_400_000}
	var sum int64
	for _, m := range step.FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseInt(m[1], 10, 32)
		if err != nil {
			return of["y"]
		}
		sum += n * of[m[2]]
	}
	return min(sum, of["y"])
}

// wrongLog says what is wrong with the file of a log of queries.
func wrongLog(text string) (what, fix string) {
	const inDirectory = "write a name alone, or a path such as /var/log/prometheus/query.log"
	dir := path.Dir(text)
	switch {
	case text == "":
	case !path.IsAbs(text) && dir != ".":
		return "the file " + text + " of the log is a relative path", inDirectory
	case dir == "/":
		return "the file " + text + " of the log is in the root directory", inDirectory
	case dir == "/dev" && !slices.Contains([]string{"stdout", "stderr", "null"}, path.Base(text)):
		return "the file " + text + " of the log is a new file in /dev", "write /dev/stdout, /dev/stderr or /dev/null"
	}
	return "", ""
}

// patterns judges a list of regular expressions, which are joined in one.
func (c *config) patterns(n *yamlpos.Node, at string) {
	for i, item := range c.list(n, at) {
		if place := fmt.Sprintf("%s[%d]", at, i); c.text(item, place) {
			c.expression(item, place)
		}
	}
}

func (c *config) expression(n *yamlpos.Node, at string) {
	if _, err := regexp.Compile(n.Text); err != nil {
		c.badValue(badValue, n, at, fmt.Sprintf("%s is no regular expression: "+
			"the operator reports an error and applies nothing of it", shown(n)), "write ^name$ for a name")
	}
}

// units judges the expressions of the collector systemd, which are looked at only when
// it is on.
func (c *config) units(n *yamlpos.Node, at string) {
	on, list := c.get(n, "enabled"), c.get(n, "units")
	if on == nil || list == nil {
		return
	}
	if is, _ := c.truth(on); !is {
		return
	}
	for i, item := range list.Items {
		if item.Kind == yamlpos.Text && !masked(item.Text) {
			c.expression(item, fmt.Sprintf("%s.units[%d]", at, i))
		}
	}
}

// resourceLabels judges the labels of jobs that kube-state-metrics shows: each kind
// once, with labels, each once.
func (c *config) resourceLabels(n *yamlpos.Node, at string) {
	kinds := map[string]bool{}
	for i, item := range n.Items {
		named, labels := c.get(item, "resource"), c.get(item, "labels")
		if item.Kind != yamlpos.Map || named != nil && named.Kind != yamlpos.Text ||
			labels != nil && labels.Kind != yamlpos.List {
			continue // its type is told
		}
		kind := scalar(named)
		place := fmt.Sprintf("%s[%d]", at, i)
		refuse := func(what, fix string) {
			c.badValue(badValue, item, place, what+": the operator refuses config.yaml", fix)
		}
		switch {
		case kind == "":
			refuse("the item names no resource", "write resource: jobs or cronjobs")
		case kinds[kind]:
			refuse("resource "+yamlpos.Shorten(kind)+" stands twice", "join the two")
		case labels == nil || len(labels.Items) == 0:
			refuse("the item of resource "+yamlpos.Shorten(kind)+" has no labels", "name one, or remove the item")
		}
		kinds[kind] = true
		if labels != nil {
			c.eachOnce(labels, place+".labels")
		}
	}
}

// eachOnce finds texts of a list that are empty or stand twice.
func (c *config) eachOnce(list *yamlpos.Node, at string) {
	seen := map[string]bool{}
	for i, l := range list.Items {
		if l.Kind == yamlpos.Text && (l.Text == "" || seen[l.Text]) {
			c.badValue(badValue, l, fmt.Sprintf("%s[%d]", at, i),
				shown(l)+" is empty or stands twice: the operator refuses config.yaml", "remove it")
		}
		seen[l.Text] = true
	}
}
