// From API objects to what the page shows. No DOM, no requests.

import {keyOf} from './api.js';
import {allocationsByDevice, allocationState, capacitiesOf, countersFor, countersOf, idOf, resultsOf} from './usage.js';

const SEVERITY = {None: 1, NoSchedule: 2, NoExecute: 3};

// Only these two keep pods from a device.
const isHarmful = ({effect}) => effect === 'NoSchedule' || effect === 'NoExecute';

export const taintText = ({key, value, effect}) => `${key}${value ? `=${value}` : ''}:${effect}`;

// Without a selector no device is tainted; an empty one selects all. A field that is empty or of another version of the
// API selects nothing.
function selects(rule, {driver, pool, name}) {
  const selector = rule.spec.deviceSelector;
  const fields = {driver, pool, device: name};
  return Boolean(selector) &&
    Object.entries(selector).every(([field, wanted]) => wanted === null || wanted === fields[field]);
}

// The slices of each pool's newest generation; older ones are about to be deleted.
function poolsOf(slices) {
  const pools = Map.groupBy(slices, ({spec}) => `${spec.driver}/${spec.pool.name}`);
  const generation = ({spec}) => spec.pool.generation ?? 0;
  return [...pools.values()].map((all) => {
    const newest = all.reduce((highest, slice) => Math.max(highest, generation(slice)), 0);
    return all.filter((slice) => generation(slice) === newest);
  });
}

// Of the slice, or of each of its devices (perDeviceNodeSelection).
function placeOf({spec}, details) {
  const where = spec.perDeviceNodeSelection ? details : spec;
  if (where.nodeName) return where.nodeName;
  return where.allNodes ? 'all nodes' : 'several nodes';
}

// Why kube-scheduler allocates nothing of the pool; '' if it may.
function whyUnusable(pool, hasDuplicates) {
  const wanted = pool[0].spec.pool.resourceSliceCount ?? pool.length;
  if (wanted !== pool.length) return `${pool.length} of ${wanted} ResourceSlices are published`;
  return hasDuplicates ? 'several devices have the same name' : '';
}

function taintsOf(device, rules) {
  const taints = [
    ...device.ownTaints.map((taint) => ({...taint, by: ''})),
    ...rules.filter((rule) => selects(rule, device)).map((rule) => ({...rule.spec.taint, by: rule.metadata.name})),
  ];
  const worst = taints.map(({effect}) => effect).sort((a, b) => (SEVERITY[b] ?? 0) - (SEVERITY[a] ?? 0))[0] ?? '';
  return {taints, worst};
}

function usageOf(details, allocations, counters) {
  const capacities = capacitiesOf(details, allocations);
  const own = countersFor(details, counters);
  return {
    allocations, capacities, counters: own, isShared: Boolean(details.allowMultipleAllocations),
    claims: [...new Set(allocations.map(({claim}) => claim))],
    isTaken: allocations.some(({result}) => !result.adminAccess),
    ...allocationState(details, allocations, capacities, own, counters),
  };
}

// Each name once: no API server refuses two slices with devices of one name.
function devicesOf(pool, allocations, rules) {
  const counters = countersOf(pool, allocations);
  const entries = pool.flatMap((slice) => (slice.spec.devices ?? []).map((entry) => ({slice, entry})));
  const byName = Map.groupBy(entries, ({entry}) => entry.name);
  const unusable = whyUnusable(pool, byName.size < entries.length);
  return [...byName.values()].map(([{slice, entry}]) => {
    const details = entry.basic ?? entry;
    const device = {
      name: entry.name, driver: slice.spec.driver, pool: slice.spec.pool.name, place: placeOf(slice, details),
      slice: slice.metadata.name, attributes: details.attributes ?? {}, ownTaints: details.taints ?? [], unusable,
    };
    device.id = `${device.driver}/${device.pool}/${device.name}`;
    return Object.assign(device, taintsOf(device, rules), usageOf(details, allocations.get(device.id) ?? [], counters));
  });
}

