// The tables and the grid of devices. Only what has changed is touched, so that focus stays.
// Every text comes in by textContent: names and messages of objects are nobody's HTML.

import {keyOf} from './api.js';
import {taintText} from './model.js';

const ROWS_MAX = 300;
const $ = (id) => document.getElementById(id);

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// Keeps the children of `parent` in the order of `items`, each made once for its key.
function keyed(parent, items, keyOf, make, update) {
  const there = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let child = there.get(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    there.delete(key);
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
    update(child, item);
  }
  for (const child of there.values()) child.remove();
}

const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };

const NAMED_MAX = 5;

// "lab/a, lab/b and 20 more"
export const enumerated = (names) => names.slice(0, NAMED_MAX).join(', ') +
  (names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '');

// "free", "shared by lab/a, lab/b".
function useWords({state, allocations, short}) {
  const users = (isAdmin) => enumerated([...new Set(allocations
    .filter(({result}) => Boolean(result.adminAccess) === isAdmin).map(({claim}) => keyOf(claim)))]);
  const [takers, admins] = [users(false), users(true)];
  const words = {free: 'free', short: short && `free, but short of counter ${short.name} of ${short.set}`,
    shared: `shared by ${takers}`, allocated: `allocated to ${takers}`}[state];
  return admins ? `${words}; admin access for ${admins}` : words;
}

const deviceWords = (device) => [device.id, useWords(device),
  ...(device.unusable ? [`its pool cannot be used: ${device.unusable}`] : []),
  ...device.taints.map((taint) => `tainted ${taintText(taint)}${taint.by ? ` by rule ${taint.by}` : ''}`)].join('; ');

const SIGN = {None: 'i', NoSchedule: '!', NoExecute: 'X'};

function updateDevice(button, device) {
  const words = deviceWords(device);
  button.className = ['device', device.state !== 'free' && device.state, device.worst.toLowerCase()]
    .filter(Boolean).join(' ');
  setText(button, SIGN[device.worst] ?? (device.state === 'short' ? '–' : ''));
  if (button.title !== words) {
    button.title = words;
    button.setAttribute('aria-label', words);
  }
}

// One stop of the Tab key for each node; the arrow keys go from device to device.
function moveFocus(event) {
  const buttons = [...event.currentTarget.children];
  const at = buttons.indexOf(document.activeElement);
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
  const to = event.key === 'Home' ? 0 : event.key === 'End' ? buttons.length - 1 : at + step;
  if (at < 0 || !(to >= 0 && to < buttons.length)) return;
  event.preventDefault();
  for (const button of buttons) button.tabIndex = -1;
  buttons[to].tabIndex = 0;
  buttons[to].focus();
}

function makeNode() {
  const title = element('h3');
  return element('article', {className: 'node'}, title, element('div'));
}

// The devices of one driver on a node.
function makeGroup(node, driver, select) {
  const devices = element('div', {className: 'devices'});
  devices.setAttribute('role', 'group');
  devices.setAttribute('aria-label', `Devices of ${driver} on ${node}`);
  devices.addEventListener('keydown', moveFocus);
  devices.addEventListener('click', ({target}) => {
    if (target.dataset.key) select({kind: 'device', key: target.dataset.key});
  });
  return element('div', {}, element('p', {className: 'driver', textContent: driver}), devices);
}

function updateGroup(group, {devices}) {
  const grid = group.lastElementChild;
  keyed(grid, devices, ({id}) => id, () => element('button', {type: 'button', tabIndex: -1}), updateDevice);
  if (grid.firstElementChild && !grid.querySelector('[tabindex="0"]')) grid.firstElementChild.tabIndex = 0;
}

function updateNode(article, node, select) {
  const [title, groups] = article.children;
  const used = node.devices.filter(({isTaken}) => isTaken).length;
  setText(title, `${node.name}: ${used} of ${node.devices.length} allocated`);
  const byDriver = Map.groupBy(node.devices, ({driver}) => driver);
  keyed(groups, [...byDriver].map(([driver, devices]) => ({driver, devices})), ({driver}) => driver,
    ({driver}) => makeGroup(node.name, driver, select), updateGroup);
}

