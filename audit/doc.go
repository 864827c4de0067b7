// Package audit judges a cluster that runs: whether it stands as the documents and the vendor advise, by rules that are
// data with a small function each.
//
// It reads nothing: objects are handed to [Cloud.Add] as JSON. What a rule needs and was not given makes it [NotSeen],
// never [OK]. Limits are the plan's, settings those of package tune: they are asked, not repeated.
//
//	c := audit.New("prod", now)
//	c.Add("Node", text)
//	outcomes := audit.Run(c)
package audit
