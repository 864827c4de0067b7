package audit

// poolTests are about machine config pools and the control plane.
var poolTests = []test{}
