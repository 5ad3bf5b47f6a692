// `heddle prompts`: what runs ask of people now.

import type { Prompt, PromptQuery } from 'heddle';
import { exitCodes } from './command-error.ts';
import { findRun } from './find-run.ts';
import { type PlaceOptions, withPlace } from './place.ts';
import { pickMembers } from './request-members.ts';
import { titleOf } from './suspension.ts';
import { table } from './table.ts';
import { output, progress, timeOf } from './terminal.ts';

export interface PromptsOptions extends PlaceOptions, PromptQuery {
  readonly json?: boolean;
}

export function promptsCommand({ runId, json, ...options }: PromptsOptions): Promise<number> {
  return withPlace(options, 'look', async (place) => {
    const prompts = await place.heddle.prompts({
      ...pickMembers(options, ['limit', 'after']),
      ...(runId === undefined ? {} : { runId: (await findRun(place, runId)).id }),
    });
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
