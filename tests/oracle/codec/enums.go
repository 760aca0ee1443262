package main

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// vocabulary has plausible values of the string types of the API.
var vocabulary = map[reflect.Type][]string{}

func values[T ~string](vs ...T) {
	var out []string
	for _, v := range vs {
		out = append(out, string(v))
	}
	vocabulary[reflect.TypeFor[T]()] = out
}

func init() {
	values[v1.ResourceName]("cpu", "memory", "ephemeral-storage", "pods", "storage", "hugepages-2Mi", "hugepages-1Gi", "example.com/gpu", "nvidia.com/gpu", "attachable-volumes-csi-ebs.csi.aws.com", "requests.cpu", "limits.memory")
	values[v1.PodPhase]("Pending", "Running", "Succeeded", "Failed", "Unknown")
	values[v1.PodConditionType]("PodScheduled", "Ready", "Initialized", "ContainersReady", "DisruptionTarget", "PodReadyToStartContainers", "PodResizePending", "PodResizeInProgress", "example.com/gate")
	values[v1.ConditionStatus]("True", "False", "Unknown")
	values[metav1.ConditionStatus]("True", "False", "Unknown")
	values[v1.PodQOSClass]("Guaranteed", "Burstable", "BestEffort")
	values[v1.PodResizeStatus]("Proposed", "InProgress", "Deferred", "Infeasible")
	values[v1.RestartPolicy]("Always", "OnFailure", "Never")
	values[v1.ContainerRestartPolicy]("Always", "OnFailure", "Never")
	values[v1.ContainerRestartRuleAction]("Restart", "RestartAllContainers")
	values[v1.ContainerRestartRuleOnExitCodesOperator]("In", "NotIn")
	values[v1.DNSPolicy]("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
	values[v1.PreemptionPolicy]("PreemptLowerPriority", "Never")
	values[v1.Protocol]("TCP", "UDP", "SCTP")
	values[v1.PullPolicy]("Always", "IfNotPresent", "Never")
	values[v1.URIScheme]("HTTP", "HTTPS")
	values[v1.TaintEffect]("NoSchedule", "PreferNoSchedule", "NoExecute")
	values[v1.TolerationOperator]("Exists", "Equal", "Lt", "Gt")
	values[v1.NodeSelectorOperator]("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
	values[metav1.LabelSelectorOperator]("In", "NotIn", "Exists", "DoesNotExist")
	values[v1.UnsatisfiableConstraintAction]("DoNotSchedule", "ScheduleAnyway")
	values[v1.NodeInclusionPolicy]("Honor", "Ignore")
	values[v1.OSName]("linux", "windows")
	values[v1.Capability]("NET_ADMIN", "SYS_TIME", "ALL", "CHOWN", "NET_BIND_SERVICE")
	values[v1.ProcMountType]("Default", "Unmasked")
	values[v1.SeccompProfileType]("RuntimeDefault", "Unconfined", "Localhost")
	values[v1.AppArmorProfileType]("RuntimeDefault", "Unconfined", "Localhost")
	values[v1.PodFSGroupChangePolicy]("OnRootMismatch", "Always")
	values[v1.PodSELinuxChangePolicy]("Recursive", "MountOption")
	values[v1.SupplementalGroupsPolicy]("Merge", "Strict")
	values[v1.TerminationMessagePolicy]("File", "FallbackToLogsOnError")
	values[v1.MountPropagationMode]("None", "HostToContainer", "Bidirectional")
	values[v1.RecursiveReadOnlyMode]("Disabled", "IfPossible", "Enabled")
	values[v1.ResourceResizeRestartPolicy]("NotRequired", "RestartContainer")
	values[v1.ResourceHealthStatus]("Healthy", "Unhealthy", "Unknown")
	values[v1.ResourceID]("gpu-0", "pool-a/device-17")
	values[v1.Signal]("SIGTERM", "SIGKILL", "SIGRTMIN+3", "SIGUSR1")
	values[v1.HostPathType]("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice")
	values[v1.StorageMedium]("", "Memory", "HugePages", "HugePages-2Mi")
	values[v1.AzureDataDiskCachingMode]("None", "ReadOnly", "ReadWrite")
	values[v1.AzureDataDiskKind]("Shared", "Dedicated", "Managed")
	values[v1.PersistentVolumeAccessMode]("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
	values[v1.PersistentVolumeMode]("Filesystem", "Block")
	values[v1.PersistentVolumePhase]("Pending", "Available", "Bound", "Released", "Failed")
	values[v1.PersistentVolumeClaimPhase]("Pending", "Bound", "Lost")
	values[v1.PersistentVolumeReclaimPolicy]("Delete", "Retain", "Recycle")
	values[v1.PersistentVolumeClaimConditionType]("Resizing", "FileSystemResizePending", "ModifyingVolume")
	values[v1.PersistentVolumeClaimModifyVolumeStatus]("Pending", "InProgress", "Infeasible")
	values[v1.ClaimResourceStatus]("ControllerResizeInProgress", "NodeResizePending", "NodeResizeInfeasible")
	values[v1.NodeAddressType]("InternalIP", "ExternalIP", "Hostname", "InternalDNS", "ExternalDNS")
	values[v1.NodeConditionType]("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
	values[v1.NodePhase]("Pending", "Running", "Terminated")
	values[v1.UniqueVolumeName]("kubernetes.io/csi/ebs.csi.aws.com^vol-0a1b2c3d", "kubernetes.io/csi/pd.csi.storage.gke.io^projects/p/zones/z/disks/d")
	values[v1.NamespacePhase]("Active", "Terminating")
	values[v1.NamespaceConditionType]("NamespaceDeletionDiscoveryFailure", "NamespaceContentRemaining", "NamespaceFinalizersRemaining")
	values[v1.FinalizerName]("kubernetes", "example.com/finalizer")
	values[v1.ServiceType]("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
	values[v1.ServiceAffinity]("None", "ClientIP")
	values[v1.ServiceExternalTrafficPolicy]("Cluster", "Local")
	values[v1.ServiceInternalTrafficPolicy]("Cluster", "Local")
	values[v1.IPFamily]("IPv4", "IPv6")
	values[v1.IPFamilyPolicy]("SingleStack", "PreferDualStack", "RequireDualStack")
	values[v1.LoadBalancerIPMode]("VIP", "Proxy")
	values[v1.ReplicationControllerConditionType]("ReplicaFailure")
	values[storagev1.VolumeBindingMode]("Immediate", "WaitForFirstConsumer")
	values[storagev1.FSGroupPolicy]("ReadWriteOnceWithFSType", "File", "None")
	values[storagev1.VolumeLifecycleMode]("Persistent", "Ephemeral")
	values[policyv1.UnhealthyPodEvictionPolicyType]("IfHealthyBudget", "AlwaysAllow")
	values[appsv1.DaemonSetConditionType]("Progressing")
	values[appsv1.DaemonSetUpdateStrategyType]("RollingUpdate", "OnDelete")
	values[appsv1.DeploymentConditionType]("Available", "Progressing", "ReplicaFailure")
	values[appsv1.DeploymentStrategyType]("Recreate", "RollingUpdate")
	values[appsv1.ReplicaSetConditionType]("ReplicaFailure")
	values[appsv1.StatefulSetConditionType]("Available")
	values[appsv1.StatefulSetUpdateStrategyType]("RollingUpdate", "OnDelete")
	values[appsv1.PodManagementPolicyType]("OrderedReady", "Parallel")
	values[appsv1.PersistentVolumeClaimRetentionPolicyType]("Retain", "Delete")
	values[batchv1.CompletionMode]("NonIndexed", "Indexed")
	values[batchv1.JobConditionType]("Suspended", "Complete", "Failed", "FailureTarget", "SuccessCriteriaMet")
	values[batchv1.PodFailurePolicyAction]("FailJob", "FailIndex", "Ignore", "Count")
	values[batchv1.PodFailurePolicyOnExitCodesOperator]("In", "NotIn")
	values[batchv1.PodReplacementPolicy]("TerminatingOrFailed", "Failed")
	values[coordinationv1.CoordinatedLeaseStrategy]("OldestEmulationVersion", "example.com/other")
	values[metav1.ManagedFieldsOperationType]("Apply", "Update")
	values[metav1.StatusReason]("NotFound", "AlreadyExists", "Conflict", "Expired", "Gone", "TooManyRequests", "Invalid", "Forbidden", "Unauthorized", "Timeout", "InternalError", "BadRequest", "ServiceUnavailable")
	values[metav1.CauseType]("FieldValueNotFound", "FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid", "FieldValueNotSupported", "ResourceVersionTooLarge")
	values[resourcev1.AllocationConfigSource]("FromClass", "FromClaim")
	values[resourcev1.DeviceAllocationMode]("ExactCount", "All")
	values[resourcev1.DeviceTaintEffect]("None", "NoSchedule", "NoExecute")
	values[resourcev1.DeviceTolerationOperator]("Exists", "Equal")
	values[resourcev1.FullyQualifiedName]("dra.example.com/numa", "gpu.example.com/model")
	values[resourcev1.QualifiedName]("model", "memory", "numa", "dra.example.com/index", "driverVersion")
	values[types.UID]("8b9a6f5e-3c1d-4e7a-9f00-112233445566", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "00000000-0000-0000-0000-000000000000")
}
