package router

import (
	"cmp"
	"fmt"
	"math"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// kind is one entry of the scenario's traffic with its figures.
type kind struct {
	v1alpha1.Traffic
	path string
	// share of the mix for the arithmetic; the values are its provenance.
	share                                   formula.Share
	requests, keepAlive, keepRate, shutRate derive.Value
	load, bandwidth, fills                  derive.Value
}

// traffic derives load and bandwidth of every kind.
func (p *planner) traffic() {
	segment, header := p.wire()
	for i, t := range p.in.Router.Traffic {
		t.Encryption = cmp.Or(t.Encryption, "none")
		k := kind{Traffic: t, path: fmt.Sprintf("traffic[%d]", i)}
		k.requests = p.Field(k.path+".requestsPerSecond", t.RequestsPerSecond, "requests/s")
		kept := 1.0
		if t.KeepAlive != nil {
			kept = float64(*t.KeepAlive)
		}
		k.keepAlive = p.Field(k.path+".keepAlive", kept, unit.Ratio)
		k.keepRate, k.shutRate = p.rate(t.Encryption, formula.KeepAlive), p.rate(t.Encryption, formula.Close)
		k.share = formula.Share{Requests: k.requests.Number, KeepAlive: kept, RateKeepAlive: k.keepRate.Number,
			RateClose: k.shutRate.Number}
		k.load = p.calc("router.load["+t.Name+"]", "Routers that "+t.Name+" would fill", "routers",
			"requests * (keepAlive / keepAliveRate + (1 - keepAlive) / closeRate)", derive.In("requests", k.requests),
			derive.In("keepAlive", k.keepAlive), derive.In("keepAliveRate", k.keepRate), derive.In("closeRate", k.shutRate))
		k.bandwidth, k.fills = p.bandwidth(k, segment, header), p.fills(k)
		p.mix = append(p.mix, k)
	}
}

// wire derives the payload of a TCP segment and the headers that go with it.
func (p *planner) wire() (segment, header derive.Value) {
	mtu := p.in.MTU
	if mtu.Number == 0 {
		mtu = p.Fact("ocp.mtu.ethernetNIC")
	}
	ip, tcp, stamps, ethernet := p.Fact("net.header.ipv4"), p.Fact("net.header.tcp"), p.Fact("net.header.tcpTimestamps"),
		p.Fact("net.header.ethernet")
	segment = p.Calc("router.segment", "Payload of a TCP segment", unit.ByteUnit,
		"mtu - ip - tcp - timestamps", derive.In("mtu", mtu), derive.In("ip", ip), derive.In("tcp", tcp),
		derive.In("timestamps", stamps))
	header = p.Calc("router.segmentHeader", "Headers of a TCP segment", unit.ByteUnit,
		"ethernet + ip + tcp + timestamps", derive.In("ethernet", ethernet), derive.In("ip", ip), derive.In("tcp", tcp),
		derive.In("timestamps", stamps))
	return segment, header
}

// bandwidth is what a kind takes in each direction of the routers' interfaces.
// A router passes every byte on: the answer comes in from the back end and goes
// out to the client, the request the other way round.
func (p *planner) bandwidth(k kind, segment, header derive.Value) derive.Value {
	page := p.Field(k.path+".pageSize", float64(k.PageSize), unit.ByteUnit)
	ask, answer := p.Fact("assumed.router.requestHeader"), p.Fact("assumed.router.responseHeader")
	id := "router.bandwidth[" + k.Name + "]"
	v := p.Calc(id, "Network that "+k.Name+" takes in each direction", unit.BitsPerS,
		"8 * requests * (page + answer + ceil((page + answer) / segment) * header + request + "+
			"ceil(request / segment) * header)",
		derive.In("requests", k.requests), derive.In("page", page), derive.In("answer", answer), derive.In("request", ask),
		derive.In("segment", segment), derive.In("header", header))
	p.Note(id, "in from the back ends and out to the clients alike; "+
		"acknowledgements and the overlay's headers are left out")
	return v
}

// fills is the page with which one router fills its interface, or one of
// 1 Gbit/s, of which the document speaks, when no node type says the speed.
func (p *planner) fills(k kind) derive.Value {
	nic := p.in.NIC
	if nic.Number == 0 {
		nic = p.Fact("ocp.router.saturatedNIC")
	}
	id, page := "router.fillingPage["+k.Name+"]", formula.FillingPage(k.keepRate.Number, nic.Number)
	v := p.Record(derive.Figure{ID: id, Title: "Page with which one router fills " + nic.Text + ", keep-alive",
		Value:   derive.Of(page, unit.ByteUnit).WithText(unit.FormatDecimal(unit.Bytes(unit.Whole(math.Ceil(page))))),
		Formula: "interface / 8 / rate", Inputs: []derive.Input{derive.In("interface", nic), derive.In("rate", k.keepRate)},
		Sources: []derive.Source{baseline}})
	p.Note(id, fmt.Sprintf("payload only; the document says that one router fills %s with pages as small as %s",
		p.Fact("ocp.router.saturatedNIC").Text, unit.FormatDecimal(unit.Bytes(p.Fact("ocp.router.saturatingPage").Int()))))
	p.Detail(v)
	return v
}

// shares are the mix for Load and Capacity.
func (p *planner) shares() []formula.Share {
	list := make([]formula.Share, len(p.mix))
	for i, k := range p.mix {
		list[i] = k.share
	}
	return list
}

// sum records the sum of one value of every kind.
func (p *planner) sum(id, title, unitName string, of func(kind) derive.Value) derive.Value {
	t := derive.Terms{Texts: []string{"0"}}
	for i, k := range p.mix {
		t.Product(derive.In(fmt.Sprintf("kind%d", i+1), of(k)))
	}
	return p.calc(id, title, unitName, t.Sum(), t.In...)
}

// calc records a figure that need not be whole. One that is printed as 1 is
// "1 router", whatever stands behind the third decimal.
func (p *planner) calc(id, title, unitName, formula string, in ...derive.Input) derive.Value {
	v := derive.Of(derive.Solve(formula, in...), unitName)
	if one := unit.Format(1, unitName); v.Text == "1 "+unitName {
		v.Text = one
	}
	return p.Record(derive.Figure{ID: id, Title: title, Value: v, Formula: formula, Inputs: in})
}
