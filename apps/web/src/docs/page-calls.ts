// Page calls: what each page has asked the server, so that it can say so.
//
// Always true: only questions are kept, by their addresses; what changes something may hold secrets. There is a bound on both
// pages and calls.

const pagesMax = 20;
const callsMax = 50;

/** By the path of the page, the page that asked last at the end. */
const calls = new Map<string, Set<string>>();

/** In place of the browser's own `fetch`. */
export const recordingFetch: typeof fetch = (input, init) => {
  if (typeof input === 'string' && (init?.method ?? 'GET') === 'GET') note(window.location.pathname, input);
  return fetch(input, init);
};

function note(path: string, address: string): void {
  const known = calls.get(path) ?? new Set<string>();
  calls.delete(path);
  calls.set(path, known);
  if (known.size < callsMax) known.add(address);
  const [oldest] = calls.keys();
  if (calls.size > pagesMax && oldest !== undefined) calls.delete(oldest);
}

/** What the page that is open has asked, in the order in which it first did. */
export const callsOfPage = (): readonly string[] => [...(calls.get(window.location.pathname) ?? [])];
