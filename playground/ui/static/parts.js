// What the panels are made of.

import {element, link} from './view.js';

const ITEMS_MAX = 50;  // a shared device may have thousands of claims

// Of texts and elements.
export function list(items) {
  if (!items.length) return element('p', {textContent: 'None'});
  const more = items.length - ITEMS_MAX;
  const shown = [...items.slice(0, ITEMS_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
  return element('ul', {}, ...shown.map((item) => element('li', {}, item)));
}

export const heading = (text) => element('h4', {textContent: text});

// Links of the panel: each non-empty part with its title.
export const links = (parts) => parts.filter(([, , keys]) => keys.length).flatMap(([title, kind, keys]) =>
  [heading(title), list(keys.map((key) => link(kind, key)))]);

// The panel's last line says how it went.
export function button(text, act) {
  const made = element('button', {type: 'button', textContent: text});
  made.addEventListener('click', async () => {
    const message = document.querySelector('#details .message');
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
