package kubelet_test
import ("testing";"fmt";"encoding/json";"plimsoll.dev/place/kubelet";"plimsoll.dev/place/kubelet/kubelettest")
func TestZZ(t *testing.T) {
	s := kubelettest.Random(29)
	b, _ := json.Marshal(s.Config); fmt.Println(s.Machine.String(), string(b))
	n, _ := kubelet.New(s.Machine, s.Config)
	for i, e := range s.Events[:4] {
		if e.Admit == nil { fmt.Println("remove", e.Remove); n.Remove(e.Remove); continue }
		b, _ := json.Marshal(e.Admit); fmt.Println(i, string(b))
		v := n.Admit(e.Admit)
		b, _ = json.Marshal(v); fmt.Println("  ", string(b), "shared", n.Shared())
	}
}
