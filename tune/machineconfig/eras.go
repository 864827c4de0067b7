package machineconfig

import (
	"slices"
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/tune/era"
)

// mco is the operator's source, by section.
func mco(section string) derive.Source {
	return derive.Source{Code: "MCO source", Section: section}
}

// versions are those of Ignition's specification, oldest first.
type versions []string

func (v versions) String() string { return strings.Join(v, ", ") }

var (
	twos   = versions{"2.0.0", "2.1.0", "2.2.0"}
	threes = versions{"3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", "3.5.0"}
)

// The behaviours that differ by era.
var (
	written = era.Rule[string]{ID: "machineConfig.ignition.written", Title: "Version of Ignition's specification that Plimsoll writes",
		At: [4]string{"2.2.0", "2.2.0", "2.2.0", "3.2.0"}, Source: mco("pkg/controller/common/helpers.go, IgnParseWrapper")}
	accepted = era.Rule[versions]{ID: "machineConfig.ignition.accepted", Title: "Versions of Ignition's specification that the operator accepts",
		At: [4]versions{twos, twos, slices.Concat(twos, threes[:1]), slices.Concat(twos, threes)}, Source: mco("pkg/controller/common/helpers.go, IgnParseWrapper")}
	emptyConfig = era.Rule[bool]{ID: "machineConfig.ignition.empty", Title: "Whether an empty mapping is taken for a configuration",
		At: era.Until(era.V44), Source: mco("pkg/controller/common/helpers.go, ValidateIgnition")}
	byPath = era.Rule[bool]{ID: "machineConfig.render.byPath", Title: "Whether files of one path are merged field by field; otherwise the last one is written whole",
		At: era.Since(era.Current), Source: mco("pkg/controller/common/helpers.go, MergeMachineConfigs")}
	workerFirst = era.Rule[bool]{ID: "machineConfig.render.workerFirst", Title: "Whether those of role worker come first, whatever their names",
		At: era.Since(era.Current), Source: mco("pkg/controller/common/helpers.go, MergeMachineConfigs")}
	firstFIPS = era.Rule[bool]{ID: "machineConfig.render.firstFIPS", Title: "Whether fips of the first MachineConfig counts",
		At: era.Since(era.Current), Source: mco("pkg/controller/common/helpers.go, MergeMachineConfigs")}
	ownImage = era.Rule[bool]{ID: "machineConfig.render.osImageURL", Title: "Whether osImageURL of a MachineConfig replaces the release's image",
		At: era.Since(era.Current), Source: mco("pkg/controller/common/helpers.go, MergeMachineConfigs")}
	kernelTypes = era.Rule[versions]{ID: "machineConfig.kernelTypes", Title: "Values of kernelType",
		At:     [4]versions{nil, {"default", "realtime"}, {"default", "realtime"}, {"default", "realtime", "64k-pages"}},
		Source: mco("pkg/controller/common/helpers.go, ValidateMachineConfig")}
	plainModes = era.Rule[bool]{ID: "machineConfig.mode.plain", Title: "Whether modes above 0777 are refused",
		At: era.Since(era.Current), Source: mco("pkg/controller/common/helpers.go, validateIgn3FileModes")}
	decompressed = era.Rule[bool]{ID: "machineConfig.compression", Title: "Whether a running node decompresses files",
		At: era.Since(era.Current), Source: mco("pkg/controller/common/helpers.go, DecodeIgnitionFileContents")}
	renderRefuses = era.Rule[bool]{ID: "machineConfig.refused.byController", Title: "Whether the controller refuses what nodes can't take on, before any node sees it",
		At: era.Since(era.Current), Source: mco("pkg/controller/render/render_controller.go")}
	oneVersion = era.Rule[bool]{ID: "machineConfig.refused.version", Title: "Whether a node refuses another version of Ignition's specification",
		At: era.Until(era.V44), Source: mco("pkg/daemon/update.go, Reconcilable")}
	passwords = era.Rule[bool]{ID: "machineConfig.refused.password", Title: "Whether the password of user core may change",
		At: era.Since(era.Current), Source: mco("pkg/controller/common/reconcile.go, verifyUserFields")}
	policies = era.Rule[bool]{ID: "machineConfig.react.policies", Title: "Whether some changes need neither drain nor reboot",
		At: era.Since(era.Current), Source: mco("pkg/daemon/update.go, pkg/apihelpers/apihelpers.go")}
	reapplied = era.Rule[bool]{ID: "machineConfig.react.arguments", Title: "Whether all kernel arguments are taken off and put on again in order; otherwise what stays keeps its place and what is new goes last",
		At: era.Since(era.Current), Source: mco("pkg/daemon/update.go, generateKargs")}
	defaultMask = era.Rule[bool]{ID: "machineConfig.rps.defaultMask", Title: "Whether the kernel knows net.core.rps_default_mask (from 4.13)",
		At: era.Since(era.Current), Source: derive.Source{Code: "NTO source", Section: "assets/performanceprofile/configs/99-default-rps-mask.conf"}}
	keyfiles = era.Rule[bool]{ID: "machineConfig.routes.keyfile", Title: "Whether static routes stand in NetworkManager's key files; otherwise in network-scripts",
		At: era.Since(era.Current), Source: derive.Source{Code: "ZTIP", Section: "Tuning recommendation #2"}}
	severalSizes = era.Rule[bool]{ID: "machineConfig.hugePages.several", Title: "Whether a node may have huge pages of several sizes",
		At: era.Since(era.Current), Source: derive.Source{Code: "OCP", Section: "13.2"}}
)

// Eras are the behaviours that differ by era.
func Eras() []era.Row {
	return []era.Row{written.Row(), accepted.Row(), emptyConfig.Row(), byPath.Row(), workerFirst.Row(), firstFIPS.Row(), ownImage.Row(),
		kernelTypes.Row(), plainModes.Row(), decompressed.Row(), renderRefuses.Row(), oneVersion.Row(), passwords.Row(), policies.Row(),
		reapplied.Row(), defaultMask.Row(), keyfiles.Row(), severalSizes.Row()}
}

// release names an era in a sentence.
func release(e era.Era) string { return releases[e] }

var releases = [len(era.Row{}.At)]string{"OpenShift 4.3", "OpenShift 4.4", "OpenShift 4.5", "OpenShift today"}
