# shellcheck shell=bash
# shellcheck disable=SC2154  # state: set by the caller
# Throw-away credentials of one cluster, all below $state: a CA and the server's certificate, the key that
# signs service account tokens, two static tokens, and the kubeconfig that uses them. Sourced by
# `controlplane`.

readonly manager_user=system:serviceaccount:kube-system:dra-controller-manager
readonly manager_groups=system:serviceaccounts,system:serviceaccounts:kube-system,system:authenticated

new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }

# A configuration of our own, because what openssl adds by default differs from one system to the next.
create_certificates() {
  local dir=$state/certs
  mkdir -p "$dir"
  cat >"$dir/openssl.cnf" <<'EOF'
[req]
distinguished_name = name
prompt = no
[name]
CN = controlplane-test-ca
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,digitalSignature
subjectKeyIdentifier = hash
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = IP:127.0.0.1,IP:10.0.0.1,DNS:localhost,DNS:kubernetes.default.svc
EOF
  new_key "$dir/ca.key"
  openssl req -x509 -new -config "$dir/openssl.cnf" -extensions ca -days 3650 \
    -key "$dir/ca.key" -out "$dir/ca.crt"
  new_key "$dir/server.key"
  openssl req -new -config "$dir/openssl.cnf" -subj /CN=kube-apiserver \
    -key "$dir/server.key" -out "$dir/server.csr"
  openssl x509 -req -in "$dir/server.csr" -CA "$dir/ca.crt" -CAkey "$dir/ca.key" -CAcreateserial \
    -extfile "$dir/openssl.cnf" -extensions server -days 3650 -out "$dir/server.crt" 2>/dev/null
  new_key "$dir/service-account.key"
  openssl pkey -in "$dir/service-account.key" -pubout -out "$dir/service-account.pub"
}

# The manager gets a static token with the user and groups of its service account: the API server sees the
# same caller as in a cluster, and nothing has to issue tokens.
create_tokens() {
  admin_token=$(openssl rand -hex 16)
  manager_token=$(openssl rand -hex 16)
  cat >"$state/tokens.csv" <<EOF
$admin_token,admin,admin,"system:masters"
$manager_token,$manager_user,dra-controller-manager,"$manager_groups"
EOF
}

# write_kubeconfig PORT
write_kubeconfig() {
  cat >"$state/kubeconfig" <<EOF
apiVersion: v1
kind: Config
current-context: admin
clusters:
- name: controlplane
  cluster:
    server: https://127.0.0.1:$1
    certificate-authority: "$state/certs/ca.crt"
contexts:
- name: admin
  context: {cluster: controlplane, user: admin}
- name: manager
  context: {cluster: controlplane, user: manager}
users:
- name: admin
  user: {token: $admin_token}
- name: manager
  user: {token: $manager_token}
EOF
}
