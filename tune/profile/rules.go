package profile

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
)

const (
	bad    = v1alpha1.Error
	warn   = v1alpha1.Warning
	remark = v1alpha1.Info
)

var (
	schemaSource = nto("manifests/20-tuned.crd.yaml")
	tunedSource  = derive.Source{Code: "TuneD source", Section: "profiles"}
)
