// `heddle publish`: an event from outside. Runs that wait for it resume, triggers that listen for it start runs.

import type { PublishOptions as HowToPublish } from 'heddle';
import { exitCodes } from './command-error.ts';
import { type PlaceOptions, withPlace } from './place.ts';
import { readValue } from './read-document.ts';
import { pickMembers } from './request-members.ts';
import { count, output } from './terminal.ts';

export interface PublishOptions extends PlaceOptions, HowToPublish {
  readonly payload: string;
  readonly json?: boolean;
}

export function publishCommand(name: string, options: PublishOptions): Promise<number> {
  const payload = readValue('--payload', options.payload);
  return withPlace(options, 'change', async ({ heddle }) => {
    const published = await heddle.publish(name, payload, pickMembers(options, ['id', 'correlation', 'ttlMs']));
    const { applied, delivered, fired, skipped } = published;
    if (options.json) output.line(JSON.stringify(published));
    else if (!applied) output.line(`Nothing changed: it was published before under the id ${options.id}.`);
    else output.line(`${count(delivered, 'run')} waited for it, ${count(fired.length, 'trigger')} fired.`);
    if (options.json) return exitCodes.done;
    for (const { trigger, workflow, runId } of fired) output.line(`  ${trigger}  started ${workflow}  ${runId}`);
    for (const { trigger, code, reason } of skipped) output.line(`  ${trigger}  did not fire  ${code}: ${reason}`);
    return exitCodes.done;
  });
}
