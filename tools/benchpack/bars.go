package main

import (
	"fmt"
	"io"

	"plimsoll.dev/internal/table"
)

// bar is a figure that is asked for, and the one that was measured.
type bar struct {
	what, asked, measured string
	passed                bool
}

// judge prints the bars; the error is that one was missed.
func judge(bars []bar, out io.Writer) error {
	t := table.Table{Columns: []table.Column{{Title: "Bar"}, {Title: "Asked", Keep: true}, {Title: "Measured", Keep: true},
		{Title: "", Keep: true}}}
	var err error
	for _, b := range bars {
		verdict := "PASS"
		if !b.passed {
			verdict, err = "FAIL", errBar
		}
		t.Add(b.what, b.asked, b.measured, verdict)
	}
	fmt.Fprintln(out, t.String(100))
	return err
}

// most is a bar on a share that may be at most so much, in percent.
func most(what string, asked, measured float64) bar {
	return bar{what, fmt.Sprintf("<= %g %%", 100*asked), fmt.Sprintf("%.4f %%", 100*measured), measured <= asked}
}

// least is a bar on a share that must be at least so much, in percent.
func least(what string, asked, measured float64) bar {
	return bar{what, fmt.Sprintf(">= %g %%", 100*asked), fmt.Sprintf("%.1f %%", 100*measured), measured >= asked}
}

// seconds is a bar on the longest CPU time.
func seconds(what string, asked float64, list []outcome) bar {
	longest := quantile(list, 1, func(o outcome) float64 { return o.cpu.Seconds() })
	return bar{what, fmt.Sprintf("<= %g s", asked), fmt.Sprintf("%.3f s", longest), longest <= asked}
}

// none is a bar that something never is.
func none(what string, list []outcome, is func(outcome) bool) bar {
	n := int(share(list, is)*float64(len(list)) + 0.5)
	return bar{what, "none", fmt.Sprintf("%d of %d", n, len(list)), n == 0}
}

// accepted is the bar that the checker accepts every certificate.
func accepted(what string, list []outcome) bar {
	return none(what+": certificates not accepted", list, func(o outcome) bool { return len(o.faults) > 0 })
}
