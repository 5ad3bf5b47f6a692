// Triggers: what users do with triggers: create, look, switch on and off, fire by hand, remove.

import type { RecordRow } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { takeJson } from '../operations/check-value.ts';
import { askedPage } from '../operations/pages.ts';
import type { TriggerInfo } from '../operations/triggers.ts';
import type { StoredTrigger, Trigger } from '../triggers/trigger.ts';
import { allTriggers, dueAtOf, triggerKind } from '../triggers/trigger-registry.ts';
import type { Parts } from './assemble.ts';
import type { Performers } from './performer.ts';

export const triggerPerformers: Performers<
  'createTrigger' | 'listTriggers' | 'getTrigger' | 'removeTrigger' | 'enableTrigger' | 'disableTrigger' | 'fireTrigger'
> = {
  async createTrigger({ office }, { trigger, ...options }) {
    const { trigger: created, problems, isNew } = await office.registry.create(trigger, options);
    if (created) return { problems, isNew, trigger: infoOf(created, dueAtOf(created)) };
    const message = 'Expected a trigger without errors, but it has some';
    throw new HeddleError('TRIGGER_INVALID', message, { problems });
  },

  // LS7: by id, a page at a time.
  listTriggers({ host }, paging) {
    return askedPage(
      paging,
      async ({ after, limit }) => {
        const found: TriggerInfo[] = [];
        for await (const row of allTriggers(host.store, after)) {
          if (found.length === limit) break;
          found.push(infoOfRow(row));
        }
        return found;
      },
      ({ id }) => id,
    );
  },

  async getTrigger({ host }, { id }) {
    const row = await host.store.readRecord(triggerKind, id);
    if (!row) throw new HeddleError('TRIGGER_NOT_FOUND', `Expected a trigger ${id}, but there is none`);
    return infoOfRow(row);
  },

  async removeTrigger({ office }, { id }) {
    return { removed: await office.registry.remove(id) };
  },

  enableTrigger(parts, { id }) {
    return setEnabled(parts, id, true);
  },

  disableTrigger(parts, { id }) {
    return setEnabled(parts, id, false);
  },

  async fireTrigger({ host, office }, { triggerId, input = {}, id = null }) {
    const payload = takeJson(input, { limits: host.limits, what: 'input', code: 'INPUT_INVALID' });
    return office.fire(triggerId, payload, id);
  },
};

async function setEnabled({ office }: Parts, id: string, enabled: boolean): Promise<TriggerInfo> {
  const trigger = await office.registry.setEnabled(id, enabled);
  return infoOf(trigger, dueAtOf(trigger));
}

const infoOfRow = (row: RecordRow): TriggerInfo => infoOf(valueOf(row) as StoredTrigger, row.dueAt); // as the registry wrote it

function infoOf(trigger: StoredTrigger | Trigger, nextAt: number | null): TriggerInfo {
  const { definition, enabled, createdAt, lastRunId, queued } = trigger;
  return { id: definition.id, definition, enabled, createdAt, nextAt, lastRunId, queued };
}
