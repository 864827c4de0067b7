package audit

// routerTests are about routers and what they serve.
var routerTests = []test{}
