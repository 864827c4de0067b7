package schedulertest

import (
	"fmt"

	"plimsoll.dev/place/scheduler"
)

// Player lets place/scheduler decide in a session.
type Player struct {
	*scheduler.Scheduler
	// Classes are the scheduler's names of the session's classes.
	Classes []scheduler.ClassID

	session Session
	placed  []int // node of each arrival so far, -1 when on none
	events  []Event
}

// Open makes a scheduler for the session, with its bound pods in place.
func Open(s Session) (*Player, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	scheduler, err := scheduler.New(s.Profile, s.Nodes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	p := &Player{Scheduler: scheduler, session: s, events: s.Events}
	for _, c := range s.Classes {
		id, err := p.Class(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		p.Classes = append(p.Classes, id)
	}
	for _, b := range s.Bound {
		for range b.Count {
			p.Bind(p.Classes[b.Class], b.Node)
		}
	}
	return p, nil
}

// Next lets happen what comes before the next arrival, and says where its pod
// goes, -1 when it fits nowhere.
func (p *Player) Next() (int, error) {
	pod := len(p.placed)
	for len(p.events) > 0 && p.events[0].Before == pod {
		if err := p.happen(p.events[0]); err != nil {
			return -1, fmt.Errorf("%s: before pod %d: %w", p.session.Name, pod, err)
		}
		p.events = p.events[1:]
	}
	node := p.Schedule(p.Classes[p.session.Arrivals[pod]]).Node
	p.placed = append(p.placed, node)
	return node, nil
}

func (p *Player) happen(e Event) error {
	switch {
	case e.Leave != nil:
		node := p.placed[*e.Leave]
		if node < 0 {
			return nil
		}
		p.placed[*e.Leave] = -1
		return p.Unbind(p.Classes[p.session.Arrivals[*e.Leave]], node)
	case e.Add != nil:
		return p.AddNodes(*e.Add)
	case e.Remove != nil:
		for i, node := range p.placed {
			if node == *e.Remove {
				p.placed[i] = -1
			}
		}
		p.RemoveNodes(*e.Remove)
	case e.Cordon != nil:
		p.SetUnschedulable(*e.Cordon, true)
	case e.Uncordon != nil:
		p.SetUnschedulable(*e.Uncordon, false)
	}
	return nil
}
