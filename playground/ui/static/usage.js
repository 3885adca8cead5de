// What is allocated of each device, and what is left of shared devices and of counter sets: counted as kube-scheduler
// does. No DOM, no requests.

import {parseQuantity, quantityText} from './quantity.js';

export const resultsOf = (claim) => claim.status?.allocation?.devices?.results ?? [];

// Of the device of a result.
export const idOf = ({driver, pool, device}) => `${driver}/${pool}/${device}`;

// {'driver/pool/device': [{claim, result}, …]}
export function allocationsByDevice(claims) {
  const found = new Map();
  for (const claim of claims) {
    for (const result of resultsOf(claim)) {
      const id = idOf(result);
      if (!found.has(id)) found.set(id, []);
      found.get(id).push({claim, result});
    }
  }
  return found;
}

// Admin access takes nothing away from others.
const taking = (allocations) => allocations.filter(({result}) => !result.adminAccess);

// What is left of `total` after all of `taken`, and the `share` that this is, up to 1. `left` is '' where a quantity
// cannot be read.
function remainder(name, total, taken) {
  const whole = parseQuantity(total);
  const amounts = taken.map(parseQuantity);
  if (whole === null || amounts.includes(null)) return {name, total, left: '', share: 0};
  const left = amounts.reduce((rest, amount) => rest - amount, whole);
  return {name, total, left: quantityText(left, total), share: whole > 0n ? Number(left) / Number(whole) : 0};
}

// v1alpha3 has the quantity itself.
const valueOf = (capacity) => capacity?.value ?? capacity;

// [{name, total}, …]; of a shared device also {left, share}, after what each share consumes.
export function capacitiesOf(details, allocations) {
  const shares = taking(allocations).map(({result}) => result.consumedCapacity ?? {});
  return Object.entries(details.capacity ?? {}).map(([name, capacity]) => {
    const total = String(valueOf(capacity));
    if (!details.allowMultipleAllocations) return {name, total};
    return remainder(name, total, shares.filter((share) => Object.hasOwn(share, name)).map((share) => share[name]));
  });
}

const usesOf = (details) => (details.consumesCounters ?? []).flatMap(({counterSet, counters}) =>
  Object.entries(counters ?? {}).map(([name, {value}]) => ({set: counterSet, name, value: String(value)})));

const counterKey = (set, name) => `${set}/${name}`;

// The counters of one pool, {'set/counter': {set, name, total, left, share}}, after what its allocated devices consume.
// A shared device consumes once, whatever number of shares it has.
export function countersOf(slices, allocations) {
  const taken = new Map();
  for (const {spec} of slices) {
    for (const entry of spec.devices ?? []) {
      const id = idOf({driver: spec.driver, pool: spec.pool.name, device: entry.name});
      if (!taking(allocations.get(id) ?? []).length) continue;
      for (const {set, name, value} of usesOf(entry.basic ?? entry)) {
        const key = counterKey(set, name);
        if (!taken.has(key)) taken.set(key, []);
        taken.get(key).push(value);
      }
    }
  }
  const sets = slices.flatMap(({spec}) => spec.sharedCounters ?? []);
  return new Map(sets.flatMap((set) => Object.entries(set.counters ?? {}).map(([name, {value}]) => {
    const key = counterKey(set.name, name);
    return [key, {set: set.name, ...remainder(name, String(value), taken.get(key) ?? [])}];
  })));
}

// [{set, name, consumes, total, left, share}, …]; total is '' for a counter that the pool does not publish.
export const countersFor = (details, counters) => usesOf(details).map(({set, name, value}) =>
  ({total: '', left: '', share: 0, ...counters.get(counterKey(set, name)), set, name, consumes: value}));

const isLess = (a, b) => {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left !== null && right !== null && left < right;
};

// The counter because of which a device cannot be allocated: one that it consumes, or any of the pool that is
// overdrawn, because kube-scheduler compares them all. Undefined: there is none.
function shortage(own, counters) {
  if (!own.length) return undefined;
  return own.find(({left, consumes}) => isLess(left, consumes)) ??
    [...counters.values()].find(({left}) => isLess(left, '0'));
}

// 'free', 'shared' (others may have a share, too), 'allocated', or 'short' of a counter: with `short`, which one.
// `isWhole`: a claim has all of it, be it since a time when it was not shared.
export function allocationState(details, allocations, capacities, own, counters) {
  const takers = taking(allocations);
  if (!takers.length) {
    const short = shortage(own, counters);
    return short ? {state: 'short', short} : {state: 'free'};
  }
  const isWhole = takers.some(({result}) => !result.shareID);
  const isUsedUp = capacities.some(({left}) => left && !isLess('0', left));
  return {isWhole, state: isWhole || isUsedUp || !details.allowMultipleAllocations ? 'allocated' : 'shared'};
}

// The devices of the pool that are allocated and consume from the counter sets of `device`.
export const rivalsOf = (device, devices) => [...devices.values()].filter((other) => other.id !== device.id &&
  other.driver === device.driver && other.pool === device.pool && other.isTaken &&
  other.counters.some(({set}) => device.counters.some((own) => own.set === set)));
