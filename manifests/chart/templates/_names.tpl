{{- /* One manager serves a cluster, so its name does not depend on the release's. */ -}}
{{- define "labels" -}}
labels: {app.kubernetes.io/name: dra-controller-manager}
{{- end }}

{{- /* For what the Prometheus Operator looks for: with the labels it is looked for by. */ -}}
{{- define "monitored-labels" -}}
labels: {{ merge (dict "app.kubernetes.io/name" "dra-controller-manager") . | toYaml | nindent 2 }}
{{- end }}

{{- define "account" -}}
- kind: ServiceAccount
  name: dra-controller-manager
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "in-kube-system" -}}
{{- if eq .Release.Namespace "kube-system" }}yes{{ end }}
{{- end }}

{{- define "image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}
