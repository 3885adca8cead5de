{{- /* One manager serves a cluster, so its name does not depend on the release's. */ -}}
{{- define "labels" -}}
labels: {app.kubernetes.io/name: dra-controller-manager}
{{- end }}

{{- define "account" -}}
- kind: ServiceAccount
  name: dra-controller-manager
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "in-kube-system" -}}
{{- if eq .Release.Namespace "kube-system" }}yes{{ end }}
{{- end }}
