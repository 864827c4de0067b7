package health

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// expand turns names with ranges into single names: "w-[1-3,7],x" is w-1, w-2, w-3,
// w-7 and x.
func expand(text string) ([]string, error) {
	var out []string
	for _, part := range cutOutside(text) {
		before, rest, ranged := strings.Cut(part, "[")
		if !ranged {
			if part == "" || strings.Contains(part, "]") {
				return nil, fmt.Errorf("%q is not a name", part)
			}
			out = append(out, part)
			continue
		}
		inside, after, closed := strings.Cut(rest, "]")
		if !closed || strings.ContainsAny(after, "[]") {
			return nil, fmt.Errorf("%q has a range that is not closed", part)
		}
		numbers, err := numbersOf(inside)
		if err != nil {
			return nil, err
		}
		for _, n := range numbers {
			out = append(out, before+strconv.Itoa(n)+after)
		}
		if len(out) > maxMachines {
			return nil, fmt.Errorf("%q names more than %d machines", text, maxMachines)
		}
	}
	return out, nil
}

// cutOutside cuts at commas that stand in no brackets.
func cutOutside(text string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth <= 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return append(out, text[from:])
}

// numbersOf reads 1-3,7.
func numbersOf(text string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, ranged := strings.Cut(part, "-")
		if !ranged {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || a < 0 || b < a || b-a >= maxMachines || len(out) > maxMachines {
			return nil, fmt.Errorf("%q is not a range", part)
		}
		for n := a; n <= b; n++ {
			out = append(out, n)
		}
	}
	return out, nil
}

// short writes a duration without parts that are zero: 5m, 1h, 5m1s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// clock writes a time of a scenario.
func clock(at int64) string { return short(time.Duration(at) * time.Second) }

// fold writes names with ranges where numbers follow each other.
func fold(names []string) string {
	var parts []string
	for i := 0; i < len(names); {
		stem, first := numbered(names[i])
		j := i + 1
		for j < len(names) {
			s, n := numbered(names[j])
			if first < 0 || s != stem || n != first+(j-i) {
				break
			}
			j++
		}
		switch j - i {
		case 1:
			parts = append(parts, names[i])
		case 2:
			parts = append(parts, names[i], names[i+1])
		default:
			parts = append(parts, fmt.Sprintf("%s[%d-%d]", stem, first, first+j-i-1))
		}
		i = j
	}
	return strings.Join(parts, ",")
}

// few is fold for a sentence: of many names the first ones, and how many there are.
func few(names []string) string {
	const most = 5
	parts := strings.Split(fold(names), ",")
	if len(parts) <= most {
		return strings.Join(parts, ",")
	}
	return fmt.Sprintf("%s and others (%d machines)", strings.Join(parts[:most], ","), len(names))
}

// numbered cuts a name before the number at its end; -1 is none that reads the
// same when it is written again.
func numbered(name string) (string, int) {
	stem := strings.TrimRight(name, "0123456789")
	digits := name[len(stem):]
	n, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(n) != digits {
		return name, -1
	}
	return stem, n
}
