{{/*
The environment of each service. Each block takes dict "root" "service". Other variables come from the service's `settings`;
chart.unit.spec.ts compares both with the configuration of the service.
*/}}
{{/* Argument: dict "root" "service" "key" "optional". */}}
{{- define "assay.secret" -}}
valueFrom:
  secretKeyRef:
    name: {{ include "assay.secretName" . }}
    key: {{ .key }}
    {{- if .optional }}
    optional: true
    {{- end }}
{{- end -}}

{{- define "assay.env.tracing" -}}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .root.Values.tracing.endpoint | quote }}
{{- end -}}

{{- define "assay.env.stores" -}}
{{ include "assay.env.tracing" . }}
- name: PORT
  value: '8080'
- name: ASSAY_HOST
  value: 0.0.0.0
- name: ASSAY_IDENTITY_SECRET
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "identity-secret") | nindent 2 }}
- name: ASSAY_IDENTITY_SECRET_ALSO
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "identity-secret-also" "optional" true) | nindent 2 }}
- name: ASSAY_EVENT_STORE
  value: eventstoredb
- name: ASSAY_EVENTSTOREDB_URL
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "eventstoredb-url") | nindent 2 }}
- name: ASSAY_DOCUMENTS
  value: mongodb
- name: ASSAY_MONGODB_URL
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "mongodb-url") | nindent 2 }}
- name: ASSAY_MONGODB_DATABASE
  value: {{ printf "%s_%s" .root.Values.documents.databasePrefix .service | quote }}
{{- end -}}

{{- define "assay.env.bus" -}}
{{- $kafka := .root.Values.kafka -}}
- name: ASSAY_BUS
  value: kafka
- name: ASSAY_KAFKA_BROKERS
  value: {{ join "," $kafka.brokers | quote }}
- name: ASSAY_KAFKA_PARTITIONS
  value: {{ $kafka.partitions | int | quote }}
- name: ASSAY_KAFKA_REPLICATION
  value: {{ $kafka.replication | int | quote }}
- name: ASSAY_KAFKA_SESSION_TIMEOUT_MS
  value: {{ $kafka.sessionTimeoutMs | int | quote }}
- name: ASSAY_KAFKA_PREFIX
  value: {{ $kafka.prefix | quote }}
- name: ASSAY_KAFKA_TLS
  value: {{ ternary "on" "off" $kafka.tls | quote }}
{{- if $kafka.sasl }}
- name: ASSAY_KAFKA_SASL
  value: {{ $kafka.sasl }}
- name: ASSAY_KAFKA_USERNAME
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "kafka-username") | nindent 2 }}
- name: ASSAY_KAFKA_PASSWORD
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "kafka-password") | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "assay.env.sealing" -}}
- name: ASSAY_SEALING_KEY
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "sealing-key" "optional" true) | nindent 2 }}
- name: ASSAY_SEALING_KEY_ALSO
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "sealing-key-also" "optional" true) | nindent 2 }}
{{- end -}}

{{/* The address of the mail server has its password. */}}
{{- define "assay.env.mail" -}}
- name: ASSAY_SMTP_URL
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "smtp-url" "optional" true) | nindent 2 }}
{{- end -}}

{{- define "assay.env.engine" -}}
{{- if .root.Values.sources.volume }}
- name: ASSAY_ALLOWED_PATHS
  value: {{ join "," .root.Values.sources.allowedPaths | quote }}
{{- end }}
{{- if .root.Values.sources.allowedBrokers }}
- name: ASSAY_ALLOWED_BROKERS
  value: {{ join "," .root.Values.sources.allowedBrokers | quote }}
{{- end }}
{{- if .root.Values.sources.allowedHosts }}
- name: ASSAY_ALLOWED_HOSTS
  value: {{ join "," .root.Values.sources.allowedHosts | quote }}
{{- end }}
{{ include "assay.env.sealing" . }}
{{- end -}}

{{- define "assay.env.artifacts" -}}
{{- $s3 := .root.Values.artifacts.s3 -}}
- name: ASSAY_ARTIFACTS
  value: {{ .root.Values.artifacts.kind }}
{{- if eq .root.Values.artifacts.kind "filesystem" }}
- name: ASSAY_RESULTS_DIR
  value: {{ printf "/data/%s" (include "assay.claim" .service) }}
{{- else }}
- name: ASSAY_S3_BUCKET
  value: {{ get (get .root.Values.services .service) "bucket" | default $s3.bucket | required "artifacts.s3.bucket is missing: name a bucket, or set artifacts.kind to filesystem." | quote }}
