package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/ovs"
	"plimsoll.dev/facts"
	"plimsoll.dev/source/openflow"
)

func newBenchOVS(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "ovs",
		Short: "Trace packets through OpenFlow rules, and say what these cost",
		Long: `Ovs reads the OpenFlow rules of an Open vSwitch bridge, as "ovs-ofctl
dump-flows" prints them, follows packets through them, and counts on each path
what costs: calls of connection tracking, each of which may send the packet
round again.`,
		Example: `  plimsoll bench ovs trace br0.txt in_port=5,tcp,nw_dst=10.131.0.5
  plimsoll bench ovs audit br0.txt
  plimsoll bench ovs run`,
	}
	c.AddCommand(newBenchOVSTrace(a), newBenchOVSAudit(a), newBenchOVSRun(a))
	return c
}

// readRules of OpenFlow.
func (t *tuning) readRules(path string) (*ovs.File, error) {
	text, name, err := t.slurp(path, openflow.MaxText)
	if err != nil {
		return nil, badInput(err)
	}
	file, problems := openflow.Read(name, text)
	if len(problems) > 0 {
		return nil, t.tell(problems)
	}
	return file, nil
}

func newBenchOVSTrace(a *app) *cobra.Command {
	t := &tuning{app: a}
	var next []string
	c := &cobra.Command{
		Use:   "trace RULES PACKET...",
		Short: "Follow packets through OpenFlow rules, step by step",
		Long: `Trace says which rule of which table matches a packet, what its actions change,
where connection tracking sends a clone of it round again, and where it comes
out, as ofproto/trace of Open vSwitch does. Rules are read as "ovs-ofctl
dump-flows --no-names" prints them, as files for add-flows have them, and as
papers print them. Packets are written as for ofproto/trace; what is not said
is 0.

` + exitCodesHelp,
		Example: `  plimsoll bench ovs trace br0.txt in_port=5,tcp,nw_dst=10.131.0.5
  plimsoll bench ovs trace br0.txt in_port=5,tcp --ct-next trk,est --ct-next trk,est`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := t.checkFailures(); err != nil {
				return err
			}
			questions, err := questions(args[1:], next)
			if err != nil {
				return badInput(err)
			}
			file, err := t.readRules(args[0])
			if err != nil {
				return err
			}
			t.out.again = ""
			return t.answer(ovs.Explain(file, questions), nil)
		},
	}
	t.out.flags(c)
	t.failures(c)
	c.Flags().StringArrayVar(&next, "ct-next", nil,
		"what connection tracking says the next time, such as `trk,est,rpl`; else trk,new")
	return c
}

func newBenchOVSAudit(a *app) *cobra.Command {
	t := &tuning{app: a}
	most := ovs.Most{Any: -1}
	c := &cobra.Command{
		Use:   "audit RULES",
		Short: "Count recirculations and ct() on the dearest paths through rules",
		Long: `Audit finds the dearest path that the rules leave open to a packet of a new
connection, of an established one and to a reply, and counts recirculations,
calls of ct() and look-ups on it. More recirculations than the pipeline of
document 004 has are an error. It names rules that send packets round without
need, that never match, and that lead to no rule.

` + exitCodesHelp,
		Example: `  plimsoll bench ovs audit br0.txt
  ovs-ofctl --no-names dump-flows br0 | plimsoll bench ovs audit -
  plimsoll bench ovs audit br0.txt --recirculations 1 -o junit`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("recirculations") && most.Any < 0 {
				return badInput(errors.New("--recirculations is at least 0"))
			}
			if err := t.checkFailures(); err != nil {
				return err
			}
			file, err := t.readRules(args[0])
			if err != nil {
				return err
			}
			t.out.again = ""
			most.Catalog = facts.Load()
			return t.answer(ovs.Judge(file, most), nil)
		},
	}
	t.out.flags(c)
	t.failures(c)
	c.Flags().IntVar(&most.Any, "recirculations", most.Any,
		"how many a path may have; -1 is as many as document 004's")
	return c
}

// questions of packets, of which all that is wrong is told.
func questions(packets, next []string) ([]ovs.Question, error) {
	var wrong []error
	var states []uint64
	for _, text := range next {
		state, err := openflow.State(text)
		if err != nil {
			err = fmt.Errorf("--ct-next %w", err)
		}
		states, wrong = append(states, state), append(wrong, err)
	}
	var out []ovs.Question
	for _, text := range packets {
		packet, err := openflow.Packet(text)
		out, wrong = append(out, ovs.Question{Text: text, Packet: packet, States: states}), append(wrong, err)
	}
	return out, errors.Join(wrong...)
}
