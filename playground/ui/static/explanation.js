// The panel's explanation of a pod, claim or rule: first the sentence that helps and what would have to change, then
// the rest by topic.

import {heading, list} from './parts.js';
import {element, link} from './view.js';

const DEVICES = 'Devices';  // the topic that compares what is asked for with the devices of each node

const isObstacle = ({outlook}) => ['stuck', 'waiting', 'unknown'].includes(outlook);

// Which objects of the page a text may name, by the word before the name.
const named = (shown) => ({
  claim: new Set(shown.claims.map(({key}) => key)), pod: new Set(shown.pods.map(({key}) => key)),
  rule: new Set(shown.rules.map(({key}) => key)), device: shown.devices,
});

// The text in pieces, with links from the names of objects that are on this page.
function linked(text, known) {
  const pieces = [];
  let done = 0;
  for (const {0: word, index} of text.matchAll(/[a-z0-9./-]+/g)) {
    let end = word.length;
    while (end > 0 && './-'.includes(word[end - 1])) --end;
    const name = word.slice(0, end);
    const kind = ['claim', 'pod', 'rule'].find((each) => text.startsWith(`${each} `, index - each.length - 1)) ??
      'device';
    if (!known[kind].has(name)) continue;
    pieces.push(text.slice(done, index), link(kind, name));
    done = index + end;
  }
  return [...pieces, text.slice(done)];
}

// "node-0: request "gpu" wants 1, 0 of 8 devices free"; unfolded, what stands in the way of how many of them.
function foldedNode({text}, known) {
  const [line, ...obstacles] = text.split(/; (?=\d)/);
  if (!obstacles.length) return element('p', {}, ...linked(text, known));
  return element('details', {}, element('summary', {textContent: line}),
    list(obstacles.map((obstacle) => element('span', {}, ...linked(obstacle, known)))));
}

function topicParts({title, findings}, known) {
  const nodes = findings.filter(({reason}) => reason === 'NodeDevices');
  const others = findings.filter(({reason}) => reason !== 'NodeDevices');
  const parts = [heading(title), ...nodes.map((finding) => foldedNode(finding, known))];
  if (others.length) {
    parts.push(element('ul', {className: 'findings'}, ...others.map(({outlook, text}) =>
      element('li', {}, element('b', {textContent: outlook}), ' ', ...linked(text, known)))));
  }
  return parts;
}

// Of an explanation: the findings to begin with, and the topics without those that need not be read twice. A finding of
// another topic than Devices may need its title to be understood, so it stays there, too.
function arranged({summary, topics}) {
  const devices = topics.find(({title}) => title === DEVICES)?.findings ?? [];
  const obstacles = devices.filter((finding) => isObstacle(finding) && summary.includes(finding.text));
  if (!obstacles.length) return {first: summary, remedies: [], topics};
  const remedies = devices.filter(({reason}) => reason === 'WouldFit' || reason === 'NothingToFree');
  const isFirst = (finding) => obstacles.includes(finding) || remedies.includes(finding);
  const rest = topics.map(({title, findings}) => ({title, findings: findings.filter((each) => !isFirst(each))}));
  return {first: obstacles.map(({text}) => text), remedies: remedies.map(({text}) => text),
    topics: rest.filter(({findings}) => findings.length)};
}

export function explained(answer, shown) {
  const known = named(shown);
  const {first, remedies, topics} = arranged(answer);
  const paragraph = (className) => (text) => element('p', {className}, ...linked(text, known));
  return [
    element('p', {textContent: answer.description}),
    ...(answer.unknown ?? []).map((text) => element('p', {className: 'unknown', textContent: `Not known: ${text}`})),
    ...first.map(paragraph('summary')), ...remedies.map(paragraph('remedy')),
    ...topics.flatMap((topic) => topicParts(topic, known)),
  ];
}
