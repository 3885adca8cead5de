{{- /* One manager serves a cluster, so its name does not depend on the release's: a second release is refused. */ -}}
{{- define "dra-controller-manager.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "dra-controller-manager.fullname" -}}
{{ .Values.fullnameOverride | default (include "dra-controller-manager.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "dra-controller-manager.selector" -}}
app.kubernetes.io/name: {{ include "dra-controller-manager.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "dra-controller-manager.pod-labels" -}}
{{ include "dra-controller-manager.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/component: controller
app.kubernetes.io/part-of: dra-controller-manager
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "dra-controller-manager.labels" -}}
{{ merge (fromYaml (include "dra-controller-manager.pod-labels" .))
  (dict "helm.sh/chart" (printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_"))) .Values.commonLabels | toYaml }}
{{- end }}

{{- /* For objects of the Prometheus Operator. Its argument is (list ROOT LABELS). */ -}}
{{- define "dra-controller-manager.monitored-labels" -}}
{{ merge (fromYaml (include "dra-controller-manager.labels" (first .))) (last .) | toYaml }}
{{- end }}

{{- define "dra-controller-manager.account-name" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "dra-controller-manager.fullname" .) }}
{{- else -}}
{{ required "serviceAccount.name is needed where serviceAccount.create is false" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "dra-controller-manager.account" -}}
- kind: ServiceAccount
  name: {{ include "dra-controller-manager.account-name" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "dra-controller-manager.in-kube-system" -}}
{{- if eq .Release.Namespace "kube-system" }}yes{{ end }}
{{- end }}

{{- define "dra-controller-manager.lease-name" -}}
{{ dig "leaderElection" "resourceName" "dra-controller-manager" .Values.config }}
{{- end }}

{{- define "dra-controller-manager.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "dra-controller-manager.feature-gates" -}}
{{- $gates := ternary (dict "GenericWorkload" true "DRAWorkloadResourceClaims" true) dict .Values.podGroups.enabled -}}
{{- $gates = merge $gates (ternary (dict "DRAResourcePoolStatus" true) dict .Values.poolStatus.enabled) -}}
{{- $pairs := list -}}
{{- range $name, $isOn := merge (dict) .Values.featureGates $gates -}}
{{- $pairs = append $pairs (printf "%s=%t" $name $isOn) -}}
{{- end -}}
{{ join "," $pairs }}
{{- end }}

{{- /* The Secret of the serving certificate; empty where the manager signs its own. */ -}}
{{- define "dra-controller-manager.serving-secret" -}}
{{- with .Values.servingCertificate -}}
{{- if .secretName }}{{ .secretName }}{{ else if .certManager.enabled }}{{ include "dra-controller-manager.fullname" $ }}-serving{{ end }}
{{- end }}
{{- end }}

{{- define "dra-controller-manager.dns-name" -}}
{{ include "dra-controller-manager.fullname" . }}.{{ .Release.Namespace }}.svc
{{- end }}

{{- /* How Prometheus verifies the HTTPS port. Its argument is (list ROOT TLSCONFIG NAME-OF-THE-VALUE). */ -}}
{{- define "dra-controller-manager.scrape-tls" -}}
{{- $root := first . -}}
{{- $secret := include "dra-controller-manager.serving-secret" $root -}}
{{- if index . 1 -}}
{{ index . 1 | toYaml }}
{{- else if $secret -}}
ca: {secret: {name: {{ $secret }}, key: ca.crt}}
serverName: {{ include "dra-controller-manager.dns-name" $root }}
{{- else -}}
{{ fail (printf "%s.enabled needs a certificate to verify: servingCertificate.secretName, servingCertificate.certManager.enabled, or %s.tlsConfig.insecureSkipVerify=true to go without" (last .) (last .)) }}
{{- end }}
{{- end }}
