// Package kubeletconfig answers what becomes of KubeletConfigs: the kubelet.conf that the
// Machine Config Operator merges for a pool's nodes, by release; what it refuses, what
// has no effect, which of several KubeletConfigs wins, and how many pods a node
// takes in the end. It also makes KubeletConfigs from settings.
//
// It renders no MachineConfig as a whole (package machineconfig does), and doesn't
// run a kubelet: of the kubelet's own checks it knows those that people run into.
//
//	base := kubeletconfig.Base("worker", release.V44)
//	conf, problems := kubeletconfig.Merge(base, cr.Spec.KubeletConfig)
//	fmt.Print(conf.Diff(base))
package kubeletconfig
