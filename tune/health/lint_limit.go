package health

import (
	"fmt"
	"regexp"
	"strings"

	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
)

// maxPattern is the API server's for maxUnhealthy as text; numbers pass it.
var maxPattern = regexp.MustCompile(`^((100|[0-9]{1,2})%|[0-9]+)$`)

const maxPath = "spec.maxUnhealthy"

// judgeLimit looks at what maxUnhealthy says, whatever it applies to.
func (s *subject) judgeLimit() {
	value := s.mhc.Spec.MaxUnhealthy
	l := LimitOf(value, s.release)
	text, isText := value.(string)
	switch {
	case value == nil:
		s.say(noLimit, "spec", "maxUnhealthy is not set, which is 100%: machines are deleted however many are unhealthy",
			"write maxUnhealthy: 40% for example")
		return
	case isText && patterns.In(s.release) && !maxPattern.MatchString(text):
		s.say(noPattern, maxPath, fmt.Sprintf("maxUnhealthy %q does not match the pattern: the API server refuses it", text),
			"write a number, or a percentage from 0% to 100%")
		return
	case l.err != nil:
		s.say(badLimit, maxPath, "maxUnhealthy "+l.err.Error()+": nothing is remediated",
			"write a number, or a percentage from 0% to 100%")
		return
	case isText && !strings.Contains(text, "%"):
		s.sayText(text, l)
	}
	s.judgeValue(l)
}

func (s *subject) sayText(text string, l Limit) {
	means := fmt.Sprintf("%d machines", l.value)
	other := "4.3 would take it for " + text + " %"
	if l.percent {
		means, other = fmt.Sprintf("%d %%", l.value), "4.4 and later take it for "+text+" machines"
	}
	s.say(textLimit, maxPath, fmt.Sprintf("maxUnhealthy %q in quotes means %s; %s", text, means, other),
		"write the number without quotes, or a percentage")
}

// judgeValue looks at the value that maxUnhealthy has.
func (s *subject) judgeValue(l Limit) {
	switch {
	case l.value < 0 && negativeIsZero.In(s.release):
		s.say(negativeLimit, maxPath, fmt.Sprintf("maxUnhealthy %v counts as 0: nothing is remediated",
			s.mhc.Spec.MaxUnhealthy), "write a number from 1 on, or a percentage")
	case l.value < 0:
		s.say(negativeLimit, maxPath, fmt.Sprintf("maxUnhealthy %v restricts remediation even while all machines are healthy",
			s.mhc.Spec.MaxUnhealthy), "write a number from 1 on, or a percentage")
	case l.value == 0:
		s.say(zeroLimit, maxPath, "maxUnhealthy is 0: nothing is ever remediated",
			"write a number from 1 on, or a percentage")
	case l.percent && l.value > 100:
		s.say(overLimit, maxPath, fmt.Sprintf("maxUnhealthy %v is above 100 %%: there is no limit", s.mhc.Spec.MaxUnhealthy),
			"write a percentage up to 100%; later releases refuse it")
	}
}

// judgeSize looks at what maxUnhealthy comes to for a pool of a size.
func (s *subject) judgeSize(size int) {
	l := LimitOf(s.mhc.Spec.MaxUnhealthy, s.release)
	if l.err != nil || l.none || l.value <= 0 {
		return
	}
	batch := int(facts.Load().Must("ocp.scale.batchMin").Number)
	switch {
	case !l.percent && l.value < batch:
		s.say(burst, maxPath,
			fmt.Sprintf("adding more than %s at once, the documents advise steps of %d to 50, stops remediation until their "+
				"nodes join: machines that start count as unhealthy", words.Count(l.value, "machine", "machines"), batch),
			fmt.Sprintf("add no more than %d at once, or raise maxUnhealthy for the time", l.value))
	case l.percent && l.value < 100:
		s.judgePercent(l, size, batch)
	}
}

// judgePercent looks at a percentage of a known number of machines.
func (s *subject) judgePercent(l Limit, size, batch int) {
	if most, _ := l.Of(size); most == 0 && size > 0 {
		s.say(floorZero, maxPath, l.floorText(size)+": nothing is ever remediated", l.floorAdvice(size))
		return
	}
	if most, _ := l.Of(size + batch); most < batch {
		s.say(burst, maxPath, fmt.Sprintf("adding %d machines to %d, as the documents advise, makes %d of %d unhealthy "+
			"until their nodes join, of which %d%% allow %d: nothing is remediated meanwhile", batch, size, batch, size+batch,
			l.value, most),
			fmt.Sprintf("add no more than %d at once, or raise maxUnhealthy for the time", l.largestStep(size)))
	}
}

// floorText says what a percentage of so few machines comes to, floorAdvice what is
// more.
func (l Limit) floorText(size int) string {
	return fmt.Sprintf("%d%% of %s is %s, rounded down to 0", l.value, words.Count(size, "machine", "machines"),
		decimal(l.value*size))
}

func (l Limit) floorAdvice(size int) string {
	return fmt.Sprintf("write a number, or at least %d%%", (100+size-1)/size)
}

// largestStep is how many machines can be added to so many without a restriction.
func (l Limit) largestStep(size int) int {
	step := 0
	for l.Allows(size+step+1, step+1) {
		step++
	}
	return step
}

// decimal writes hundredths.
func decimal(hundredths int) string {
	if hundredths%100 == 0 {
		return fmt.Sprint(hundredths / 100)
	}
	return strings.TrimRight(fmt.Sprintf("%.2f", float64(hundredths)/100), "0")
}
