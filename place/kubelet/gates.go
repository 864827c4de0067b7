package kubelet

import (
	"maps"
	"slices"
	"strings"
)

// Feature gates that change what is decided here; package cpu has its own.
const (
	gateLevels        = "PodLevelResources"
	gateLevelManagers = "PodLevelResourceManagers"
	gateLevelResizes  = "InPlacePodLevelResourcesVerticalScaling"
	gateAllAlpha      = "AllAlpha"
	gateAllBeta       = "AllBeta"
)

// switched are the gates that all alpha or all beta features switch, as far as
// they matter here.
var switched = map[string][]string{
	gateAllAlpha: {gateLevelManagers, "CPUManagerPolicyAlphaOptions"},
	gateAllBeta:  {gateLevels, gateLevelResizes, "CPUManagerPolicyBetaOptions"},
}

// gates are the feature gates that are set, those of all alpha and all beta
// features written out.
func (c *Config) gates() map[string]bool {
	all := map[string]bool{}
	for group, names := range switched {
		if on, set := c.FeatureGates[group]; set {
			for _, name := range names {
				all[name] = on
			}
		}
	}
	maps.Copy(all, c.FeatureGates)
	return all
}

// gate reports whether a feature is on.
func (c *Config) gate(name string, byDefault bool) bool {
	if on, set := c.FeatureGates[name]; set {
		return on
	}
	return byDefault
}

// gates checks the names, and that what a feature needs is on.
func (k *checker) gates() {
	known := strings.Fields(knownGates)
	for _, name := range slices.Sorted(maps.Keys(k.c.FeatureGates)) {
		if _, found := slices.BinarySearch(known, name); !found {
			k.bad("%s is no feature gate of Kubernetes 1.36 (names are written as in %s)", name, gateLevels)
		}
	}
	if k.c.gate(gateLevelManagers, false) && !k.c.gate(gateLevels, true) {
		k.bad("the feature gate %s is on without %s (both, or neither)", gateLevelManagers, gateLevels)
	}
	if k.c.gate(gateLevelResizes, true) && !k.c.gate(gateLevels, true) {
		k.bad("the feature gate %s is on, as by default, without %s (both, or neither)", gateLevelResizes, gateLevels)
	}
}

