package report

// whyLines is about how many lines of a derivation a reader takes in at once, and fewestLevels
// how many levels of it stand there in any case.
const (
	whyLines     = 45
	fewestLevels = 1
)

// briefSteps are derivations with as many levels as a reader takes in at once, and whether
// anything lies deeper.
func briefSteps(steps []node) (shown []node, left bool) {
	all := lines(steps)
	for levels := deepest; levels >= fewestLevels; levels-- {
		seen := map[string]bool{}
		shown = each(steps, func(n node) node { return n.within(levels, seen) })
		if lines(shown) <= whyLines {
			break
		}
	}
	return shown, lines(shown) < all
}

// lines is about how many lines the nodes take.
func lines(list []node) int {
	sum := 0
	for _, n := range list {
		sum += 1 + len(remarks(n)) + lines(n.Inputs)
		for _, s := range []string{n.Formula, n.Numbers, n.Method, n.Problem} {
			if s != "" {
				sum++
			}
		}
	}
	return sum
}

// within is the node with so many levels below it; seen are the figures that were worked out.
// What is no longer shown is not referred to.
func (n node) within(levels int, seen map[string]bool) node {
	id := ""
	if n.Value.From != nil {
		id = n.Value.From.ID
	}
	n.Above = n.Above && seen[id]
	if levels == 0 && len(n.Inputs) > 0 {
		return node{Name: n.Name, Value: n.Value, Title: n.Title, Problem: n.Problem}
	}
	seen[id] = seen[id] || n.Formula != "" || n.Method != ""
	n.Inputs = each(n.Inputs, func(in node) node { return in.within(levels-1, seen) })
	return n
}
