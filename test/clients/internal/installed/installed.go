// Package installed runs other people's managers as their Deployments would: with their definitions,
// and a folder for the certificates of their webhooks, which no server calls here.
package installed

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"text/template"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"clients/internal/say"
)

// GarbageCollected is how long it may take until something owned is: a garbage collector looks for new kinds every 30 s.
const GarbageCollected = 70 * time.Second

// Client knows all kinds of the server, and those that are defined later.
func Client() client.Client { return say.Must(client.New(say.Config(), client.Options{})) }

// Objects are those of a YAML text, in its order.
func Objects(text io.Reader) []*unstructured.Unstructured {
	var objects []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(text, 4096); ; {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if err == io.EOF {
			return objects
		}
		say.Check(err)
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// Apply applies the objects of a text, in its order.
func Apply(ctx context.Context, api client.Client, text string) {
	for _, object := range Objects(strings.NewReader(text)) {
		say.Check(api.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("clients"), client.ForceOwnership))
	}
}

func filesOf(folder, pattern string) []*unstructured.Unstructured {
	var objects []*unstructured.Unstructured
	for _, path := range say.Must(filepath.Glob(filepath.Join(folder, pattern))) {
		file := say.Must(os.Open(path))
		objects = append(objects, Objects(file)...)
		file.Close()
	}
	return objects
}

func isEstablished(definition *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions")
	for _, condition := range conditions {
		if one := condition.(map[string]any); one["type"] == "Established" && one["status"] == "True" {
			return true
		}
	}
	return false
}

// Definitions creates those of a folder with bases and patches, as kustomize would; `patched` are the plural names of
// those that have a webhook.
func Definitions(ctx context.Context, api client.Client, folder string, patched ...string) {
	definitions := filesOf(folder, "bases/*.yaml")
	for _, definition := range definitions {
		say.Check(api.Create(ctx, definition))
	}
	for _, name := range patched {
		for _, patch := range filesOf(folder, "patches/webhook_in_"+name+".yaml") {
			data := say.Must(patch.MarshalJSON())
			say.Check(api.Patch(ctx, patch, client.RawPatch("application/merge-patch+json", data)))
		}
	}
	var names []string
	say.Until(ctx, "the definitions are established", func(ctx context.Context) (bool, error) {
		names = nil
		for _, definition := range definitions {
			if err := api.Get(ctx, client.ObjectKeyFromObject(definition), definition); err != nil {
				return false, err
			}
			if isEstablished(definition) {
				names = append(names, definition.GetName())
			}
		}
		return len(names) == len(definitions), nil
	})
	sort.Strings(names)
	say.Line("definitions: %v", names)
}

// Mount writes a Secret's data into a folder as soon as it has some, as a kubelet would.
func Mount(ctx context.Context, api client.Client, namespace, name, folder string) {
	secret := &core.Secret{ObjectMeta: meta.ObjectMeta{Namespace: namespace, Name: name}}
	say.Until(ctx, "the certificates are made", func(ctx context.Context) (bool, error) {
		err := api.Get(ctx, client.ObjectKeyFromObject(secret), secret)
		return err == nil && len(secret.Data["tls.crt"]) > 0, err
	})
	for key, value := range secret.Data {
		say.Check(os.WriteFile(filepath.Join(folder, key), value, 0o600))
	}
}

// Settings are what a manager's configuration, a template, may refer to.
type Settings struct {
	Folder string // for its certificates
	Port   int    // of its webhooks
}

// New has an empty folder and a free port.
func New() Settings {
	listener := say.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer listener.Close()
	return Settings{say.Must(os.MkdirTemp("", "certificates")), listener.Addr().(*net.TCPAddr).Port}
}

// Start runs the program that a variable of the environment names, with that configuration. It ends with this program.
func (s Settings) Start(variable, configuration string) {
	config := say.Must(os.Create(filepath.Join(s.Folder, "config.yaml")))
	say.Check(template.Must(template.New("configuration").Parse(configuration)).Execute(config, s))
	config.Close()
	log := say.Must(os.Create(filepath.Join(os.TempDir(), "manager.log")))
	runtime.LockOSThread() // the signal comes when the thread ends
	command := exec.Command(os.Getenv(variable), "--config", config.Name())
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	say.Check(command.Start())
}
