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

{{/* Argument: dict "root" "service". What never changes of a workload: labels that select its pods. */}}
{{- define "assay.selector" -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end -}}

{{- define "assay.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "assay.secretName" -}}
{{ .Values.secrets.existingSecret | default (include "assay.fullname" .) }}
{{- end -}}

{{/* Keys that the Secret must have, a line each. */}}
{{- define "assay.secretKeys" -}}
admin-access-key
admin-secret-key
{{- if eq .Values.profile "distributed" }}
identity-secret
eventstoredb-url
mongodb-url
{{- if .Values.kafka.sasl }}
kafka-username
kafka-password
{{- end }}
{{- if and (eq .Values.artifacts.kind "s3") (not .Values.artifacts.s3.ambientCredentials) }}
s3-access-key-id
s3-secret-access-key
{{- end }}
{{- end }}
{{- end -}}

{{/* The groups of each service, and the topics that each group follows, as JSON. The names are those of packages/contracts. */}}
{{- define "assay.follows" -}}
{
  "catalog": {
    "catalog": ["assay.internal.watches"],
    "catalog-policies": ["assay.internal.policies"]
  },
  "policy": { "policy": ["assay.internal.tables", "assay.internal.executed-versions"] },
  "execution": {
    "execution": ["assay.internal.policies", "assay.internal.tables", "assay.internal.containers"],
    "execution-references": ["assay.internal.tags", "assay.internal.udf-variables", "assay.internal.udf-templates"]
  },
  "sampling": { "sampling": ["assay.internal.tables", "assay.internal.tags", "assay.internal.udf-templates"] },
  "notification": {
    "notification": [
      "assay.internal.tables",
      "assay.internal.containers",
      "assay.catalog.assets",
      "assay.policy.policies",
      "assay.execution.executions"
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
