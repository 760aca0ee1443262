{{- define "berth.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "berth.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "berth.name" .) -}}
{{- end -}}

{{- define "berth.lease" -}}
{{- if .Values.leaseName -}}
{{- .Values.leaseName -}}
{{- else if eq .Values.schedulerName "default-scheduler" -}}
kube-scheduler
{{- else -}}
{{- include "berth.name" . -}}
{{- end -}}
{{- end -}}

{{- /* kube-scheduler's Lease is in kube-system wherever the chart is installed. */ -}}
{{- define "berth.leaseNamespace" -}}
{{- ternary "kube-system" .Release.Namespace (eq (include "berth.lease" .) "kube-scheduler") -}}
{{- end -}}

{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "berth.labels" -}}
{{ include "berth.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "berth.configuration" -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
{{ $leaderElection := dict "leaderElect" true "resourceName" (include "berth.lease" .)
                           "resourceNamespace" (include "berth.leaseNamespace" .) -}}
{{- $profiles := list (dict "schedulerName" .Values.schedulerName) -}}
{{- $own := dict "leaderElection" $leaderElection "profiles" $profiles -}}
{{- toYaml (mergeOverwrite $own (deepCopy .Values.configuration)) }}
{{- end -}}