export const usesClaims = (pod) =>
  pod.spec.resourceClaims?.length > 0 || Boolean(pod.status?.extendedResourceClaimStatus);

// By the reason of the condition that marks a pod: what evicts it, if no taint is known.
const EVICTED_BY = new Map([
  ['DeletionByDeviceTaintManager', 'a taint with effect NoExecute'], ['EvictionByEvictionAPI', 'the Eviction API'],
]);

// Undefined for a pod that is not marked. A marked pod may stay: its taint has gone, or its deletion is refused.
export const evictedBy = (pod) => EVICTED_BY.get((pod.status?.conditions ?? []).find(({type, status}) =>
  type === 'DisruptionTarget' && status === 'True')?.reason);

export function podStatus(pod) {
  if (!pod.metadata.deletionTimestamp) return pod.status?.phase ?? 'Pending';
  return evictedBy(pod) ? 'Evicted' : 'Terminating';
}

const claimOf = (pod, entry) => entry.resourceClaimName ??
  pod.status?.resourceClaimStatuses?.find(({name}) => name === entry.name)?.resourceClaimName;

// The names of the claims that the pod has.
export const claimsOf = (pod) => [...(pod.spec.resourceClaims ?? []).map((entry) => claimOf(pod, entry)),
  pod.status?.extendedResourceClaimStatus?.resourceClaimName].filter(Boolean);

// The pods of each group, by its name.
const membersOf = (pods) => Map.groupBy(pods.filter(({spec}) => spec.schedulingGroup?.podGroupName),
  ({metadata, spec}) => `${metadata.namespace}/${spec.schedulingGroup.podGroupName}`);

// The names of the pods that a NoExecute taint on a device of the claim concerns. A reservation for a group is for
// those of its pods that have the claim.
function usersOf({metadata: {namespace, name}, status}, members) {
  return (status?.reservedFor ?? []).flatMap((user) => {
    const key = `${namespace}/${user.name}`;
    if (user.resource === 'pods') return [key];
    if (user.resource !== 'podgroups') return [];
    return (members.get(key) ?? []).filter((pod) => claimsOf(pod).includes(name)).map(keyOf);
  });
}

const claimNames = (pod) => [...(pod.spec.resourceClaims ?? []).map(
  (entry) => claimOf(pod, entry) ?? `${entry.name} (not made yet)`),
  pod.status?.extendedResourceClaimStatus?.resourceClaimName].filter(Boolean);

export function claimStatus(claim) {
  if (claim.metadata.deletionTimestamp) return 'Being deleted';
  const users = claim.status?.reservedFor?.length ?? 0;
  if (users > 0) return `Reserved for ${users}`;
  return claim.status?.allocation ? 'Allocated' : 'Waiting';
}

export const devicesOfClaim = (claim) => resultsOf(claim).map(idOf);

export function ruleStatus(rule) {
  const condition = rule.status?.conditions?.find(({type}) => type === 'EvictionInProgress');
  return condition ? `${condition.reason}: ${condition.message}` : '';
}

// "12s", "3m", "5h", "2d", as kubectl writes ages.
export function ageText(since, now) {
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  for (const [unit, length] of [['d', 86400], ['h', 3600], ['m', 60]]) {
    if (seconds >= 2 * length) return `${Math.floor(seconds / length)}${unit}`;
  }
  return `${seconds}s`;
}

const madeAt = ({metadata}) => Date.parse(metadata.creationTimestamp ?? '') || 0;

// A pod that waits for less is on its way.
const PATIENCE = 10_000;