// knownGates are the names that a kubelet of 1.36.3 takes, in their order
// (pkg/features, and what the libraries beside it add).
const knownGates = `
APIResponseCompression APIServerIdentity APIServerTracing APIServingWithRoutine
AggregatedDiscoveryRemoveBetaType AllAlpha AllBeta AllowDNSOnlyNodeCSR
AllowInsecureKubeletCertificateSigningRequests AllowOverwriteTerminationGracePeriodSeconds
AllowParsingUserUIDFromCertAuth AllowServiceExternalIPs AllowUnsafeMalformedObjectDeletion
AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AtomicFIFO AuthorizeNodeWithSelectors
AuthorizePodWebsocketUpgradeCreatePermission AuthorizeWithSelectors BtreeWatchCache CBORServingAndStorage
CPUManagerPolicyAlphaOptions CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDObservedGenerationTracking
CRDValidationRatcheting CRIListStreaming CSIServiceAccountTokenSecrets CSIVolumeHealth
ChangeContainerStatusOnKubeletRestart ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation
ClientsAllowCBOR ClientsAllowTLSCacheGC ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation
CloudControllerManagerWebhook ClusterTrustBundle ClusterTrustBundleProjection ComponentFlagz ComponentStatusz
ConcurrentWatchObjectDecode ConsistentListFromCache ConstrainedImpersonation ContainerCheckpoint
ContainerRestartRules ContainerStopSignals ContextualLogging ControllerManagerReleaseLeaderElectionLockOnExit
CoordinatedLeaderElection CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod CustomResourceFieldSelectors
DRAAdminAccess DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaintRules DRADeviceTaints
DRAExtendedResource DRAListTypeAttributes DRANodeAllocatableResources DRAPartitionableDevices
DRAPrioritizedList DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization
DRAResourcePoolStatus DRASchedulerFilterTimeout DRAWorkloadResourceClaims DeclarativeValidation
DeclarativeValidationBeta DeclarativeValidationTakeover DeploymentReplicaSetTerminatingReplicas
DetectCacheInconsistency DisableAllocatorDualWrite DisableCPUQuotaWithExclusiveCPUs
DisableNodeKubeProxyVersion DynamicResourceAllocation EnvFiles EventedPLEG ExecProbeTimeout
ExtendWebSocketsToKubelet ExternalServiceAccountTokenSigner GangScheduling GenericWorkload GitRepoVolumeDriver
GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HPAScaleToZero
HostnameOverride ImageMaximumGCAge ImageVolume ImageVolumeWithDigest InOrderInformers
InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory
InPlacePodVerticalScalingInitContainers InformerResourceVersion JobBackoffLimitPerIndex JobManagedBy
JobPodReplacementPolicy JobSuccessPolicy KMSv1 KubeletCgroupDriverFromCRI KubeletCrashLoopBackOffMax
KubeletEnsureSecretPulledImages KubeletFineGrainedAuthz KubeletInUserNamespace KubeletPSI
KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletPodResourcesListUseActivePods
KubeletRegistrationGetOnExistsOnly KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders
KubeletTracing ListFromCacheSnapshot LocalStorageCapacityIsolationFSQuotaMonitoring LogarithmicScaleDown
LoggingAlphaOptions LoggingBetaOptions LoggingStableOptions ManifestBasedAdmissionControlConfig
MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
MaxUnavailableStatefulSet MemoryQoS MultiCIDRServiceAllocator MutableCSINodeAllocatableCount
MutablePVNodeAffinity MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs
MutatingAdmissionPolicy NFTablesProxyMode NativeHistograms NodeDeclaredFeatures
NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap NominatedNodeNameForExpectation OpenAPIEnums
OpportunisticBatching OrderedNamespaceDeletion PLEGOnDemandRelist PersistentVolumeClaimUnusedSinceTime
PodAndContainerStatsFromCRI PodCertificateRequest PodDeletionCost PodLevelResourceManagers PodLevelResources
PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodLogsQuerySplitStreams
PodObservedGenerationTracking PodReadyToStartContainersCondition PodSchedulingReadiness
PodTopologyLabelsAdmission PodsAPI PortForwardWebsockets PreferSameTrafficDistribution
PreventStaticPodAPIReferences ProcMountType QOSReserved RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
ReduceDefaultCrashLoopBackOffDecay RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation
RelaxedServiceNameValidation ReloadKubeletServerCertificateFile RemoteRequestHeaderUID
ResilientWatchCacheInitialization ResourceHealthStatus ResourceHealthStatusMessage
RestartAllContainersOnContainerExits RetryGenerateName RotateKubeletServerCertificate
RuntimeClassInImageCriApi SELinuxChangePolicy SELinuxMount SELinuxMountReadWriteOncePod SchedulerAsyncAPICalls
SchedulerAsyncPreemption SchedulerPopFromBackoffQ SchedulerQueueingHints SeparateCacheWatchRPC
SeparateTaintEvictionController ServiceAccountNodeAudienceRestriction ServiceAccountTokenJTI
ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
ServiceCIDRStatusFieldWiping ShardedListAndWatch SidecarContainers SizeBasedListCostEstimate
StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageCapacityScoring
StorageNamespaceIndex StorageVersionAPI StorageVersionHash StorageVersionMigrator
StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StrictIPCIDRValidation
StructuredAuthenticationConfiguration StructuredAuthenticationConfigurationEgressSelector
StructuredAuthenticationConfigurationJWKSMetrics SupplementalGroupsPolicy TaintTolerationComparisonOperators
TokenRequestServiceAccountUIDValidation TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions
TopologyManagerPolicyBetaOptions TopologyManagerPolicyOptions TranslateStreamCloseWebsocketRequests
UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO
UserNamespacesHostNetworkSupport UserNamespacesSupport VolumeAttributesClass VolumeLimitScaling
WatchCacheInitializationPostStartHook WatchList WatchListClient WinDSR WinOverlay WindowsCPUAndMemoryAffinity
WindowsGracefulNodeShutdown WindowsHostNetwork WorkloadAwarePreemption WorkloadWithJob
`
