// LAT: one run of ten sequential actions on an engine that does nothing else, beside single commits of the same minute:
// the two take turns, so that a disk that is slow for a moment is slow for both.

import { createEngine } from '../packages/heddle/dist/index.js';
import { openProbe } from './probe.mjs';
import { expectCompleted, line, median, noop, tell, withFile } from './scenario.mjs';

const rounds = 40;
const runsPerRound = 25;
const commitsPerRound = 100;

function timed(times, from) {
  times.push(performance.now() - from);
}

await withFile(async (probePath) => {
  await withFile(async (store) => {
    const probe = await openProbe(probePath);
    const engine = await createEngine({ store, actions: noop });
    await engine.register(line('line', 10));
    const runs = [];
    const commits = [];
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < runsPerRound; i++) {
        const from = performance.now();
        const run = await engine.start('line');
        expectCompleted(await run.result());
        timed(runs, from);
      }
      for (let i = 0; i < commitsPerRound; i++) {
        const from = performance.now();
        probe.commitRows(1);
        timed(commits, from);
      }
    }
    const warm = runs.slice(runs.length / 4);
    tell({ p50Ms: median(warm), singleP50Ms: median(commits) });
    await engine.close();
    probe.close();
  });
});
