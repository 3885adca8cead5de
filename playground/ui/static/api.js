// The Kubernetes API as this page uses it: discovery, lists with watches, and a few writes.

const GROUP = '/apis/resource.k8s.io';
const KINDS = ['resourceslices', 'resourceclaims', 'devicetaintrules'];

// An answer's JSON. Throws an Error with the server's own message and its `code`.
export async function request(method, path, body, contentType = 'application/json') {
  const response = await fetch(path, {
    method,
    headers: {Accept: 'application/json', ...(body && {'Content-Type': contentType})},
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  let answer;
  try { answer = JSON.parse(text); } catch { answer = {message: text.slice(0, 200) || response.statusText}; }
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.message || response.statusText), {code: response.status});
}

// {resourceslices: '/apis/resource.k8s.io/v1', …}: each kind at the newest version that has it.
export async function discover() {
  const found = {};
  const group = await request('GET', GROUP);
  for (const {version} of group.versions) {
    const {resources} = await request('GET', `${GROUP}/${version}`);
    for (const kind of KINDS) {
      if (resources.some((resource) => resource.name === kind)) found[kind] ??= `${GROUP}/${version}`;
    }
  }
  return found;
}

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Keeps `objects` (by namespace/name) equal to the server's at `path`, until stop().
export class Mirror {
  // `onObject` is called for each object that changes or is deleted, with the type of the event.
  constructor(path, onChange, onState, onObject = () => {}) {
    Object.assign(this, {path, onChange, onState, onObject, objects: new Map(), abort: null, version: ''});
  }

  async run() {
    this.abort = new AbortController();
    const {signal} = this.abort;
    for (let wait = 500; !signal.aborted;) {
      try {
        if (!this.version) await this.list(signal);
        this.onState(this, '');
        wait = 500;
        await this.watch(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.version = '';
        this.onState(this, error.message);
        await sleep(wait);
        wait = Math.min(2 * wait, 10000);
      }
    }
  }

  stop() { this.abort?.abort(); }

  async list(signal) {
    const response = await fetch(this.path, {signal, headers: {Accept: 'application/json'}});
    const list = await response.json();
    if (!response.ok) throw new Error(list.message || response.statusText);
    this.objects = new Map((list.items ?? []).map((object) => [keyOf(object), object]));
    this.version = list.metadata.resourceVersion;
    this.onChange();
  }

  async watch(signal) {
    const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${encodeURIComponent(this.version)}`;
    const response = await fetch(`${this.path}?${query}`, {signal, headers: {Accept: 'application/json'}});
    if (!response.ok) throw new Error(response.statusText || `status ${response.status}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ;) {
      const {value, done} = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop();
      for (const line of lines) if (line) this.take(JSON.parse(line));
    }
  }

  take({type, object}) {
    if (type === 'ERROR') throw new Error(object.message);
    this.version = object.metadata.resourceVersion;
    if (type === 'BOOKMARK') return;
    this.onObject(type, object);
    if (type === 'DELETED') this.objects.delete(keyOf(object));
    else this.objects.set(keyOf(object), object);
    this.onChange();
  }
}

export const keyOf = ({metadata}) =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;

// Adds or removes one taint of a device in its ResourceSlice, like the device's driver. Throws if
// another writer interferes.
export async function changeDeviceTaint(base, device, taint, isAdded) {
  const address = `${base}/resourceslices/${encodeURIComponent(device.slice)}`;
  const slice = await request('GET', address);
  const index = slice.spec.devices.findIndex(({name}) => name === device.name);
  if (index < 0) throw new Error(`ResourceSlice ${device.slice} no longer has the device ${device.name}`);
  const entry = slice.spec.devices[index];
  const taints = ((entry.basic ?? entry).taints ?? [])
    .filter(({key, effect}) => key !== taint.key || effect !== taint.effect);
  if (isAdded) taints.push(taint);
  return request('PATCH', address, [
    {op: 'test', path: '/metadata/resourceVersion', value: slice.metadata.resourceVersion},
    {op: 'add', path: `/spec/devices/${index}${entry.basic ? '/basic' : ''}/taints`, value: taints},
  ], 'application/json-patch+json');
}

// A rule of an admin that taints this one device.
export function createTaintRule(base, device, taint) {
  return request('POST', `${base}/devicetaintrules`, {
    apiVersion: base.slice('/apis/'.length),
    kind: 'DeviceTaintRule',
    metadata: {generateName: 'ui-'},
    spec: {deviceSelector: {driver: device.driver, pool: device.pool, device: device.name}, taint},
  });
}

export const deleteTaintRule = (base, name) =>
  request('DELETE', `${base}/devicetaintrules/${encodeURIComponent(name)}`);

// The history of an object, newest last.
export async function events(object) {
  const {name, namespace} = object.metadata;
  const where = namespace ? `/api/v1/namespaces/${encodeURIComponent(namespace)}/events` : '/api/v1/events';
  const selector = encodeURIComponent(`involvedObject.uid=${object.metadata.uid}`);
  const {items} = await request('GET', `${where}?fieldSelector=${selector}`);
  return (items ?? []).filter((event) => event.involvedObject?.name === name);
}

// The explanation of `dra-controller-manager explain`; null if this server has none.
export async function explanation(plural, object) {
  const {name, namespace} = object.metadata;
  const path = [plural, namespace, name].filter(Boolean).map(encodeURIComponent).join('/');
  try {
    const answer = await request('GET', `explain/${path}?output=json`);
    return answer.kind === 'Explanation' ? answer : null;
  } catch (error) {
    if (error.code === 503) throw error;
    return null;
  }
}
