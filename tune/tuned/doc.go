// Package tuned reads TuneD's own profile language and answers which settings a
// profile comes to: its includes merged, its variables and functions worked out,
// each value with the file and line that it comes from and the values that it
// overrode. It follows TuneD 2.20.0, also where that is surprising, and says so in
// findings; what TuneD itself answers is recorded under testdata/oracle. Functions
// that other releases have, or lack, are told apart by Release.
//
// What the node alone knows is never made up: such a value is marked as unknown, with
// what it depends on, and so is everything that follows from it.
//
// It applies nothing and reads no files: profiles come in as texts, facts about
// the machine as a Machine. Which profile a node gets is the business of package
// profile.
//
//	set := tuned.NewSet(vendor, admin)
//	flat, findings := set.Flatten("openshift-node", tuned.Machine{Virtual: &yes})
//	fmt.Print(tuned.Text(flat))
package tuned
