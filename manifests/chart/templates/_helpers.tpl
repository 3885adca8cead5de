{{- /* One manager serves a cluster, so its name does not depend on the release's: a second release is refused. */ -}}
{{- define "dra-controller-manager.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "dra-controller-manager.fullname" -}}
{{ .Values.fullnameOverride | default (include "dra-controller-manager.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "dra-controller-manager.selector" -}}
app.kubernetes.io/name: {{ include "dra-controller-manager.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "dra-controller-manager.pod-labels" -}}
{{ include "dra-controller-manager.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/component: controller
app.kubernetes.io/part-of: dra-controller-manager
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
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
  name: {{ include "dra-controller-manager.account-name" . | quote }}
  namespace: {{ .Release.Namespace | quote }}
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
{{- if and $root.Values.serviceMonitor.enabled $root.Values.podMonitor.enabled -}}
{{ fail "serviceMonitor.enabled and podMonitor.enabled: enable one of them, or everything is counted twice" }}
{{- end -}}
{{- $secret := include "dra-controller-manager.serving-secret" $root -}}
{{- if index . 1 -}}
{{ index . 1 | toYaml }}
{{- else if $secret -}}
ca: {secret: {name: {{ $secret | quote }}, key: ca.crt}}
serverName: {{ include "dra-controller-manager.dns-name" $root | quote }}
{{- else -}}
{{ fail (printf "%s.enabled needs a certificate to verify: servingCertificate.secretName, servingCertificate.certManager.enabled, or %s.tlsConfig.insecureSkipVerify=true to go without" (last .) (last .)) }}
{{- end }}
{{- end }}

{{- /* Mistakes that the schema cannot name in words. */ -}}
{{- define "dra-controller-manager.check" -}}
{{- include "dra-controller-manager.check-config" . -}}
{{- include "dra-controller-manager.check-flags" . -}}
{{- include "dra-controller-manager.check-gates" . -}}
{{- include "dra-controller-manager.check-controllers" . -}}
{{- include "dra-controller-manager.check-election" . -}}
{{- end }}

{{- /* Keys of the configuration file that have a value of their own here. */ -}}
{{- define "dra-controller-manager.check-config" -}}
{{- $own := dict
  "controllers" "use the value controllers"
  "deviceTaintEvictionController.evictionMode" "use the value evictionMode"
  "featureGates" "use the value featureGates"
  "leaderElection.resourceNamespace" "the lease is in the namespace of the release"
  "logging.format" "use the value logging.format"
  "logging.verbosity" "use the value logging.verbosity"
  "serving.securePort" "it is 10257, which the probes and the monitors use"
  "serving.tlsCertFile" "use the value servingCertificate"
  "serving.tlsPrivateKeyFile" "use the value servingCertificate" -}}
{{- range $key, $instead := $own -}}
{{- $path := splitList "." $key -}}
{{- $section := $.Values.config -}}
{{- if gt (len $path) 1 -}}{{- $section = get $.Values.config (first $path) | default dict -}}{{- end -}}
{{- if hasKey $section (last $path) -}}
{{ fail (printf "config.%s: leave it out, the chart sets this key itself: %s" $key $instead) }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "dra-controller-manager.check-flags" -}}
{{- $own := dict
  "authorization-always-allow-paths" "use config.serving.authorizationAlwaysAllowPaths, which must have the paths of the probes"
  "bind-address" "use config.serving.bindAddress, which must be reachable for the probes"
  "config" "use the value config"
  "controllers" "use the value controllers"
  "device-taint-eviction-mode" "use the value evictionMode, which the permissions follow"
  "feature-gates" "use the value featureGates"
  "leader-elect-resource-name" "use config.leaderElection.resourceName, which the Role follows"
  "leader-elect-resource-namespace" "the lease is in the namespace of the release"
  "logging-format" "use the value logging.format"
  "secure-port" "it is 10257, which the probes and the monitors use"
  "tls-cert-file" "use the value servingCertificate"
  "tls-private-key-file" "use the value servingCertificate"
  "v" "use the value logging.verbosity" -}}
{{- range .Values.extraArgs -}}
{{- $flag := regexFind "^[^=]*" . | trimPrefix "-" | trimPrefix "-" | replace "_" "-" -}}
{{- with get $own $flag -}}
{{ fail (printf "extraArgs: leave out --%s, the chart sets this flag itself: %s" $flag .) }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "dra-controller-manager.check-gates" -}}
{{- $gates := .Values.featureGates -}}
{{- range $value, $names := dict "podGroups" (list "GenericWorkload" "DRAWorkloadResourceClaims") "poolStatus" (list "DRAResourcePoolStatus") -}}
{{- range $name := $names -}}
{{- if and (index $.Values $value).enabled (hasKey $gates $name) (not (get $gates $name)) -}}
{{ fail (printf "featureGates.%s=false contradicts %s.enabled=true, which needs this gate" $name $value) }}
{{- end -}}
{{- if and (not (index $.Values $value).enabled) (get $gates $name) -}}
{{ fail (printf "featureGates.%s=true lacks permissions: use %s.enabled=true, which sets this gate and grants them" $name $value) }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* In the order of the list, as the manager reads it; and what runs only with its gate. */ -}}
{{- define "dra-controller-manager.check-controllers" -}}
{{- $chosen := .Values.controllers | default (list "*") -}}
{{- $gates := .Values.featureGates -}}
{{- $gated := dict
  "resourceclaim-controller" true
  "device-taint-eviction-controller" (or (not (hasKey $gates "DRADeviceTaints")) (get $gates "DRADeviceTaints"))
  "resourcepoolstatusrequest-controller" (or .Values.poolStatus.enabled (get $gates "DRAResourcePoolStatus") (get $gates "AllAlpha")) -}}
{{- $left := list -}}
{{- range $name, $possible := $gated -}}
{{- $runs := has "*" $chosen -}}
{{- range $chosen -}}
{{- if eq . $name -}}{{- $runs = true -}}{{- else if eq . (printf "-%s" $name) -}}{{- $runs = false -}}{{- end -}}
{{- end -}}
{{- if and $runs $possible -}}{{- $left = append $left $name -}}{{- end -}}
{{- end -}}
{{- if not $left -}}
{{ fail "controllers: nothing is left to run; [\"*\", -NAME] turns one off" }}
{{- end -}}
{{- end }}

{{- define "dra-controller-manager.check-election" -}}
{{- $off := eq "false" (dig "leaderElection" "leaderElect" true .Values.config | toString) -}}
{{- range .Values.extraArgs -}}
{{- if regexMatch "^--leader[-_]elect(=|$)" . -}}{{- $off = regexMatch "=(false|False|FALSE|f|F|0)$" . -}}{{- end -}}
{{- end -}}
{{- if and $off (gt (int .Values.replicaCount) 1) -}}
{{ fail (printf "replicaCount: %d instances without leader election would all work at the same time: leave leaderElect on, or run one" (int .Values.replicaCount)) }}
{{- end -}}
{{- end }}
