// The panel of a device: its users, what is left of it, its taints, its attributes.

import * as api from './api.js';
import {taintText} from './model.js';
import {button, heading, links, list} from './parts.js';
import {rivalsOf} from './usage.js';
import {element, enumerated, link} from './view.js';

const KEY = 'example.com/unhealthy';
const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];

// The one value of an attribute, or the elements of a list.
const attributeText = (value) => [Object.values(value ?? {})[0]].flat().join(', ');

// A row for each amount of which something is left: its name, a description, and a bar.
function amounts(title, rows) {
  if (!rows.length) return [];
  return [heading(title), element('table', {className: 'amounts'}, element('tbody', {}, ...rows.map(
    ({name, left, total, share, more = ''}) => {
      const words = left ? `${left} of ${total} left${more}` : `${total || 'not published'}${more}`;
      const bar = element('meter', {value: Math.min(1, Math.max(0, share)), title: words});
      return element('tr', {}, element('th', {scope: 'row', textContent: name}),
        element('td', {}, words, ...(left ? [bar] : [])));
    })))];
}

// Why no further claim gets the device; '' if that is obvious or unknown.
function whyNot({unusable, isShared, isWhole, state, short}) {
  if (unusable) return `No device of its pool can be allocated now: ${unusable}.`;
  if (isShared && isWhole) return 'Cannot be shared now: a claim got all of it before it was shared.';
  if (state !== 'short') return '';
  return short.consumes ?
    `Cannot be allocated now: it consumes ${short.consumes} of counter ${short.name}, and ${short.left} is left.` :
    `Cannot be allocated now: counter ${short.name} of ${short.set} is overdrawn.`;
}

const shareText = ({adminAccess, consumedCapacity}) => [...(adminAccess ? ['admin access'] : []),
  ...Object.entries(consumedCapacity ?? {}).map(([name, amount]) => `${name} ${amount}`)].join(', ');

// Each claim with its part of the device.
function users({allocations}) {
  if (!allocations.length) return [];
  return [heading('Claims'), list(allocations.map(({claim, result}) => {
    const share = shareText(result);
    return element('span', {}, link('claim', api.keyOf(claim)), share ? `: ${share}` : '');
  }))];
}

function usageParts(device, shown) {
  const why = whyNot(device);
  const plain = device.isShared ? [] : device.capacities;
  const sets = [...Map.groupBy(device.counters, ({set}) => set)];
  return [
    ...(device.isShared ? [element('p', {textContent: 'Can be allocated to several claims at the same time.'})] : []),
    ...(why ? [element('p', {className: 'summary', textContent: why})] : []),
    ...users(device), ...links([['Pods', 'pod', device.pods]]),
    ...(device.isShared ? amounts('Capacities', device.capacities) : []),
    ...(plain.length ? [heading('Capacities'), list(plain.map(({name, total}) => `${name}: ${total}`))] : []),
    ...sets.flatMap(([set, counters]) => amounts(`Counter set ${set}`,
      counters.map((counter) => ({...counter, more: `; it consumes ${counter.consumes}`})))),
    ...links([['Allocated from the same counter sets', 'device', rivalsOf(device, shown.devices).map(({id}) => id)]]),
  ];
}

function taintParts(device, bases) {
  const {pods} = device;
  const parts = [
    heading('Taints'),
    list(device.taints.map((taint) => element('span', {}, `${taintText(taint)} `,
      ...(taint.by ? ['by rule ', link('rule', taint.by)] : ['by its driver'])))),
    ...device.ownTaints.map((taint) => button(`Remove ${taintText(taint)}`,
      () => api.changeDeviceTaint(bases.resourceslices, device, taint, false))),
    heading('Taint it as its driver would'),
    element('p', {textContent: pods.length ? `NoExecute evicts ${enumerated(pods)}, unless they tolerate it.` :
      'No pod uses this device.'}),
    ...EFFECTS.map((effect) => button(`Taint ${effect}`, () => api.changeDeviceTaint(
      bases.resourceslices, device, {key: KEY, value: 'ui', effect}, true))),
  ];
  if (!bases.devicetaintrules) return parts;
  return [...parts, heading('Taint it by a rule, as an admin would'),
    ...EFFECTS.map((effect) => button(`Create rule ${effect}`, () => api.createTaintRule(
      bases.devicetaintrules, device, {key: KEY, value: 'ui', effect})))];
}

export function deviceParts(device, bases, shown) {
  return [
    element('p', {textContent: `Driver ${device.driver}, pool ${device.pool}`}),
    ...usageParts(device, shown),
    heading('Attributes'),
    list(Object.entries(device.attributes).map(([name, value]) => `${name}: ${attributeText(value)}`)),
    ...taintParts(device, bases),
  ];
}
