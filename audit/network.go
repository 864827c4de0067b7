package audit

// networkTests are about addresses and the network.
var networkTests = []test{}
