// What must be true when the faults have stopped and nothing is left to do (L): I2, I39, I42, I46, I48.

import { waitsOf } from './check-waits.ts';
import { breaks, type Look } from './look.ts';

export function checkLife(look: Look): void {
  const { view, moment, runs } = look;
  for (const { runId, quarantine } of view.rows)
    if (quarantine !== null) breaks('I46', runId, `Expected no run to be set aside, but this one is: ${quarantine}`);
  if (moment !== 'rest') return;
  const [stray] = view.outbox;
  if (stray) breaks('I39', stray.to, `Expected every message to have been received, but ${stray.message} was not`);
  let live = 0;
  for (const [runId, facts] of runs) {
    if (facts.end !== null) continue;
    live++;
    if (waitsOf(facts).length === 0)
      breaks('I46', runId, 'Expected a run to end or to wait for something that has a name, but it does neither');
    // What wakes by itself has had its time.
    if (facts.count('ready') + facts.count('dispatched') > 0 && !facts.isPaused)
      breaks('I23', runId, 'Expected work that is ready to be done once nothing goes wrong, but it is not');
  }
  if (view.runsInMemory !== undefined && view.runsInMemory > live)
    breaks('I48', '', `Expected at most ${live} runs in memory, but found ${view.runsInMemory}`);
}
