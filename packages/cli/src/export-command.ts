// `heddle export`: a run as one HTML file: graph, timeline, journal and state at every moment, offline. Chosen values are taken
// out of it; it says so if somebody changes it.

import { writeFile } from 'node:fs/promises';
import type { RunEvent } from 'heddle';
import { type CapsuleViewer, capsulePage, sealCapsule } from 'heddle/capsule';
import { findWebFiles } from 'heddle/server';
import { CommandError, exitCodes } from './command-error.ts';
import { findRun } from './find-run.ts';
import { type PlaceOptions, withPlace } from './place.ts';
import { output } from './terminal.ts';

export interface ExportOptions extends PlaceOptions {
  readonly redact?: readonly string[];
  readonly output?: string;
}

export function exportCommand(runId: string, options: ExportOptions): Promise<number> {
  return withPlace(options, 'look', async (place) => {
    const run = await findRun(place, runId);
    const { run: summary, drawing } = await run.view();
    const { definition } = await place.heddle.definition(summary.workflow, summary.version);
    const events: RunEvent[] = [];
    for await (const event of run.events({ follow: false })) events.push(event);
    const capsule = sealCapsule({ definition, drawing, events, exportedAt: Date.now(), redact: options.redact ?? [] });
    const file = options.output ?? `run-${run.id}.html`;
    await writeFile(file, capsulePage(capsule, await readViewer()));
    output.line(`Wrote ${file}: ${events.length} events, opens in any browser.`);
    return exitCodes.done;
  });
}

async function readViewer(): Promise<CapsuleViewer> {
  const find = findWebFiles();
  const [script, style] = await Promise.all([find?.('/capsule.js'), find?.('/capsule.css')]);
  if (!script || !style)
    throw new CommandError(
      'VIEWER_MISSING',
      'Expected the viewer of capsules beside the engine, but it was not built; install heddle again, or run npm run build.',
    );
  const decoder = new TextDecoder();
  return { script: decoder.decode(script.bytes), style: decoder.decode(style.bytes) };
}
