package main

import (
	"github.com/spf13/cobra"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/tuning"
)

func newTuning() *cobra.Command {
	f, namespace := &runFlags{}, ""
	c := &cobra.Command{
		Use:   "tuning",
		Short: "Make Profile objects from Tuned CRs",
		Long: `Tuning watches Tuned CRs, nodes, machine config pools and, where a CR asks for
them, pods, and keeps a Profile object for each node: the profile that the Node
Tuning Operator of the release would choose, as "plimsoll tune explain" explains
it, with what the release puts beside it. The Profile of a node that is gone is
deleted.

Without --act it changes nothing and tells what it would do, as events. With it,
it decides by what the API server says at that moment and not by what it watched.
Nothing is changed, for which events give the reason, while

  another process leads, or the operator itself is alive;
  its clock is more than five seconds from the API server's;
  a Tuned CR can't be read, or has what "plimsoll tune check" calls an error;
  two texts of one profile leave the choice open, from 4.19 on;
  a CR selects by pools, and there are none;
  nodes, pods, pools or CRs can't be listed, or there are no nodes at all.`,
		Example: `  plimsoll-controller tuning --context prod
  plimsoll-controller tuning --act --release 4.18`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := f.frame("plimsoll-tuning", tuning.Watched(namespace))
			if err != nil {
				return err
			}
			if err := tuning.Add(m, tuning.Options{Release: m.release, Act: f.act, Namespace: namespace, Leader: m.leader,
				Clock: m.clock}); err != nil {
				return err
			}
			return m.Start(c.Context())
		},
	}
	f.flags(c.Flags(), "plimsoll-tuning", "lease-namespace",
		"write Profiles, and the condition Valid of Tuned CRs")
	c.Flags().StringVar(&namespace, "namespace", openshift.NamespaceTuned, "namespace of the Tuned CRs and the Profiles")
	return c
}
