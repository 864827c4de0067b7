package haproxy

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// threads are at most those that were measured: more do not give in proportion.
func (p *advisor) threads() {
	measured := p.fact("ocp.router.threads")
	v, why := measured, "as measured; more threads do not give in proportion more"
	switch {
	case p.in.Threads > 0:
		v, why = given("threads", p.in.Threads, "threads"), "as you gave it"
		if p.in.Threads != int(measured.Int()) && !(p.release.three && p.in.Threads == 1) {
			p.find(v1alpha1.Warning, "threads.notMeasured", "",
				fmt.Sprintf("no rate is published for %d threads; the next lower one that is counts", p.in.Threads),
				fmt.Sprintf("take %d threads and more pods, or measure a router", measured.Int()), rout("8.1.1"))
		}
	default:
		if n := p.in.CPUs.Len(); n > 1 && n-1 < int(v.Int()) {
			v, why = derive.Of(float64(n-1), "threads"),
				"one CPU of the NUMA node is left for the interrupts of the network interface"
		}
		if n := p.in.Cores; n > 0 && n < int(v.Int()) {
			v, why = derive.Of(float64(n), "threads"), "as many as there are cores"
		}
	}
	p.choose("threadCount", v, why)
	if !p.release.canSet(settingOf("threadCount")) {
		v = p.fact("ocp.router.threadsDefault")
	}
	p.setup = formula.Setup{Release: p.in.Release, Publishing: p.in.Publishing, Threads: int(v.Int()),
		BareMetal: p.in.BareMetal}
}

// traffic derives what each kind takes of a router, of its connections and of the
// network.
func (p *advisor) traffic() {
	for i, t := range p.in.Traffic {
		s := share{Traffic: t, path: fmt.Sprintf("traffic[%d]", i)}
		keep, shut := p.rates(s)
		kept := p.kept(s)
		s.Share = formula.Share{Requests: t.RequestsPerSecond, KeepAlive: kept.Number, RateKeepAlive: keep.Number,
			RateClose: shut.Number}
		p.mix = append(p.mix, s)
		p.b.Found("router.load["+t.Name+"]", "Routers that "+t.Name+" would fill", s.Load(), "routers",
			"requests * (kept / keepRate + (1 - kept) / closeRate)",
			derive.In("requests", given(s.path+".requestsPerSecond", t.RequestsPerSecond, "requests/s")),
			derive.In("kept", kept), derive.In("keepRate", keep), derive.In("closeRate", shut))
	}
	p.sum("router.requests", "Requests in all", "requests/s",
		func(s share) derive.Value { return given(s.path+".requestsPerSecond", s.Requests, "requests/s") })
	p.load = p.sum("router.load", "Routers that the traffic would fill", "routers",
		func(s share) derive.Value { return p.figure("router.load[" + s.Name + "]") })
	p.b.Note("router.load", "a request takes 1/rate of a router, so that the rates of the kinds mix harmonically")
	p.network()
	p.connections()
	p.oddity()
	p.pages()
}

// figure refers to a recorded figure.
func (p *advisor) figure(id string) derive.Value {
	if f, ok := p.b.Get(id); ok {
		return derive.Cite(f)
	}
	return derive.Value{}
}

// kept is the share of requests that find their connection open.
func (p *advisor) kept(s share) derive.Value {
	if s.RequestsPerConnection == 0 {
		return given(s.path+".requestsPerConnection", 1.0, unit.Ratio).WithText("all kept open")
	}
	n := given(s.path+".requestsPerConnection", s.RequestsPerConnection, "requests")
	return p.b.Found("router.kept["+s.Name+"]", "Requests of "+s.Name+" on connections that are open",
		formula.KeptShare(n.Number), unit.Ratio, "1 - 1 / perConnection", derive.In("perConnection", n))
}

// rates are what one router takes of a kind with connections kept and closed. A
// share of full TLS handshakes makes the second lower.
func (p *advisor) rates(s share) (keep, shut derive.Value) {
	keep, shut = p.rate(s.Encryption, formula.KeepAlive), p.rate(s.Encryption, formula.Close)
	if s.Resumption == nil || *s.Resumption == 1 || s.Encryption != "edge" && s.Encryption != "re-encrypt" {
		return keep, shut
	}
	kept, resumed, full := p.fact("ocp.router.edgeRequestCPU/kept"), p.fact("ocp.router.edgeRequestCPU/resumed"),
		p.fact("ocp.router.edgeRequestCPU/full")
	times := p.b.Found("router.fullHandshake", "Cost of a full TLS handshake, resumed ones being 1",
		formula.FullHandshake(kept.Number, resumed.Number, full.Number), unit.Ratio,
		"(full - kept) / (resumed - kept)", derive.In("full", full), derive.In("kept", kept), derive.In("resumed", resumed))
	share := given(s.path+".resumption", float64(*s.Resumption), unit.Ratio)
	id := "router.closeRate[" + s.Name + "]"
	v := p.b.Found(id, "Requests of one router, a connection each, with the handshakes of "+s.Name,
		formula.CloseRate(keep.Number, shut.Number, share.Number, times.Number), "requests/s",
		"1 / (1 / keep + max(0, 1 / close - 1 / keep) * (resumed + (1 - resumed) * times))",
		derive.In("keep", keep), derive.In("close", shut), derive.In("resumed", share), derive.In("times", times))
	return keep, v
}

