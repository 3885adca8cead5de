# shellcheck shell=bash
#: clients [NAME…]   programs on client-go and controller-runtime, kube-scheduler, kube-controller-manager,
#:                   a driver, Helm and the Python client, on the in-memory API server and on a real one,
#:                   compared; only when named: charts (of Kueue and others), kueue, jobset

source dev.d/lib/node_programs.sh

# The Python client for tests, in its own environment.
python_client() {
  local version=37.0.2
  local folder=$cache/python-client/$version
  PYTHON=$folder/bin/python
  if ! "$PYTHON" -c 'import kubernetes' 2>/dev/null; then
    echo "dev: fetching the Python client $version"
    rm -rf "$folder"
    { python3 -m venv "$folder" && "$folder/bin/pip" install -q "kubernetes==$version"; } >"$cache/python.log" 2>&1 || {
      rm -rf "$folder"
      echo "dev: the Python client is not available: $(tail -n 1 "$cache/python.log")"
    }
  fi
  [[ ! -x $PYTHON ]] || export PYTHON
}

# Clients other than the programs of test/clients.
clients_tools() {
  helm_tool
  python_client
  node_drivers || return 0
  CHART=$(cd test/node/example_driver && go list -mod=readonly -m -f '{{.Dir}}' sigs.k8s.io/dra-example-driver)
  export CHART+=/deployments/helm/dra-example-driver
}

# module_folder PROGRAM MODULE: where a module that one of test/clients/managers depends on has been unpacked.
module_folder() {
  (cd "test/clients/managers/$1" && go mod download "$2" && go list -mod=readonly -m -f '{{.Dir}}' "$2")
}

# manager NAME MODULE: builds the manager of a project, and exports it with the folder of its definitions. Kueue's takes
# 8 minutes of CPU when Go's build cache is cold, JobSet's 4.
manager() {
  local folder=$PWD/build/clients/managers
  export "${1^^}=$folder/$1"
  (cd "test/clients/managers/$1" && CGO_ENABLED=0 go build -mod=readonly -trimpath -ldflags "-s -w" -o "$folder/" tool) || return 1
  export "${1^^}_DEFINITIONS=$(module_folder "$1" "$2")/config/components/crd"
}

# Tools for the cases that run only when named.
managers_tools() {
  local name
  for name; do
    case $name in
      kueue) manager kueue sigs.k8s.io/kueue ;;
      jobset) manager jobset sigs.k8s.io/jobset ;;
      charts)
        CHARTS="$(module_folder kueue sigs.k8s.io/kueue)/charts/kueue $(module_folder jobset sigs.k8s.io/jobset)/charts/jobset"
        CHARTS+=" $(module_folder kueue sigs.k8s.io/lws)/charts/lws"
        CHARTS+=" $(module_folder kueue github.com/kubeflow/spark-operator/v2)/charts/spark-operator-chart"
        KUBECTL=$("$controlplane" path kubectl)
        export CHARTS KUBECTL
        ;;
    esac || return 1
  done
}

# clients_run NAME…: third-party clients, on servers of their own. Drivers' pods are privileged.
clients_run() {
  local kubeconfig status=0 programs=build/clients
  (cd test/clients && go build -mod=readonly -o "../../$programs/" ./...) || return 1
  kubeconfig=$("$controlplane" up --name clients-test -- --allow-privileged | sed -n 's/^kubeconfig: //p')
  [[ -n $kubeconfig ]] || return 1
  test/clients/run.py --real "$kubeconfig" --apiserver build/release/bin/dcm-test-apiserver \
    --programs "$programs" --tools "$(dirname "$("$controlplane" path kubectl)")" --tools build/node "$@" || status=1
  "$controlplane" down --name clients-test || status=1
  return $status
}

clients_layer() {
  if ! command -v go >/dev/null; then
    not_run clients "needs Go 1.26"
    return
  fi
  clients_tools
  controlplane_layer clients clients_run
}

cmd_clients() {
  setup python3-venv
  command -v go >/dev/null || die "clients: needs Go 1.26"
  build release dcm-test-apiserver
  need_controlplane
  clients_tools
  managers_tools "$@" || die "cannot build a third-party program"
  clients_run "$@"
}