// Why a pod has been pending for a while; empty: it has not.
export function whyPending(pod, now) {
  if (podStatus(pod) !== 'Pending' || now - madeAt(pod) < PATIENCE) return '';
  const scheduled = pod.status?.conditions?.find(({type}) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return `${scheduled.reason}: ${scheduled.message}`;
  const missing = (pod.spec.resourceClaims ?? []).filter((entry) => !claimOf(pod, entry)).map(({name}) => name);
  if (missing.length) return `No claim yet for ${missing.join(', ')}`;
  return pod.spec.nodeName ? 'Not started yet' : 'Not scheduled yet';
}

// The taints because of which a pod must leave the devices with these IDs.
const evictingTaints = (ids, devices) => devices.filter(({id}) => ids.includes(id))
  .flatMap((device) => device.taints.filter(({effect}) => effect === 'NoExecute')
    .map((taint) => `${taintText(taint)} on ${device.id}${taint.by ? ` by rule ${taint.by}` : ''}`));

// One for all comparisons: localeCompare() would look the locale up each time.
const ORDER = new Intl.Collator('en', {numeric: true});
const byName = (a, b) => ORDER.compare(a.name, b.name);

// What the page shows. `objects`: {slices, claims, pods, rules}, arrays of API objects; `gone`: evicted
// pods that were deleted a short time ago, [{object, at, had, why}], with the IDs of the devices that they had.
export function picture({slices, claims, pods, rules, gone = []}, now = Date.now()) {
  const allocations = allocationsByDevice(claims);
  const members = membersOf(pods);
  const users = new Map(claims.map((claim) => [claim, usersOf(claim, members)]));
  const published = poolsOf(slices).flatMap((pool) => devicesOf(pool, allocations, rules)).map((device) =>
    ({...device, pods: [...new Set(device.claims.flatMap((claim) => users.get(claim)))]}));
  const places = [...Map.groupBy(published, ({place}) => place)].map(([name, devices]) => ({name, devices: devices.sort(
    (a, b) => a.driver.localeCompare(b.driver) || byName(a, b))})).sort(byName);
  const devices = places.flatMap((place) => place.devices);
  const row = (object) => ({key: keyOf(object), name: keyOf(object), object, made: madeAt(object),
    age: ageText(madeAt(object), now)});
  const podRow = (pod) => ({...row(pod), status: podStatus(pod), why: whyPending(pod, now),
    node: pod.spec.nodeName ?? '', claims: claimNames(pod).join(', ')});
  const there = new Set(pods.map(keyOf));
  const goneRow = ({object, at, had, why}) => {
    const reason = why || evictingTaints(had, devices).join('; ');
    return {...podRow(object), status: 'Evicted', isGone: true, reason,
      why: `${ageText(at, now)} ago: ${reason || evictedBy(object)}`};
  };
  return {
    nodes: places,
    devices: new Map(devices.map((device) => [device.id, device])),
    pods: [...pods.filter(usesClaims).map(podRow),
      ...gone.filter(({object}) => !there.has(keyOf(object))).map(goneRow)].sort(byName),
    claims: claims.map((claim) => ({...row(claim), status: claimStatus(claim), pods: users.get(claim),
      devices: devicesOfClaim(claim).join(', ')})).sort(byName),
    rules: rules.map((rule) => ({...row(rule), taint: taintText(rule.spec.taint), status: ruleStatus(rule),
      devices: devices.filter((device) => selects(rule, device)).length})).sort(byName),
    allocated: devices.filter(({isTaken}) => isTaken).length,
    tainted: devices.filter((device) => device.taints.some(isHarmful)).length,
    waiting: pods.filter((pod) => usesClaims(pod) && whyPending(pod, now)).length,
  };
}

export const devicesOfRule = (rule, devices) => [...devices.values()].filter((device) => selects(rule, device));

// The IDs of the devices of each pod that has some, by the pod's name.
export function devicesByPod(devices) {
  const ids = new Map();
  for (const {id, pods} of devices.values()) {
    for (const pod of pods) ids.set(pod, [...(ids.get(pod) ?? []), id]);
  }
  return ids;
}
