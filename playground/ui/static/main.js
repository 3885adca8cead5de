// Watches the cluster and draws it as it changes.
//
// One watch for each kind, like every client. A page that nobody sees closes its watches, because a
// browser opens only six connections to a server.

import {discover, keyOf, Mirror} from './api.js';
import * as details from './details.js';
import {devicesByPod, evictedBy, picture, usesClaims} from './model.js';
import {addressOf, draw, makeSortable, showConnection} from './view.js';

// How long an evicted pod that has been deleted stays on the page.
const GONE_SHOWN = 120_000;

const problems = new Map();
const mirrors = {};
let bases = {};
let shown = null;
let selected = null;
let opener = null;
let drawing = false;
let explaining = 0;

const objectsOf = (name) => mirrors[name] ? [...mirrors[name].objects.values()] : [];

// What is selected is in the page's address, so that it can be linked to.
const select = (what) => { location.hash = addressOf(what); };
const close = () => { location.hash = ''; };

// {kind, key} of "#pod/lab/trainer-0"; null where nothing is selected.
function selectedByAddress() {
  const [kind, ...key] = location.hash.slice(1).split('/').map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  return ['device', 'pod', 'claim', 'rule'].includes(kind) && key.length ? {kind, key: key.join('/')} : null;
}

function follow() {
  const before = selected;
  selected = selectedByAddress();
  if (!selected) {
    details.hide();
    opener?.focus();
    return;
  }
  if (!before) opener = document.activeElement;
  refreshDetails().then(() => document.getElementById('details').focus());
}

async function refreshDetails() {
  if (!selected || !shown) return;
  const what = selected;
  const turn = ++explaining;
  const source = {device: shown.devices, pod: mirrors.pods?.objects, claim: mirrors.resourceclaims?.objects,
    rule: mirrors.devicetaintrules?.objects}[what.kind];
  const thing = source?.get(what.key) ?? gone.get(what.key)?.object;
  await details.show(what, thing, bases, shown, close, () => turn !== explaining || selected !== what);
}

let detailsTimer = null;

function render() {
  drawing = false;
  shown = picture({slices: objectsOf('resourceslices'), claims: objectsOf('resourceclaims'),
    pods: objectsOf('pods'), rules: objectsOf('devicetaintrules'), gone: [...gone.values()]});
  rememberDevices();
  draw(shown, document.getElementById('filter').value.trim(), select);
  // An explanation reads the cluster: not more than twice a second.
  detailsTimer ??= setTimeout(() => { detailsTimer = null; refreshDetails(); }, selected?.kind === 'device' ? 0 : 500);
}

// Evicted pods that have been deleted, by name: {object, at, had, why}; why is empty until a taint is known.
const gone = new Map();

// The devices that each pod has, or had last, by name. Pods, claims and slices come by watches of their own: a claim
// may be released before the taint that evicted its pod is known here.
let had = new Map();

function remember(type, pod) {
  if (type !== 'DELETED' || !usesClaims(pod) || !evictedBy(pod)) return;
  gone.set(keyOf(pod), {object: pod, at: Date.now(), had: had.get(keyOf(pod)) ?? [], why: ''});
}

function rememberDevices() {
  const known = mirrors.pods?.objects ?? new Map();
  had = new Map([...had, ...devicesByPod(shown.devices)].filter(([name]) => known.has(name)));
  // A taint may be removed while the pod is still shown.
  for (const {key, isGone, reason} of shown.pods) if (isGone) gone.get(key).why = reason;
}

// Ages, and pods that wait too long, change without any news.
function tick() {
  const now = Date.now();
  for (const [key, {at}] of gone) if (now - at > GONE_SHOWN) gone.delete(key);
  changed();
}

function changed() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(render);
}

function stateOf(mirror, problem) {
  problems.set(mirror.path, problem);
  showConnection([...problems.values()].find(Boolean) ?? '');
}

function watchAll() {
  for (const mirror of Object.values(mirrors)) mirror.run();
}

async function start() {
  try {
    bases = await discover();
  } catch (error) {
    showConnection(error.message);
    setTimeout(start, 2000);
    return;
  }
  const paths = {pods: '/api/v1/pods'};
  for (const [kind, base] of Object.entries(bases)) paths[kind] = `${base}/${kind}`;
  for (const [kind, path] of Object.entries(paths)) {
    mirrors[kind] = new Mirror(path, changed, stateOf, kind === 'pods' ? remember : undefined);
  }
  if (!document.hidden) watchAll();
  setInterval(() => { if (!document.hidden) tick(); }, 5000);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) for (const mirror of Object.values(mirrors)) mirror.stop();
    else watchAll();
  });
}

makeSortable(changed);
addEventListener('hashchange', follow);
selected = selectedByAddress();
document.getElementById('filter').addEventListener('input', changed);
document.addEventListener('keydown', ({key}) => { if (key === 'Escape' && selected) close(); });
start();
