package doubt

// list returns the rows of the document that a careful reader stumbles over, in
// the order of their numbers, with nothing met.
func list() []Row {
	rows := append(measured(), limits()...)
	rows = append(rows, rules()...)
	for i := range rows {
		rows[i].Number = i + 1
	}
	return rows
}

// measured are rows 1 to 5: figures that a measurement or a scan spoilt.
func measured() []Row {
	return []Row{
		{Title: "log volume of a storage host (table 6)", Used: "7.5 MB a day", Printed: "77.5 MB a day", Contradicts: true,
			choice: true,
			Why: "table 7's 1.64 GB a day follows from 7.5 only (77.5 makes it 1.78), and 7.5 MB is 250 bytes a log as in the " +
				"other rows: a digit stands twice"},
		{Title: "synchronisation of the Cinder disk (table 4)", Used: "110 min for 1000 GB at 155 MB/s",
			Printed: "50:05 min for 1000 GB at 155 MB/s", Contradicts: true, choice: true,
			Why: "1000 GB in 50:05 would be 341 MB/s; 1:50:05 gives the printed 155: the hour is lost"},
		{Title: "disk of the second DRBD configuration", Used: "the rates of table 5 alone",
			Printed: "a 1200 GB disk of 10,000 revolutions a minute",
			Why: "its title and the 446 GB of Cinder (an SSD of 480 GB has 447 GiB) show an SSD; " +
				"the list repeats that of the first configuration"},
		{Title: "disk use by number of OSDs", Used: "nothing", Printed: "371 GB with 6 OSDs, 600 GB with 6 OSDs, 38 % more",
			Contradicts: true,
			Why: "one of the counts is wrong, 371 to 600 is 61.7 % more (600 to 371 is 38.2 % less), " +
				"and the bench had 10 OSDs: an anecdote, no coefficient"},
		{Title: "peak throughput of the OSD bench", Used: "nothing", Printed: "700 KB/s",
			Why: "ten disks of 15,000 revolutions a minute do a thousand times as much; MB/s is likely and can't be proven, " +
				"so nothing is computed with it"},
	}
}

// limits are rows 6 to 12: figures that do not agree with one another.
func limits() []Row {
	return []Row{
		{Title: "security rules of a vSwitch", Used: "16,384", Printed: "32,512 in theory (table 12)", choice: true,
			Why: "the text caps a vSwitch at 16,384; 32,512 is 128 on each of 254 ports and counts " +
				"physical ones, which have no rules"},
		{Title: "OSDs of the system", Used: "more than 16 is beyond what was tested",
			Printed: "at most 16, beside 8 storage hosts of 8 OSDs", choice: true,
			Why: "16 are 2 hosts with 8 each, while 2 to 8 hosts are allowed, which makes 64; tested are 2 hosts"},
		{Title: "VMs on a compute host", Used: "at most 20 on one host; the placement decides on the number of hosts",
			Printed: "10 a node (table 1), 20 tested (table 12)",
			Why: "10 is what table 1 scales with, and what is taken where nothing can be placed; " +
				"20 is what one host was tested with, also a host that takes over from another"},
		{Title: "virtual routers and DHCP servers of the system", Used: "20 routers, as tested",
			Printed: "20 routers and DHCP servers", choice: true,
			Why: "the row's remark allows 250 on one compute host and the next row 850 subnets, " +
				"most of which have a DHCP server"},
		{Title: "default size of the database", Used: "the formula where it gives more than 40 GB",
			Printed: "40 GB by default",
			Why:     "above about 577 VMs at 10 to a host the formula passes the default, which the document does not say"},
		{Title: "fixed partitions of a controller", Used: "39 GB and 10 GB of cgcs as images", Printed: "39 GB",
			Why: "the 39 GB leave cgcs out; with dedicated storage its 10 GB have to be put in for the images, " +
				"or disk and backup are 20 GB short"},
		{Title: "layout of the DRBD bench", Used: "its rates alone",
			Printed: "50 GB of database and 330 GB of images on a disk of 480 GB",
			Why: "by the document's own sum it needs 39 + 50 + 330 + 20 + 400 = 839 GB, and the disk is below the minimum of " +
				"500 GB; the model is 480 GB in one place and 240 GB in another"},
	}
}

// rules are rows 13 to 23: rules with a gap or more than one meaning.
func rules() []Row {
	return []Row{
		{Title: "image conversion on a CPE", Used: "the formula of controller storage", Printed: "no formula",
			Why: "a CPE stands among the conditions and beside neither formula; it stores as controller storage does"},
		{Title: "slips of the pen", Used: "what is meant", Printed: "Switch, kym, DRDB and others",
			Why: "the sum of the storage hosts has four terms and names two; Switch is Swift, kym is kvm, DRDB is DRBD; " +
				"Swift's N counts objects and that of local LVM cached images; no formula has the replication"},
		{Title: "memory for the platform", Used: "6 GB and 2 GB for each NUMA node", Printed: "10 GB in all", choice: true,
			Why: "10 GB is right for two NUMA nodes only"},
		{Title: "PCI affinity prefer", Used: "a node without the device only where no node with it is free",
			Printed: "a node if no node with the device is available",
			Why:     "the sentence lacks a \"without\": else prefer would avoid the device"},
		{Title: "page size any", Used: "the same as large with the rules hcg-4.0, else small ones too, as Nova has it",
			Printed: "the same as large",
			Why:     "Nova falls back to small pages for any and never for large; who takes them for the same migrates wrongly"},
		{Title: "benches of vSwitch, SR-IOV and PCI passthrough", Used: "nothing", Printed: "charts of all three",
			Why: "the text on PCI passthrough speaks of SR-IOV; one routes, another switches; CPUs and page sizes differ: " +
				"the charts do not compare"},
		{Title: "local disks that have to migrate",
			Used:    "copy on write migrates blocks; disks that must be shared are remote",
			Printed: "copy on write if live migration is required, remote if it is required of ephemeral disks",
			Why:     "both sentences hold when copy on write stands for block migration and remote for shared disks"},
		{Title: "secondary disk of a compute host", Used: "a warning where no VM has a local disk", Printed: "mandatory",
			Why: "VMs on Cinder volumes never use it, as the same section says"},
		{Title: "overcommit of shared CPUs", Used: "16 to a logical CPU", Printed: "16 to a single core", Why: "a core may " +
			"be a physical one; the StarlingX fork counts logical CPUs; without hyperthreading both are the same"},
		{Title: "parallel creates with controller storage", Used: "5 at once, 10 VMs of a stack", Printed: "at most 5 (HCG " +
			"3), 10 in a Heat stack (table 12)", Why: "10 are the VMs of a stack, 5 how many of them are created at a time"},
		{Title: "share of the controller on a CPE host", Used: "2 logical CPUs and 10,000 MiB on node 0, as StarlingX",
			Printed: "no figure", Why: "the document says that cores and memory are kept for the controller and not how much"},
	}
}
