// The panel beside the tables: what a device is and how to taint it, or why an object waits.

import * as api from './api.js';
import {claimsOf, devicesOfClaim, devicesOfRule, podsOn, taintText} from './model.js';
import {element, link} from './view.js';

const KEY = 'example.com/unhealthy';
const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];
const PLURAL = {pod: 'pods', claim: 'resourceclaims', rule: 'devicetaintrules'};
const panel = document.getElementById('details');

// Of texts and elements.
function list(items) {
  return items.length ? element('ul', {}, ...items.map((item) => element('li', {}, item))) :
    element('p', {textContent: 'None'});
}

// What the panel leads to: each part with its title, and none without entries.
const links = (parts) => parts.filter(([, , keys]) => keys.length).flatMap(([title, kind, keys]) =>
  [element('h4', {textContent: title}), list(keys.map((key) => link(kind, key)))]);

function button(text, act) {
  const made = element('button', {type: 'button', textContent: text});
  made.addEventListener('click', async () => {
    const message = panel.querySelector('.message');
    made.disabled = true;
    try {
      await act();
      message.textContent = 'Done.';
    } catch (error) {
      message.textContent = error.message;
    }
    made.disabled = false;
  });
  return made;
}

const attributeText = (value) => String(Object.values(value ?? {})[0]);

function deviceParts(device, bases) {
  const pods = podsOn(device);
  const parts = [
    element('p', {textContent: `Driver ${device.driver}, pool ${device.pool}`}),
    ...links([['Claims', 'claim', device.claims.map(api.keyOf)], ['Pods', 'pod', pods]]),
    element('h4', {textContent: 'Taints'}),
    list(device.taints.map((taint) => element('span', {}, `${taintText(taint)} `,
      ...(taint.by ? ['by rule ', link('rule', taint.by)] : ['by its driver'])))),
    ...device.ownTaints.map((taint) => button(`Remove ${taintText(taint)}`,
      () => api.changeDeviceTaint(bases.resourceslices, device, taint, false))),
    element('h4', {textContent: 'Taint it as its driver would'}),
    element('p', {textContent: pods.length ? `NoExecute evicts ${pods.join(', ')}, unless they tolerate it.` :
      'No pod uses this device.'}),
    ...EFFECTS.map((effect) => button(`Taint ${effect}`, () => api.changeDeviceTaint(
      bases.resourceslices, device, {key: KEY, value: 'ui', effect}, true))),
  ];
  if (bases.devicetaintrules) {
    parts.push(element('h4', {textContent: 'Taint it by a rule, as an admin would'}),
      ...EFFECTS.map((effect) => button(`Create rule ${effect}`, () => api.createTaintRule(
        bases.devicetaintrules, device, {key: KEY, value: 'ui', effect}))));
  }
  parts.push(element('h4', {textContent: 'Attributes'}),
    list(Object.entries(device.attributes).map(([name, value]) => `${name}: ${attributeText(value)}`)));
  return parts;
}

function explained(answer) {
  const topics = answer.topics.flatMap(({title, findings}) => [
    element('h4', {textContent: title}),
    element('ul', {className: 'findings'}, ...findings.map(({outlook, text}) =>
      element('li', {}, element('b', {textContent: outlook}), ` ${text}`))),
  ]);
  return [element('p', {textContent: answer.description}),
    ...(answer.unknown ?? []).map((text) => element('p', {className: 'unknown', textContent: `Not known: ${text}`})),
    ...answer.summary.map((text) => element('p', {className: 'summary', textContent: text})), ...topics];
}

// Without the playground there is nobody to explain it to the page: the command does.
async function objectParts(kind, object) {
  const answer = await api.explanation(PLURAL[kind], object);
  if (answer) return explained(answer);
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
      ['Pods on them', 'pod', [...new Set(devices.flatMap(podsOn))]]]);
  }
  if (kind === 'pod') return links([['Claims', 'claim', claimsOf(object).map((name) => `${namespace}/${name}`)]]);
  const pods = (object.status?.reservedFor ?? []).filter(({resource}) => resource === 'pods');
  return links([['Reserved for', 'pod', pods.map(({name}) => `${namespace}/${name}`)],
    ['Devices', 'device', devicesOfClaim(object)]]);
}

async function partsOf(selected, thing, bases, shown) {
  if (selected.kind === 'device') return deviceParts(thing, bases);
  const gone = shown.pods.find(({key, isGone}) => isGone && selected.kind === 'pod' && key === selected.key);
  if (gone) return [element('p', {className: 'summary', textContent: `Evicted ${gone.why}`})];
  const parts = [...await objectParts(selected.kind, thing), ...related(selected.kind, thing, shown)];
  if (selected.kind === 'rule') {
    parts.push(button('Delete this rule', () => api.deleteTaintRule(bases.devicetaintrules, thing.metadata.name)));
  }
  return parts;
}

// Shows `thing` (a device of the model, an API object, or nothing when it is gone), for `selected`.
// `isStale` says whether something else has been selected while this was being read.
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
  const message = panel.dataset.title === title ? panel.querySelector('.message')?.textContent ?? '' : '';
  const closer = element('button', {type: 'button', className: 'close', textContent: 'Close'});
  closer.addEventListener('click', close);
  panel.dataset.title = title;
  panel.replaceChildren(closer, element('h3', {textContent: title}), ...parts,
    element('p', {className: 'message', role: 'status', textContent: message}));
  panel.hidden = false;
  document.body.classList.add('open');
  if (focused === null) return;
  ([...panel.querySelectorAll('button, a')].find(({textContent}) => textContent === focused) ?? panel).focus();
}

export function hide() {
  panel.hidden = true;
  document.body.classList.remove('open');
  delete panel.dataset.title;
}
