{{- define "prunus.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "prunus.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "prunus.labels" -}}
{{ include "prunus.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "prunus.secret" -}}
{{- .Values.existingSecret | default (include "prunus.name" .) -}}
{{- end -}}

{{/* The settings of the values, with the ones that the chart decides itself. */}}
{{- define "prunus.settings" -}}
{{- $proxy := merge (dict "host" "0.0.0.0" "port" 8787) (.Values.settings.proxy | default dict) -}}
{{- if or (hasKey $proxy "token") (hasKey (.Values.settings.store | default dict) "url") -}}
{{- fail "settings.proxy.token and settings.store.url belong into a Secret: set token and store.url, or existingSecret" -}}
{{- end -}}
{{- merge (dict "proxy" $proxy) .Values.settings | toPrettyJson -}}
{{- end -}}

{{/* How long a pod may take to end: draining, running answers, and the end itself. */}}
{{- define "prunus.end" -}}
{{- $proxy := .Values.settings.proxy | default dict -}}
{{- add (dig "drain" 0 $proxy | ceil | int) (dig "grace" 120 $proxy | ceil | int) 15 -}}
{{- end -}}
