// Package cluster is what every controller asks of an API server before it acts: how late it is there, who holds a
// lease, and whether an object is still the one that was read. It decides nothing.
//
//	clock := &cluster.Clock{}
//	config.Wrap(clock.Transport)
//	holder, err := cluster.Holder(ctx, reader, lease, time.Now().Add(-clock.Skew()))
package cluster
