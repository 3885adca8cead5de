// Kubernetes' quantities ("80Gi", "500m", "1e3"), exact. No DOM, no requests.

const NANO_DIGITS = 9;  // no quantity is more precise
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL = {n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18};
// API servers accept no longer quantities, and a large exponent would yield an endless number.
const FORM = /^([+-]?)(\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,2})?$/;

// Drivers publish the same few quantities thousands of times.
const KNOWN_MAX = 10_000;
const known = new Map();

// A number of 10^-9 units; null: `text` is no quantity. What is more precise is rounded up, as the API server does.
export function parseQuantity(text) {
  if (!known.has(text)) {
    if (known.size === KNOWN_MAX) known.clear();
    known.set(text, parse(text));
  }
  return known.get(text);
}

function parse(text) {
  const found = FORM.exec(text);
  if (!found) return null;
  const [, sign, number, suffix = ''] = found;
  const [whole, fraction = ''] = number.split('.');
  const binary = BINARY.indexOf(suffix) + 1;
  const power = NANO_DIGITS - fraction.length + (binary ? 0 : DECIMAL[suffix] ?? Number(suffix.slice(1)));
  const digits = BigInt(whole + fraction) << BigInt(10 * binary);
  const scale = 10n ** BigInt(Math.abs(power));
  const amount = power >= 0 ? digits * scale : (digits + scale - 1n) / scale;
  return sign === '-' ? -amount : amount;
}

// "70Gi": with the largest suffix that leaves a whole number, of the kind that the text `like` has.
export function quantityText(amount, like) {
  if (amount === 0n) return '0';
  const one = 10n ** BigInt(NANO_DIGITS);
  if (/i$/.test(like) && amount % one === 0n) {
    const units = amount / one;
    const power = BINARY.findLastIndex((_, index) => units % (1n << BigInt(10 * (index + 1))) === 0n) + 1;
    return `${units >> BigInt(10 * power)}${BINARY[power - 1] ?? ''}`;
  }
  const [suffix, power] = Object.entries(DECIMAL)
    .findLast(([, exponent]) => amount % 10n ** BigInt(exponent + NANO_DIGITS) === 0n);
  return `${amount / 10n ** BigInt(power + NANO_DIGITS)}${suffix}`;
}
