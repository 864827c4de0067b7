package scenario

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// checks are the named checks of the `check` tags.
var checks = map[string]strict.Check{
	"name":          {Test: checkName, Sample: "cluster"},
	"release":       {Test: checkRelease, Sample: `"4.17"`},
	"cidr":          {Test: checkCIDR, Sample: "10.128.0.0/14"},
	"hugepages":     {Test: checkPageSize},
	"intorpercent":  {Test: checkIntOrPercent, Sample: "1", Numbers: true},
	"podsorpercent": {Test: checkPodsOrPercent, Sample: "1", Numbers: true},
	"topology":      {Test: checkTopology, Sample: "2 sockets x 14 cores x 2 threads"},
	"cpuset":        {Test: checkCPUSet, Sample: "0-1", Numbers: true},
	"framesize":     {Test: checkFrameSize, Sample: "imix", Numbers: true},
	"kubernetes":    {Test: checkKubernetes, Sample: `"1.36"`},
}

// schemaKnows says whether a kind is ours, or meant to be.
func schemaKnows(kind string) bool {
	return schema.Nearest(kind, []string{v1alpha1.KindScenario}) != ""
}

var (
	nameForm       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	notName        = regexp.MustCompile(`[^a-z0-9]+`)
	kubernetesForm = regexp.MustCompile(`^v?(1\.[0-9]{1,3})(\.[0-9]{1,4})?$`)
	releaseForm    = regexp.MustCompile(`^[0-9]{1,3}\.[0-9]{1,4}(\.[0-9]{1,5})?$`)
)

// checkName wants a DNS label, because machine sets are named after it.
func checkName(text string) error {
	if nameForm.MatchString(text) {
		return nil
	}
	fix := "write small letters, digits and hyphens, at most 63"
	if guess := strings.Trim(notName.ReplaceAllString(strings.ToLower(text), "-"), "-"); nameForm.MatchString(guess) &&
		isPlain(text) {
		fix = "write " + guess
	}
	return fmt.Errorf("%s can't be part of an object's name (%s)", yamlpos.Quote(text), fix)
}

// isPlain says whether text is of characters that one can see.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

func checkRelease(text string) error {
	if releaseForm.MatchString(text) {
		return nil
	}
	fix := `write it like "4.17"`
	if guess := strings.TrimLeft(text, "vV"); releaseForm.MatchString(guess) {
		fix = "write " + strconv.Quote(guess)
	}
	return fmt.Errorf("%s is not a release (%s)", yamlpos.Quote(text), fix)
}

// checkKubernetes wants a minor release: the scheduler's rules don't change
// within one.
func checkKubernetes(text string) error {
	minor := kubernetesForm.FindStringSubmatch(text)
	switch {
	case minor == nil:
		return fmt.Errorf(`%s is not a release of Kubernetes (write it like "1.36")`, yamlpos.Quote(text))
	case minor[1] != text:
		return fmt.Errorf("%s is more than a minor release (write %q)", yamlpos.Quote(text), minor[1])
	}
	return nil
}

// checkTopology wants the one-line notation of a machine.
func checkTopology(text string) error {
	_, err := topo.ParseShape(text)
	return err
}

// checkCPUSet wants a list of CPUs that are not none.
func checkCPUSet(text string) error {
	s, err := unit.ParseCPUSet(text)
	if err == nil && s.IsEmpty() {
		return errors.New("no CPU is named (write a list such as 0-1, or remove the key)")
	}
	return err
}

// checkCIDR wants a network in its canonical form.
func checkCIDR(text string) error {
	p, err := netip.ParsePrefix(text)
	switch _, addrErr := netip.ParseAddr(text); {
	case err == nil && p == p.Masked() && p.String() == text:
		return nil
	case err == nil && p != p.Masked():
		return fmt.Errorf("%s has bits set beyond its prefix (did you mean %s?)", yamlpos.Quote(text), p.Masked())
	case err == nil:
		return fmt.Errorf("%s is not in the usual form (write %s)", yamlpos.Quote(text), p)
	case addrErr == nil:
		return fmt.Errorf("%s has no prefix length (write it like 10.0.0.0/16)", yamlpos.Quote(text))
	}
	return fmt.Errorf("%s is not a network (write it like 10.0.0.0/16)", yamlpos.Quote(text))
}

// checkPageSize wants a size that some processor has, as the name of the
// resource hugepages-SIZE has it.
func checkPageSize(text string) error {
	size, err := unit.ParseBytes(text)
	if err != nil {
		return fmt.Errorf("%s is not a page size (write it like 2Mi or 1Gi)", yamlpos.Quote(text))
	}
	page := unit.Bytes(facts.Load().Must("ocp.hugePages.pageSize").Number)
	switch {
	case size <= page:
		return fmt.Errorf("%s is not a huge page: a normal page has %s (write 2Mi or 1Gi)", yamlpos.Quote(text),
			unit.FormatBytes(page))
	case size&(size-1) != 0:
		return fmt.Errorf("%s is not a power of two (%s)", yamlpos.Quote(text), binaryGuess(text))
	case size.String() != text:
		return fmt.Errorf("%s is not how Kubernetes names the size (write %s)", yamlpos.Quote(text), size)
	}
	return nil
}

// binaryGuess is the advice for a size with a decimal suffix.
func binaryGuess(text string) string {
	guess := strings.TrimRight(text, "kMG") + strings.ToUpper(text[len(text)-1:]) + "i"
	if checkPageSize(guess) == nil {
		return "did you mean " + guess + "?"
	}
	return "write 2Mi or 1Gi"
}

// checkIntOrPercent wants a number of nodes or a share of them, not none.
func checkIntOrPercent(text string) error {
	number, isPercent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseUint(number, 10, 31)
	switch {
	case err != nil:
		return fmt.Errorf("%s is neither a number nor a percentage (write it like 5 or 10%%)", yamlpos.Quote(text))
	case n == 0:
		return fmt.Errorf("%s would never let a node be updated (at least 1)", yamlpos.Quote(text))
	case isPercent && n > 100:
		return fmt.Errorf("%s is more than all nodes (at most 100%%)", yamlpos.Quote(text))
	}
	return nil
}

// checkPodsOrPercent wants a number of pods or a share of them, which may be none.
func checkPodsOrPercent(text string) error {
	if text == "0" || text == "0%" {
		return nil
	}
	err := checkIntOrPercent(text)
	if n, isPercent := strings.CutSuffix(text, "%"); err != nil && isPercent && len(n) > 2 {
		return fmt.Errorf("%s is more than all pods (at most 100%%)", yamlpos.Quote(text))
	}
	return err
}

// checkFrameSize wants a mix that has a name, or bytes of an Ethernet frame.
func checkFrameSize(text string) error {
	const least, most = 64, 65535
	n, err := strconv.Atoi(text)
	switch {
	case text == "imix":
		return nil
	case err != nil:
		return fmt.Errorf("%s is no frame size (write imix, or bytes such as 512)", yamlpos.Quote(text))
	case n < least || n > most:
		return fmt.Errorf("a frame of %d bytes is not possible (%d to %d)", n, least, most)
	}
	return nil
}
