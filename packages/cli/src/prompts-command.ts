// `heddle prompts`: what runs ask of people now.

import type { Prompt } from 'heddle';
import { exitCodes } from './command-error.ts';
import { findRun } from './find-run.ts';
import { type PlaceOptions, withPlace } from './place.ts';
import { titleOf } from './suspension.ts';
import { table } from './table.ts';
import { output, progress, timeOf } from './terminal.ts';

export interface PromptsOptions extends PlaceOptions {
  readonly run?: string;
  readonly limit: number;
  readonly after?: string;
  readonly json?: boolean;
}

export function promptsCommand({ run, limit, after, json, ...where }: PromptsOptions): Promise<number> {
  return withPlace(where, 'look', async (place) => {
    const runId = run === undefined ? {} : { runId: (await findRun(place, run)).id };
    const prompts = await place.heddle.prompts({ ...runId, limit, ...(after === undefined ? {} : { after }) });
    if (json) output.line(JSON.stringify(prompts));
    else if (prompts.length === 0) output.line(`Nothing is asked in ${place.name}.`);
    else {
      const head = ['prompt', 'asks', 'workflow', 'run', 'asked', 'until'].map((title) => output.paint('dim', title));
      for (const line of table([head, ...prompts.map(rowOf)])) output.line(line);
      progress.line(`Answer one with: npx heddle reply PROMPT ${place.flag}`);
    }
    return exitCodes.done;
  });
}

function rowOf(prompt: Prompt): readonly string[] {
  const { correlationId, workflow, runId, requestedAt, deadline } = prompt;
  const until = deadline === null ? '' : timeOf(deadline);
  return [correlationId, output.paint('magenta', titleOf(prompt)), workflow, runId, timeOf(requestedAt), until];
}