// The address of a thing on this page: "#pod/lab/trainer-0".
export const addressOf = ({kind, key}) => `#${[kind, ...key.split('/')].map(encodeURIComponent).join('/')}`;

export const link = (kind, key) => element('a', {href: addressOf({kind, key}), textContent: key});

// {pods: {cell: 'age', isDescending: false}}
const sorting = {};

function sorted(id, rows) {
  const by = sorting[id];
  if (!by) return rows;
  const value = (row) => by.cell === 'age' ? -row.made : row[by.cell];
  const compare = (a, b) => typeof a === 'number' ? a - b : String(a).localeCompare(String(b), 'en', {numeric: true});
  return rows.toSorted((a, b) => (by.isDescending ? -1 : 1) * compare(value(a), value(b)));
}

// Makes the heads of the tables sort them. `changed` is called after each change.
export function makeSortable(changed) {
  for (const head of document.querySelectorAll('th[data-cell]')) {
    const id = head.closest('table').tBodies[0].id;
    const {cell} = head.dataset;
    const button = element('button', {type: 'button', className: 'sort', textContent: head.textContent});
    button.addEventListener('click', () => {
      sorting[id] = {cell, isDescending: sorting[id]?.cell === cell && !sorting[id].isDescending};
      for (const other of head.parentElement.children) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', sorting[id].isDescending ? 'descending' : 'ascending');
      changed();
    });
    head.replaceChildren(button);
  }
}

function table(id, kind, rows, cells) {
  const make = (row) => element('tr', {}, element('td', {}, link(kind, row.key)), ...cells.map(() => element('td')));
  const update = (line, row) => {
    cells.forEach((cell, index) => setText(line.children[index + 1], String(
      cell === 'status' && row.why ? `${row.status}: ${row.why}` : row[cell])));
    if (line.dataset.status !== row.status) line.dataset.status = row.status;
    line.classList.toggle('stuck', row.status === 'Pending' && Boolean(row.why));
    line.classList.toggle('gone', Boolean(row.isGone));
  };
  const shown = sorted(id, rows).slice(0, ROWS_MAX);
  keyed($(id), shown, ({key}) => key, make, update);
  const caption = rows.length > shown.length ? `${shown.length} of ${rows.length} shown: use the filter` :
    rows.length === 0 ? 'None' : '';
  const table = $(id).parentElement;
  table.caption ?? table.createCaption();
  setText(table.caption, caption);
}

// Draws `shown`, a picture() of the model, as far as `filter` fits. `select` is told what was clicked.
export function draw(shown, filter, select) {
  const fits = (...texts) => !filter || texts.some((text) => String(text).includes(filter));
  const nodes = shown.nodes.filter(({name, devices}) => fits(name, ...devices.map(({id}) => id)));
  keyed($('nodes'), nodes.slice(0, ROWS_MAX), ({name}) => name, makeNode,
    (article, node) => updateNode(article, node, select));
  $('nodes-empty').hidden = nodes.length > 0;
  table('rules', 'rule', shown.rules.filter(({name, taint}) => fits(name, taint)),
    ['taint', 'devices', 'age', 'status']);
  table('pods', 'pod', shown.pods.filter(({name, node, claims, status}) => fits(name, node, claims, status)),
    ['status', 'node', 'claims', 'age']);
  table('claims', 'claim', shown.claims.filter(({name, devices}) => fits(name, devices)),
    ['status', 'devices', 'age']);
  const count = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;
  setText($('counts'), `${count(shown.nodes.length, 'node')}, ${count(shown.devices.size, 'device')}: ` +
    `${shown.allocated} allocated, ${shown.tainted} tainted; ${count(shown.pods.length, 'pod')}` +
    `${shown.waiting ? ` (${shown.waiting} stuck)` : ''}, ` +
    `${count(shown.claims.length, 'claim')}, ${count(shown.rules.length, 'rule')}`);
}

// Why the page is not up to date; empty when it is.
export function showConnection(problem) {
  setText($('connection'), problem ? `Not up to date: ${problem}` : 'Live');
  $('connection').className = problem ? 'problem' : '';
}
