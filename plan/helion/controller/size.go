package controller

// Database is the size in bytes of the partition for the database (HCG 3): so many
// copies of a base and of what each VM and each compute adds. It is not yet
// compared with the default partition.
func Database(copies, base, vms, perVM, computes, perCompute float64) float64 {
	return copies * (base + vms*perVM + computes*perCompute)
}

// DatabaseOfMeters is the size in bytes of the same partition where the number of
// meters of the telemetry service is known.
func DatabaseOfMeters(copies, meters, perMeter float64) float64 { return copies * meters * perMeter }

// WithMargin adds a margin, 0.25 for 25 %.
func WithMargin(bytes, margin float64) float64 { return bytes * (1 + margin) }

// Simultaneous is how many volumes are made from images at once: no more than
// asked, than Cinder has workers, which are as many as the controller has cores, and
// than the most workers there are. Cores of 0 are not known.
func Simultaneous(asked, cores, workersMax float64) float64 {
	if cores > 0 {
		workersMax = min(workersMax, cores)
	}
	return min(asked, workersMax)
}

// ConversionController is what image conversion needs in bytes on controllers that
// also hold the volumes: an image of the mean size for each volume that is made at
// the same time, and the margin.
func ConversionController(simultaneous, mean, margin float64) float64 {
	return WithMargin(simultaneous*mean, margin)
}

// ConversionDedicated is what image conversion needs in bytes with storage nodes:
// twice an image of the mean size for each volume that is made at the same time of
// an image that Ceph does not keep as a raw one, twice the largest image that it
// does, for these are converted one after the other, and the margin.
func ConversionDedicated(simultaneous, mean, largestCached, margin float64) float64 {
	return WithMargin(2*simultaneous*mean+2*largestCached, margin)
}

// Backup is the size in bytes of the partition for backups of database and images.
func Backup(database, images, overhead float64) float64 { return database + images + overhead }

// Primary is the size in bytes of all partitions of a controller's primary disk.
func Primary(fixed, database, images, conversion, backup float64) float64 {
	return fixed + database + images + conversion + backup
}

// DatabaseVMs is how many VMs the formula of the database gives the partition for,
// with so many VMs on each compute: beyond it the partition is too small.
func DatabaseVMs(partition, copies, base, perVM, perCompute, vmsPerCompute float64) float64 {
	return max(0, (partition/copies-base)/(perVM+perCompute/vmsPerCompute))
}
