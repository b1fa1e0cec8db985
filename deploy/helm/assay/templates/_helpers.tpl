{{- define "assay.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" (.Release.Name | trunc 34 | trimSuffix "-") .Chart.Name -}}
{{- end -}}
{{- end -}}

{{/* Argument: the root. */}}
{{- define "assay.labels" -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Argument: dict "root" "service". The labels that select the pods of a workload, which must never change. */}}
{{- define "assay.selector" -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end -}}

{{/* Argument: the root. A digest always names the same image; a tag can be moved. */}}
{{- define "assay.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The name of a service in labels and names: `embedded` for standalone. */}}
{{- define "assay.component" -}}
{{ ternary "embedded" .service (eq .service "standalone") }}
{{- end -}}

{{/* The values of a service, as YAML. Argument: dict "root" "service". */}}
{{- define "assay.values" -}}
{{ (eq (include "assay.component" .) "embedded" | ternary .root.Values.embedded (get .root.Values.services .service)) | toYaml }}
{{- end -}}

{{/* The Secret of a service: its own, the common one, or one that the chart creates from values. Argument: dict "root" "service". */}}
{{- define "assay.secretName" -}}
{{- $own := (include "assay.values" . | fromYaml).secrets.existingSecret -}}
{{ $own | default .root.Values.secrets.existingSecret | default (printf "%s-%s" (include "assay.fullname" .root) (include "assay.component" .)) }}
{{- end -}}

{{/* Keys that the Secret of a service must have, one per line. Argument: dict "root" "service". */}}
{{- define "assay.secretKeys" -}}
{{- $values := .root.Values -}}
{{- if has .service (list "gateway" "standalone") }}
admin-access-key
admin-secret-key
{{- end }}
{{- if ne .service "standalone" }}
identity-secret
eventstoredb-url
mongodb-url
{{- if $values.kafka.sasl }}
kafka-username
kafka-password
{{- end }}
{{- if and (include "assay.claim" .service) (eq $values.artifacts.kind "s3") (not $values.artifacts.s3.ambientCredentials) }}
s3-access-key-id
s3-secret-access-key
{{- end }}
{{- end }}
{{- end -}}

{{/* Services of the profile, as JSON. Argument: the root. */}}
{{- define "assay.services" -}}
{{ ternary (keys .Values.services | sortAlpha) (list "standalone") (eq .Values.profile "distributed") | toJson }}
{{- end -}}

{{/* The name of the volume with the files of a service; empty for services without files. Argument: the service. */}}
{{- define "assay.claim" -}}
{{ get (dict "catalog" "validations" "execution" "results" "sampling" "samples") . }}
{{- end -}}

{{/* The access modes of a service's volume, as JSON. Argument: dict "root" "service". */}}
{{- define "assay.accessModes" -}}
{{- $volume := .root.Values.artifacts.volume -}}
{{ (get $volume (include "assay.claim" .service)).accessModes | default $volume.accessModes | toJson }}
{{- end -}}

{{/*
"true" if only one node at a time can mount the volume with the files of a service. The service then has one replica, which
ends before a new one starts. Argument: dict "root" "service".
*/}}
{{- define "assay.isSingle" -}}
{{- if include "assay.claim" .service -}}
{{ and (eq .root.Values.artifacts.kind "filesystem") (not (has "ReadWriteMany" (include "assay.accessModes" . | fromJsonArray))) }}
{{- end -}}
{{- end -}}

{{/* The groups of each service, and the topics that each group follows, as JSON. The names are those of packages/contracts. */}}
{{- define "assay.follows" -}}
{
  "catalog": { "catalog": ["assay.internal.watches", "assay.internal.policies"] },
  "policy": { "policy": ["assay.internal.tables", "assay.internal.executed-versions", "assay.internal.assemblies", "assay.internal.udf-templates"] },
  "execution": {
    "execution": [
      "assay.internal.policies",
      "assay.internal.tables",
      "assay.internal.containers",
      "assay.internal.tags",
      "assay.internal.udf-variables",
      "assay.internal.udf-templates",
      "assay.internal.asset-settings",
      "assay.internal.assemblies"
    ]
  },
  "sampling": {
    "sampling": ["assay.internal.tables", "assay.internal.tags", "assay.internal.udf-templates", "assay.internal.assemblies"]
  },
  "notification": {
    "notification": [
      "assay.internal.tables",
      "assay.internal.containers",
      "assay.internal.policies",
      "assay.internal.assemblies",
      "assay.internal.tags",
      "assay.internal.asset-settings",
      "assay.internal.asset-labels",
      "assay.internal.keys",
      "assay.catalog.assets",
      "assay.policy.policies",
      "assay.execution.executions",
      "assay.internal.incident-ends"
    ],
    "notification-events": [
      "assay.catalog.assets",
      "assay.policy.policies",
      "assay.execution.executions",
      "assay.sampling.jobs",
      "assay.notification.notifications"
    ]
  },
  "gateway": {
    "gateway-audit": [
      "assay.catalog.assets",
      "assay.policy.policies",
      "assay.execution.executions",
      "assay.sampling.jobs",
      "assay.notification.notifications"
    ]
  }
}
{{- end -}}
