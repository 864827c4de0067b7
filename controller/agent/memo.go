package agent

import (
	"encoding/json"

	"plimsoll.dev/tune/tuned"
)

// memo is what an agent notes of a profile for the next one: what waits for the next start of the node is not to come
// with the next start of the agent.
type memo struct {
	UID, Profile string
	SysctlsWin   bool
	Texts        []text
}

type text struct{ Name, Data string }

// memoOf what is held.
func memoOf(d *Desired) string {
	m := memo{UID: d.UID, Profile: d.Profile, SysctlsWin: d.SysctlsWin}
	for _, p := range d.Profiles {
		m.Texts = append(m.Texts, text{p.Name, p.Source.Body})
	}
	out, err := json.Marshal(m)
	if err != nil {
		return "" // texts are never that
	}
	return string(out)
}

// remember what the memo of the agent before says, but for the version; false where there is none.
func remember(s string) (d Desired, ok bool) {
	var m memo
	if json.Unmarshal([]byte(s), &m) != nil || m.Profile == "" {
		return d, false
	}
	d = Desired{Found: true, UID: m.UID, Profile: m.Profile, SysctlsWin: m.SysctlsWin}
	for _, t := range m.Texts {
		d.Profiles = append(d.Profiles, tuned.Profile{Name: t.Name, Source: tuned.Source{Body: t.Data}})
	}
	return d, true
}
