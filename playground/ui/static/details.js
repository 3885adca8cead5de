// The panel beside the tables: a device and how to taint it, or why an object waits.

import * as api from './api.js';
import {deviceParts} from './device.js';
import {explained} from './explanation.js';
import {claimsOf, devicesOfClaim, devicesOfRule} from './model.js';
import {button, links, list} from './parts.js';
import {element} from './view.js';

const PLURAL = {pod: 'pods', claim: 'resourceclaims', rule: 'devicetaintrules'};
const panel = document.getElementById('details');

// Without the playground, nothing explains it to the page: the command does.
async function objectParts(kind, object, shown) {
  const answer = await api.explanation(PLURAL[kind], object);
  if (answer) return explained(answer, shown);
  const command = `dra-controller-manager explain ${PLURAL[kind]} ${api.keyOf(object)}`;
  const happened = await api.events(object);
  return [
    element('p', {textContent: 'To see why it waits, run:'}), element('pre', {textContent: command}),
    element('h4', {textContent: 'Conditions'}),
    list((object.status?.conditions ?? []).map(({type, status, reason, message}) =>
      `${type}=${status} ${reason ?? ''} ${message ?? ''}`)),
    element('h4', {textContent: 'Events'}),
    list(happened.map(({reason, message}) => `${reason}: ${message}`)),
  ];
}

function related(kind, object, shown) {
  const namespace = object.metadata.namespace;
  if (kind === 'rule') {
    const devices = devicesOfRule(object, shown.devices);
    return links([['Devices', 'device', devices.map(({id}) => id)],
      ['Pods on them', 'pod', [...new Set(devices.flatMap(({pods}) => pods))]]]);
  }
  if (kind === 'pod') return links([['Claims', 'claim', claimsOf(object).map((name) => `${namespace}/${name}`)]]);
  const pods = shown.claims.find(({key}) => key === api.keyOf(object))?.pods ?? [];
  return links([['Reserved for', 'pod', pods],
    ['Devices', 'device', devicesOfClaim(object)]]);
}

async function partsOf(selected, thing, bases, shown) {
  if (selected.kind === 'device') return deviceParts(thing, bases, shown);
  const gone = shown.pods.find(({key, isGone}) => isGone && selected.kind === 'pod' && key === selected.key);
  if (gone) return [element('p', {className: 'summary', textContent: `Evicted ${gone.why}`})];
  const parts = [...await objectParts(selected.kind, thing, shown), ...related(selected.kind, thing, shown)];
  if (selected.kind === 'rule') {
    parts.push(button('Delete this rule', () => api.deleteTaintRule(bases.devicetaintrules, thing.metadata.name)));
  }
  return parts;
}

// Shows `thing` (a device of the model, an API object, or nothing if it is gone), for `selected`.
// `isStale` says whether something else was selected meanwhile.
export async function show(selected, thing, bases, shown, close, isStale) {
  const title = selected.kind === 'device' ? `Device ${selected.key}` : `${selected.kind} ${selected.key}`;
  let parts;
  try {
    parts = thing ? await partsOf(selected, thing, bases, shown) : [element('p', {textContent: 'It is gone.'})];
  } catch (error) {
    parts = [element('p', {className: 'problem', textContent: error.message})];
  }
  if (isStale()) return;
  const focused = panel.contains(document.activeElement) ? document.activeElement.textContent : null;
  const isSame = panel.dataset.title === title;
  const message = isSame ? panel.querySelector('.message')?.textContent ?? '' : '';
  const unfolded = isSame ? [...panel.querySelectorAll('[open] summary')].map(({textContent}) => textContent) : [];
  const closer = element('button', {type: 'button', className: 'close', textContent: 'Close'});
  closer.addEventListener('click', close);
  panel.dataset.title = title;
  panel.replaceChildren(closer, element('h3', {textContent: title}), ...parts,
    element('p', {className: 'message', role: 'status', textContent: message}));
  for (const summary of panel.querySelectorAll('summary')) {
    summary.parentElement.open = unfolded.includes(summary.textContent);
  }
  panel.hidden = false;
  document.body.classList.add('open');
  if (focused === null) return;
  ([...panel.querySelectorAll('button, a, summary')].find(({textContent}) => textContent === focused) ?? panel).focus();
}

export function hide() {
  panel.hidden = true;
  document.body.classList.remove('open');
  delete panel.dataset.title;
}
