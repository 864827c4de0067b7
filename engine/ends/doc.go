// Package ends runs the ends of a measurement as processes of their own, pinned to CPUs, and takes account of
// the CPU time that they and the machine use.
//
// It moves no byte of a measurement and knows no protocol: engine/netmeter and engine/routermeter do. An end is over
// with the process that started it, however that ends.
//
//	func init() { ends.Role("plimsoll: an end", func(in io.Reader, out io.Writer) int { … }) }
//	p, err := ends.Begin(ctx, ends.Spot{CPUs: unit.CPUSetOf(1)}, "plimsoll: an end")
//	err = p.Ask(order, &answer)
package ends
