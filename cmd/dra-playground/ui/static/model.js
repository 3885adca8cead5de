// From API objects to what the page shows. No DOM, no requests.

import {keyOf} from './api.js';

const SEVERITY = {None: 1, NoSchedule: 2, NoExecute: 3};

export const taintText = ({key, value, effect}) => `${key}${value ? `=${value}` : ''}:${effect}`;

// Without a selector no device is tainted; an empty one selects all.
function selects(rule, device) {
  const selector = rule.spec.deviceSelector;
  return selector !== undefined && selector !== null &&
    ['driver', 'pool'].every((field) => !selector[field] || selector[field] === device[field]) &&
    (!selector.device || selector.device === device.name);
}

// Slices of a pool's newest generation; older ones are about to be deleted.
function currentSlices(slices) {
  const newest = new Map();
  const pool = ({spec}) => `${spec.driver}/${spec.pool.name}`;
  for (const slice of slices) {
    newest.set(pool(slice), Math.max(newest.get(pool(slice)) ?? 0, slice.spec.pool.generation ?? 0));
  }
  return slices.filter((slice) => (slice.spec.pool.generation ?? 0) === newest.get(pool(slice)));
}

function placeOf({spec}) {
  if (spec.nodeName) return spec.nodeName;
  return spec.allNodes ? 'all nodes' : 'several nodes';
}

// {'driver/pool/device': [claim, …]}
function claimsByDevice(claims) {
  const users = new Map();
  for (const claim of claims) {
    for (const result of claim.status?.allocation?.devices?.results ?? []) {
      const id = `${result.driver}/${result.pool}/${result.device}`;
      users.set(id, [...(users.get(id) ?? []), claim]);
    }
  }
  return users;
}

function devicesOf(slice, users, rules) {
  return (slice.spec.devices ?? []).map((entry) => {
    const details = entry.basic ?? entry;
    const device = {
      name: entry.name, driver: slice.spec.driver, pool: slice.spec.pool.name,
      slice: slice.metadata.name, attributes: details.attributes ?? {}, ownTaints: details.taints ?? [],
    };
    device.id = `${device.driver}/${device.pool}/${device.name}`;
    device.claims = users.get(device.id) ?? [];
    device.taints = [
      ...device.ownTaints.map((taint) => ({...taint, by: ''})),
      ...rules.filter((rule) => selects(rule, device))
        .map((rule) => ({...rule.spec.taint, by: rule.metadata.name})),
    ];
    device.worst = device.taints.map(({effect}) => effect)
      .sort((a, b) => (SEVERITY[b] ?? 0) - (SEVERITY[a] ?? 0))[0] ?? '';
    return device;
  });
}

export const usesClaims = (pod) =>
  pod.spec.resourceClaims?.length > 0 || Boolean(pod.status?.extendedResourceClaimStatus);

export function podStatus(pod) {
  const conditions = pod.status?.conditions ?? [];
  const isEvicted = conditions.some(({type, status, reason}) =>
    type === 'DisruptionTarget' && status === 'True' && reason === 'DeletionByDeviceTaintManager');
  if (isEvicted) return 'Evicted';
  return pod.metadata.deletionTimestamp ? 'Terminating' : pod.status?.phase ?? 'Pending';
}

export function claimNames(pod) {
  const written = pod.status?.resourceClaimStatuses ?? [];
  return (pod.spec.resourceClaims ?? []).map((entry) => entry.resourceClaimName ??
    written.find(({name}) => name === entry.name)?.resourceClaimName ?? `${entry.name} (not made yet)`);
}

export function claimStatus(claim) {
  if (claim.metadata.deletionTimestamp) return 'Being deleted';
  const users = claim.status?.reservedFor?.length ?? 0;
  if (users > 0) return `Reserved for ${users}`;
  return claim.status?.allocation ? 'Allocated' : 'Waiting';
}

const resultsOf = (claim) => claim.status?.allocation?.devices?.results ?? [];

export function ruleStatus(rule) {
  const condition = rule.status?.conditions?.find(({type}) => type === 'EvictionInProgress');
  return condition ? `${condition.reason}: ${condition.message}` : '';
}

const byName = (a, b) => a.name.localeCompare(b.name, 'en', {numeric: true});

// What the page shows. `objects`: {slices, claims, pods, rules}, arrays of API objects.
export function picture({slices, claims, pods, rules}) {
  const users = claimsByDevice(claims);
  const nodes = new Map();
  for (const slice of currentSlices(slices)) {
    const name = placeOf(slice);
    nodes.set(name, [...(nodes.get(name) ?? []), ...devicesOf(slice, users, rules)]);
  }
  const places = [...nodes].map(([name, devices]) => ({name, devices: devices.sort(
    (a, b) => a.driver.localeCompare(b.driver) || byName(a, b))})).sort(byName);
  const devices = places.flatMap((place) => place.devices);
  const row = (object) => ({key: keyOf(object), name: keyOf(object), object});
  return {
    nodes: places,
    devices: new Map(devices.map((device) => [device.id, device])),
    pods: pods.filter(usesClaims).map((pod) => ({...row(pod), status: podStatus(pod),
      node: pod.spec.nodeName ?? '', claims: claimNames(pod).join(', ')})).sort(byName),
    claims: claims.map((claim) => ({...row(claim), status: claimStatus(claim),
      devices: resultsOf(claim).map(({pool, device}) => `${pool}/${device}`).join(', ')})).sort(byName),
    rules: rules.map((rule) => ({...row(rule), taint: taintText(rule.spec.taint), status: ruleStatus(rule),
      devices: devices.filter((device) => selects(rule, device)).length})).sort(byName),
    allocated: devices.filter((device) => device.claims.length > 0).length,
    tainted: devices.filter((device) => device.taints.length > 0).length,
  };
}

// The pods that a NoExecute taint on the device concerns.
export const podsOn = (device) => device.claims.flatMap((claim) =>
  (claim.status?.reservedFor ?? []).filter(({resource}) => resource === 'pods')
    .map(({name}) => `${claim.metadata.namespace}/${name}`));