- name: ASSAY_S3_ENDPOINT
  value: {{ $s3.endpoint | quote }}
- name: ASSAY_S3_REGION
  value: {{ $s3.region | quote }}
- name: ASSAY_S3_PREFIX
  value: {{ $s3.prefix | quote }}
- name: ASSAY_S3_PATH_STYLE
  value: {{ ternary "on" "off" $s3.pathStyle | quote }}
{{- if not $s3.ambientCredentials }}
- name: ASSAY_S3_ACCESS_KEY_ID
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "s3-access-key-id") | nindent 2 }}
- name: ASSAY_S3_SECRET_ACCESS_KEY
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "s3-secret-access-key") | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "assay.env.execution-url" -}}
- name: ASSAY_EXECUTION_URL
  value: {{ printf "http://%s-execution:8080" (include "assay.fullname" .root) }}
{{- end -}}

{{- define "assay.env.admin" -}}
- name: ASSAY_ADMIN_ACCESS_KEY
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "admin-access-key") | nindent 2 }}
- name: ASSAY_ADMIN_SECRET_KEY
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "admin-secret-key") | nindent 2 }}
{{- end -}}

{{- define "assay.env.upstreams" -}}
{{- $fullname := include "assay.fullname" .root -}}
- name: ASSAY_CATALOG_URL
  value: {{ printf "http://%s-catalog:8080" $fullname }}
- name: ASSAY_POLICY_URL
  value: {{ printf "http://%s-policy:8080" $fullname }}
- name: ASSAY_SAMPLING_URL
  value: {{ printf "http://%s-sampling:8080" $fullname }}
- name: ASSAY_NOTIFICATION_URL
  value: {{ printf "http://%s-notification:8080" $fullname }}
{{- end -}}

{{- define "assay.env.gateway" -}}
{{ include "assay.env.stores" . }}
{{ include "assay.env.bus" . }}
{{ include "assay.env.admin" . }}
{{ include "assay.env.upstreams" . }}
{{ include "assay.env.execution-url" . }}
{{- end -}}

{{- define "assay.env.catalog" -}}
{{ include "assay.env.stores" . }}
{{ include "assay.env.bus" . }}
{{ include "assay.env.artifacts" . }}
{{ include "assay.env.engine" . }}
{{- end -}}

{{- define "assay.env.policy" -}}
{{ include "assay.env.stores" . }}
{{ include "assay.env.bus" . }}
{{ include "assay.env.execution-url" . }}
{{- end -}}

{{- define "assay.env.lineage" -}}
- name: ASSAY_OPENLINEAGE_API_KEY
  {{- include "assay.secret" (dict "root" .root "service" .service "key" "open-lineage-api-key" "optional" true) | nindent 2 }}
{{- end -}}

{{- define "assay.env.execution" -}}
{{ include "assay.env.stores" . }}
{{ include "assay.env.bus" . }}
{{ include "assay.env.artifacts" . }}
{{ include "assay.env.engine" . }}
{{ include "assay.env.lineage" . }}
{{- end -}}

{{- define "assay.env.sampling" -}}
{{ include "assay.env.stores" . }}
{{ include "assay.env.bus" . }}
{{ include "assay.env.artifacts" . }}
{{ include "assay.env.engine" . }}
{{- end -}}

{{- define "assay.env.notification" -}}
{{ include "assay.env.stores" . }}
{{ include "assay.env.bus" . }}
{{ include "assay.env.sealing" . }}
{{ include "assay.env.mail" . }}
{{ include "assay.env.execution-url" . }}
{{- end -}}

{{- define "assay.env.standalone" -}}
{{ include "assay.env.tracing" . }}
{{ include "assay.env.lineage" . }}
{{ include "assay.env.mail" . }}
- name: PORT
  value: '8080'
- name: ASSAY_HOST
  value: 0.0.0.0
- name: ASSAY_DATA_DIR
  value: /data
- name: ASSAY_RESULTS_DIR
  value: /data/results
{{ include "assay.env.admin" . }}
{{ include "assay.env.engine" . }}
{{- end -}}

{{/* Argument: dict "root" "service" "settings". */}}
{{- define "assay.environment" -}}
{{ include (printf "assay.env.%s" .service) . | trim }}
{{- range $name, $value := .settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with concat .root.Values.extraEnv (include "assay.values" . | fromYaml).extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
