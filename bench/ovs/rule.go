package ovs

// Match is which bits of a key a rule looks at, and what they must be. Value has no bit outside of Mask.
type Match struct{ Value, Mask Key }

// Matches says that a key has the bits of the match.
func (m *Match) Matches(k *Key) bool {
	for i, mask := range m.Mask {
		if k[i]&mask != m.Value[i] {
			return false
		}
	}
	return true
}

// Set has the match look at bits of a field, and at no others of it.
func (m *Match) Set(f *Field, v, mask Value) {
	f.Put(&m.Value, v.And(mask), f.Writable())
	f.Put(&m.Mask, mask, f.Writable())
}

// Add has the match look at bits of a field, too.
func (m *Match) Add(f *Field, v, mask Value) {
	f.Put(&m.Value, v.And(mask), mask)
	f.Put(&m.Mask, mask, mask)
}

// Get is what the match says of a field.
func (m *Match) Get(f *Field) (v, mask Value) { return f.Get(&m.Value), f.Get(&m.Mask) }

// Clear has the match no longer look at a field.
func (m *Match) Clear(f *Field) {
	f.Put(&m.Value, Value{}, ones(f.width))
	f.Put(&m.Mask, Value{}, ones(f.width))
}

// within says that all that m matches, o matches, too.
func (m *Match) within(o *Match) bool {
	for i, mask := range o.Mask {
		if m.Mask[i]&mask != mask || m.Value[i]&mask != o.Value[i] {
			return false
		}
	}
	return true
}

// overlaps says that a key exists that both match.
func (m *Match) overlaps(o *Match) bool {
	for i := range m.Mask {
		if both := m.Mask[i] & o.Mask[i]; m.Value[i]&both != o.Value[i]&both {
			return false
		}
	}
	return true
}

// DefaultPriority is that of a rule which says none.
const DefaultPriority = 0x8000

// Rule is an OpenFlow rule.
type Rule struct {
	Line, Col int
	Table     int
	Priority  int
	Cookie    uint64
	Match     Match
	Actions   []Action
	// MatchText and ActionText are as the file has them, repaired.
	MatchText, ActionText string
}

// File of rules.
type File struct {
	Name  string
	Rules []*Rule
	// Repairs are what was not read as it stands.
	Repairs []Remark
	// Widened are parts of rules that Open vSwitch ignores.
	Widened []Remark
}

// Remark about a place of a file.
type Remark struct {
	Line, Col int
	What      string
}

// Part is bits of a field: NXM_NX_REG1[0..15].
type Part struct {
	Field        *Field
	Start, Width int // from the lowest bit
}

func (p Part) span() span { return span{p.Field.at + p.Field.width - p.Start - p.Width, p.Width} }

// Whole is all of a field.
func Whole(f *Field) Part { return Part{f, 0, f.width} }

// Verb is what an action does.
type Verb int

// The verbs.
const (
	Output     Verb = iota // to Port, or to the port that stands in Source
	InPort                 // back to where it came from
	Flood                  // FLOOD, ALL, NORMAL: to ports that are not known here
	Controller             // to the controller
	Goto                   // on with Table
	Resubmit               // as Goto, and back; as if it came in at Port, where that is not NoPort
	Set                    // Target = Value where Mask has bits
	Move                   // Target = Source
	DecTTL
	PushVLAN
	PopVLAN
	SetVLAN // Value under Mask in the VLAN tag, which is added where there is none
	Track   // ct(...)
	Untrack // ct_clear
	Idle    // nothing to the packet: note, set_queue, meter, clear_actions
	Unknown // not simulated
)

// NoPort stands for no port.
const NoPort = -1

// Local is the port of the switch itself.
const Local = 0xfffe

// MaxPort is the highest number of a port that is one.
const MaxPort = 0xff00

// Action of a rule.
type Action struct {
	Verb           Verb
	Text           string // as it was written
	Port           int
	Table          int // of Goto and Resubmit; NoTable is the rule's own
	Target, Source Part
	Value, Mask    Value
	Track          *Tracking
	Col            int
}

// NoTable stands for no table.
const NoTable = 255

// Tracking is what ct(...) does.
type Tracking struct {
	Commit, Force bool
	Table         int // NoTable where the packet does not come back
	Zone          int
	ZoneFrom      Part // where its Field is not nil
	Exec          []Action
	NAT           *NAT
}

// NAT of a ct(...).
type NAT struct {
	Src, Dst bool
	V6       bool
	Address  Value // the first that may be taken
	Given    bool  // an address is given
	Port     int   // the first that may be taken; 0 is as it was
}
