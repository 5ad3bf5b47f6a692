// The same with the client of Heddle, which does the rest: `node worker.mjs`, with all actions or the named ones.
import { startWorker } from 'heddle/client';

const wordsOf = ({ text }) => text.match(/\S+/g) ?? [];

const all = {
  'words.count': ({ input }) => ({ words: wordsOf(input).length }),
  'words.longest': ({ input }) => ({ longest: wordsOf(input).toSorted((a, b) => b.length - a.length)[0] ?? null }),
};

const names = process.argv.slice(2);
const { HEDDLE_URL: url = 'http://127.0.0.1:4100', HEDDLE_KEY: key } = process.env;
const worker = startWorker({
  url,
  ...(key ? { key } : {}),
  name: 'node',
  actions: Object.fromEntries(Object.entries(all).filter(([name]) => names.length === 0 || names.includes(name))),
});

// On SIGTERM it leases nothing more, finishes its tasks, and releases those that take too long.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void worker.close({ graceMs: 10_000 }));
