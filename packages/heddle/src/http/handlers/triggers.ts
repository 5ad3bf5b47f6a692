// Handlers: triggers and schedules.

import { askedPage } from '../page.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf } from './handler.ts';

export const triggerHandlers: HandlersOf<
  'createTrigger' | 'listTriggers' | 'getTrigger' | 'removeTrigger' | 'enableTrigger' | 'disableTrigger' | 'fireTrigger'
> = {
  async createTrigger({ trigger, ...options }, { engine }) {
    const created = await engine.triggers.create(trigger, options);
    if (created.trigger !== null) return created;
    const { problems } = created;
    const taken = problems.some(({ code }) => code === 'TRIGGER_EXISTS');
    throw new RequestError(taken ? 409 : 422, 'TRIGGER_INVALID', 'Expected a trigger without errors, but it has some', {
      problems,
    });
  },
  listTriggers(paging, { engine }) {
    return askedPage(
      paging,
      (page) => engine.triggers.list(page),
      ({ id }) => id,
    );
  },
  getTrigger({ id }, { engine }) {
    return engine.triggers.get(id);
  },
  async removeTrigger({ id }, { engine }) {
    return { removed: await engine.triggers.remove(id) };
  },
  enableTrigger({ id }, { engine }) {
    return engine.triggers.enable(id);
  },
  disableTrigger({ id }, { engine }) {
    return engine.triggers.disable(id);
  },
  fireTrigger({ triggerId, input, ...options }, { engine }) {
    return engine.triggers.fire(triggerId, input, options);
  },
};
