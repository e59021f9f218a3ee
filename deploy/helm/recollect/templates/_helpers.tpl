{{- define "recollect.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "recollect.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "recollect.labels" -}}
{{ include "recollect.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- define "recollect.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "recollect.settings" -}}
{{- $worker := dict "worker" (ternary "elsewhere" "own" .Values.workers.enabled) -}}
{{ merge $worker .Values.settings | toToml }}
{{- end }}

{{/* What restarts the pods: other settings, and another Secret, by its number and not by what it holds. */}}
{{- define "recollect.annotations" -}}
checksum/settings: {{ include "recollect.settings" . | sha256sum }}
{{- range $kind, $name := dict "secret" .Values.existingSecret "data-files" .Values.dataFiles.existingSecret }}
{{- if $name }}
{{- with lookup "v1" "Secret" $.Release.Namespace $name }}
recollect/{{ $kind }}: {{ .metadata.resourceVersion | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.secretVersion }}
recollect/secret-version: {{ . | quote }}
{{- end }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "recollect.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* What the containers of proxies and workers have in common. */}}
{{- define "recollect.container" -}}
image: {{ include "recollect.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {{ include "recollect.security" . | nindent 2 }}
env:
  - name: RECOLLECT_CONFIG
    value: /etc/recollect/recollect.toml
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
volumeMounts:
  - name: data
    mountPath: /data
  - name: temporary
    mountPath: /tmp
  - name: settings
    mountPath: /etc/recollect
    readOnly: true
  {{- if .Values.dataFiles.existingSecret }}
  {{- range .Values.dataFiles.names }}
  - name: data-files
    mountPath: /data/{{ . }}
    subPath: {{ . }}
    readOnly: true
  {{- end }}
  {{- end }}
{{- end }}

{{- define "recollect.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.topologySpreadConstraints }}
topologySpreadConstraints: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "recollect.volumes" -}}
{{- if and .Values.dataFiles.names (not .Values.dataFiles.existingSecret) }}
{{- fail "dataFiles.names names files, and dataFiles.existingSecret no Secret that has them." }}
{{- end -}}
- name: temporary
  emptyDir: {}
- name: settings
  configMap:
    name: {{ include "recollect.name" . }}
{{- if .Values.dataFiles.existingSecret }}
- name: data-files
  secret:
    secretName: {{ .Values.dataFiles.existingSecret }}
    defaultMode: 0440
{{- end }}
{{- end }}
