// Package openstack reads what the openstack command writes as JSON about a cloud
// that runs: flavors, servers and images, of old clients and of new ones, and what
// the services themselves answer. YAML of the same form is read as well.
//
// It asks no cloud and places nothing. How things are read:
//
//   - Columns are found by name, whatever their case and order; columns that are
//     not needed may be missing. RAM and swap are in MiB, disks in GiB.
//   - Properties are a mapping, or text as old clients wrote it: a='1', b='2'.
//   - A server that is deleted or shelved and offloaded holds nothing on a host; it
//     stands in what was skipped, with the reason. So does one that failed before
//     it found a host.
//   - The default availability zone, nova, is read as none: no server asks for it.
//   - Two servers of one name get the beginning of their ids behind it.
//   - Up to 5,000 servers are told one by one. Of more, those with equal flavor,
//     host, zone and image are one entry with a count.
//   - Networks are not read: a list of servers does not say which NICs they are on.
//
// All readers return every problem of the input at once, as a [yamlpos.Problems]
// with file, line and column.
//
//	flavors, skipped, err := openstack.ReadFlavors(file, "flavors.json", nova.Nova)
//	servers, skipped, err := openstack.ReadServers(file, "servers.json")
package openstack
