{{/* The template of a pod. Argument: dict "root" "service" "component" "values" "data" (the volume mounted at /data, optional). */}}
{{- define "assay.pod" -}}
{{- $root := .root -}}
{{- $own := .values -}}
{{- $component := .component -}}
{{- $readsSources := has .service (list "catalog" "execution" "sampling" "standalone") -}}
metadata:
  labels:
    {{- include "assay.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  annotations:
    # Restarts the pods when the chart's Secret changes.
    checksum/secret: {{ toJson (list $root.Values.secrets $own.secrets) | sha256sum }}
    {{- with merge (deepCopy $own.podAnnotations) $root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "assay.fullname" $root }}-{{ .component }}
  automountServiceAccountToken: false
  # Variables with addresses of services would begin with ASSAY_, and Assay refuses unknown ones.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $root.Values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.priorityClassName | default $root.Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $own.nodeSelector | default $root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.tolerations | default $root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.affinity | default $root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.topologySpreadConstraints | default $root.Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    - {{- toYaml . | nindent 6 }}
      {{- if not .labelSelector }}
      labelSelector:
        matchLabels:
          {{- include "assay.selector" (dict "root" $root "service" $component) | nindent 10 }}
      {{- end }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "assay.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [{{ printf "services/%s/src/main.ts" .service }}]
      env:
        {{- include "assay.environment" (dict "root" $root "service" .service "settings" .values.settings) | nindent 8 }}
        {{- if and $root.Values.certificates.volume $root.Values.certificates.authorities }}
        - name: NODE_EXTRA_CA_CERTS
          value: /certificates/{{ $root.Values.certificates.authorities }}
        {{- end }}
      ports:
        - name: http
          containerPort: 8080
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: {{ div $root.Values.startupSeconds 2 }}
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      lifecycle:
        preStop:
          # After this pause no new requests arrive, and the process gets SIGTERM.
          sleep: { seconds: 5 }
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - name: temporary
          mountPath: /tmp
        {{- if .data }}
        - name: data
          mountPath: {{ .mountPath }}
        {{- end }}
        {{- if and $readsSources $root.Values.sources.volume }}
        - name: sources
          mountPath: /sources
          readOnly: true
        {{- end }}
        {{- if $root.Values.certificates.volume }}
        - name: certificates
          mountPath: /certificates
          readOnly: true
        {{- end }}
  volumes:
    - name: temporary
      emptyDir:
        sizeLimit: {{ .values.temporary | default "1Gi" }}
    {{- if and .data (kindIs "map" .data) }}
    - name: data
      {{- toYaml .data | nindent 6 }}
    {{- end }}
    {{- if and $readsSources $root.Values.sources.volume }}
    - name: sources
      {{- toYaml $root.Values.sources.volume | nindent 6 }}
    {{- end }}
    {{- if $root.Values.certificates.volume }}
    - name: certificates
      {{- toYaml $root.Values.certificates.volume | nindent 6 }}
    {{- end }}
{{- end -}}
