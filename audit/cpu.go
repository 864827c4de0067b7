package audit

// cpuTests are about exclusive CPUs, alignment and huge pages.
var cpuTests = []test{}
