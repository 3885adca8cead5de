// Watches the cluster and draws it as it changes.
//
// One watch for each kind, like every client. A page that nobody sees closes its watches, because a
// browser opens only six connections to a server.

import {discover, Mirror} from './api.js';
import * as details from './details.js';
import {picture} from './model.js';
import {draw, showConnection} from './view.js';

const problems = new Map();
const mirrors = {};
let bases = {};
let shown = null;
let selected = null;
let opener = null;
let drawing = false;
let explaining = 0;

const objectsOf = (name) => mirrors[name] ? [...mirrors[name].objects.values()] : [];

function select(what) {
  selected = what;
  opener = document.activeElement;
  refreshDetails().then(() => document.getElementById('details').focus());
}

function close() {
  selected = null;
  details.hide();
  opener?.focus();
}

async function refreshDetails() {
  if (!selected) return;
  const what = selected;
  const turn = ++explaining;
  const source = {device: shown.devices, pod: mirrors.pods?.objects, claim: mirrors.resourceclaims?.objects,
    rule: mirrors.devicetaintrules?.objects}[what.kind];
  await details.show(what, source?.get(what.key), bases, close, () => turn !== explaining || selected !== what);
}

let detailsTimer = null;

function render() {
  drawing = false;
  shown = picture({slices: objectsOf('resourceslices'), claims: objectsOf('resourceclaims'),
    pods: objectsOf('pods'), rules: objectsOf('devicetaintrules')});
  draw(shown, document.getElementById('filter').value.trim(), select);
  // An explanation reads the cluster: not more than twice a second.
  detailsTimer ??= setTimeout(() => { detailsTimer = null; refreshDetails(); }, selected?.kind === 'device' ? 0 : 500);
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
  for (const [kind, path] of Object.entries(paths)) mirrors[kind] = new Mirror(path, changed, stateOf);
  if (!document.hidden) watchAll();
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) for (const mirror of Object.values(mirrors)) mirror.stop();
    else watchAll();
  });
}

document.getElementById('filter').addEventListener('input', changed);
document.addEventListener('keydown', ({key}) => { if (key === 'Escape' && selected) close(); });
start();