// rate is the published rate of a kind, or your own.
func (p *advisor) rate(encryption, mode string) derive.Value {
	r := formula.Measured(p.c, p.setup, encryption, mode)
	return p.b.Record(derive.Figure{ID: "router.rate[" + encryption + "/" + mode + "]",
		Title: "Requests of one router, " + encryption + ", " + mode,
		Value: derive.Of(r.PerSecond, "requests/s"), Formula: r.Formula, Inputs: r.Inputs, Notes: r.Notes,
		Sources: []derive.Source{r.Source}})
}

// network is what all routers carry in each direction: every byte is passed on.
func (p *advisor) network() {
	mtu := p.fact("ocp.mtu.ethernetNIC")
	if p.in.MTU > 0 {
		mtu = given("mtu", p.in.MTU, unit.ByteUnit)
	}
	ip, tcp, stamps, ethernet := p.fact("net.header.ipv4"), p.fact("net.header.tcp"), p.fact("net.header.tcpTimestamps"),
		p.fact("net.header.ethernet")
	segment := p.b.Calc("router.segment", "Payload of a TCP segment", unit.ByteUnit, "mtu - ip - tcp - stamps",
		derive.In("mtu", mtu), derive.In("ip", ip), derive.In("tcp", tcp), derive.In("stamps", stamps))
	header := p.b.Calc("router.segmentHeader", "Headers of a TCP segment", unit.ByteUnit, "ethernet + ip + tcp + stamps",
		derive.In("ethernet", ethernet), derive.In("ip", ip), derive.In("tcp", tcp), derive.In("stamps", stamps))
	ask, answer := p.fact("assumed.router.requestHeader"), p.fact("assumed.router.responseHeader")
	p.bandwidth = p.sum("router.bandwidth", "Network of all routers in each direction", unit.BitsPerS,
		func(s share) derive.Value {
			page := given(s.path+".pageSize", int64(s.PageSize), unit.ByteUnit)
			return p.b.Calc("router.bandwidth["+s.Name+"]", "Network that "+s.Name+" takes in each direction", unit.BitsPerS,
				"8 * requests * (page + answer + ceil((page + answer) / segment) * header + request + "+
					"ceil(request / segment) * header)",
				derive.In("requests", given(s.path+".requestsPerSecond", s.Requests, "requests/s")), derive.In("page", page),
				derive.In("answer", answer), derive.In("request", ask), derive.In("segment", segment), derive.In("header", header))
		})
}

// connections count as the document says, and as measured.
func (p *advisor) connections() {
	of := func(s share) derive.Value { return given(s.path+".connections", s.Connections, "connections") }
	p.clients = p.sum("router.clients", "Connections of clients", "connections", of)
	twice := p.fact("rout.router.maxconnFactor")
	p.careful = p.b.Calc("router.connections", "Connections that count against maxconn, as the document counts",
		"connections", "clients * factor", derive.In("clients", p.clients), derive.In("factor", twice))
	p.precise = p.sum("router.connections.measured", "Connections that count against maxconn, as measured", "connections",
		func(s share) derive.Value {
			each := p.fact("ocp.router.connectionsPerClient/" + s.Encryption)
			return p.b.Calc("router.connections.measured["+s.Name+"]", "Connections of "+s.Name+" that count", "connections",
				"clients * each", derive.In("clients", of(s)), derive.In("each", each))
		})
	p.b.Note("router.connections", "the document doubles the clients of every kind; "+
		"measured, only those of edge and re-encrypt routes count twice, which makes "+
		p.precise.Text+"; the document's careful count is set", rout("8.1.2.1"))
}

// oddity tells of cells of the baseline that contradict experience.
func (p *advisor) oddity() {
	seen := map[string]bool{}
	for _, s := range p.mix {
		seen[s.Encryption] = true
	}
	edge, again := p.figure("router.rate[edge/keep-alive]"), p.figure("router.rate[re-encrypt/keep-alive]")
	if seen["edge"] && seen["re-encrypt"] && again.Number > edge.Number {
		p.find(v1alpha1.Info, "baseline.oddity", "router.rate[re-encrypt/keep-alive]",
			fmt.Sprintf("the baseline has re-encrypt (%s) ahead of edge (%s), although it does more work", again.Text,
				edge.Text), "measure both kinds before you choose by it", rout("8.1.1"))
	}
}

// pages tells of pages that are larger than those of the measurements.
func (p *advisor) pages() {
	usual := p.fact("ocp.router.pageSize")
	for _, s := range p.mix {
		if float64(s.PageSize) > usual.Number {
			p.find(v1alpha1.Info, "pageSize", "router.bandwidth["+s.Name+"]",
				fmt.Sprintf("%s: the rates were measured with pages of %s; those of %s take more network, "+
					"which is counted, and more CPU, which is not", s.Name, usual.Text, unit.FormatDecimal(s.PageSize)),
				"measure a router with your pages and give its rate as a measurement", rout("8.1.1"))
		}
	}
}
