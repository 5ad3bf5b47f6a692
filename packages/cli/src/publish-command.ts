// `heddle publish`: an event from outside. Runs that wait for it go on, triggers that listen for it start runs.

import { exitCodes } from './command-error.ts';
import { type PlaceOptions, withPlace } from './place.ts';
import { readValue } from './read-document.ts';
import { count, output } from './terminal.ts';

export interface PublishOptions extends PlaceOptions {
  readonly payload: string;
  readonly id?: string;
  readonly correlation?: string;
  readonly ttl?: number;
  readonly json?: boolean;
}

export function publishCommand(name: string, options: PublishOptions): Promise<number> {
  const payload = readValue('--payload', options.payload);
  const { id, correlation, ttl: ttlMs } = options;
  return withPlace(options, 'change', async ({ heddle }) => {
    const published = await heddle.publish(name, payload, {
      ...(id === undefined ? {} : { id }),
      ...(correlation === undefined ? {} : { correlation }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    });
    const { applied, delivered, fired, skipped } = published;
    if (options.json) output.line(JSON.stringify(published));
    else if (!applied) output.line(`Nothing changed: it was published before under the id ${id}.`);
    else output.line(`${count(delivered, 'run')} waited for it, ${count(fired.length, 'trigger')} fired.`);
    if (options.json) return exitCodes.done;
    for (const { trigger, workflow, runId } of fired) output.line(`  ${trigger}  started ${workflow}  ${runId}`);
    for (const { trigger, code, reason } of skipped) output.line(`  ${trigger}  did not fire  ${code}: ${reason}`);
    return exitCodes.done;
  });
}
