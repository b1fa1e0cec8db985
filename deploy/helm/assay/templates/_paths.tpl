{{/* Written by `npm run documents` from the table of operations. */}}
{{- define "assay.paths" -}}
["/admin","/api","/asyncapi.json","/catalog-server","/docs","/openapi.json"]
{{- end -}}
