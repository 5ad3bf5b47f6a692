// Handlers: triggers and schedules.

import type { NewTrigger } from '../../sdk/triggers.ts';
import { askedPage } from '../page.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf } from './handler.ts';

export const triggerHandlers: HandlersOf<
  'createTrigger' | 'listTriggers' | 'getTrigger' | 'removeTrigger' | 'enableTrigger' | 'disableTrigger' | 'fireTrigger'
> = {
  async createTrigger({ body, query }, { engine }) {
    const created = await engine.triggers.create(body as unknown as NewTrigger, query); // the engine says what is wrong
    if (created.trigger !== null) return { ...created, problems: [...created.problems] };
    const { problems } = created;
    const taken = problems.some(({ code }) => code === 'TRIGGER_EXISTS');
    throw new RequestError(taken ? 409 : 422, 'TRIGGER_INVALID', 'Expected a trigger without errors, but it has some', {
      problems,
    });
  },
  async listTriggers({ query }, { engine }) {
    return askedPage(
      query,
      (page) => engine.triggers.list(page),
      ({ id }) => id,
    );
  },
  getTrigger({ params }, { engine }) {
    return engine.triggers.get(params.id);
  },
  async removeTrigger({ params }, { engine }) {
    return { removed: await engine.triggers.remove(params.id) };
  },
  enableTrigger({ params }, { engine }) {
    return engine.triggers.enable(params.id);
  },
  disableTrigger({ params }, { engine }) {
    return engine.triggers.disable(params.id);
  },
  async fireTrigger({ params, body }, { engine }) {
    const { input = {}, ...options } = body;
    const { fired, skipped } = await engine.triggers.fire(params.id, input, options);
    return { fired: [...fired], skipped: skipped.map((one) => ({ ...one, code: one.code as never })) };
  },
};
