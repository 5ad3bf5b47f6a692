// Handlers: what runs ask of people.

import { HeddleError } from '../../base/heddle-error.ts';
import { askedPage, invalidCursor } from '../page.ts';
import type { HandlersOf } from './handler.ts';

export const promptHandlers: HandlersOf<'listPrompts' | 'replyToPrompt' | 'createPromptSecret' | 'replyWithSecret'> = {
  listPrompts(query, { engine }) {
    return askedPage(
      query,
      (page) => engine.prompts({ ...query, ...page }).catch(toldOfCursor),
      ({ correlationId }) => correlationId,
    );
  },
  replyToPrompt({ runId, correlationId, payload, ...options }, { engine }) {
    return engine.run(runId).reply(correlationId, payload, options);
  },
  async createPromptSecret({ correlationId }, { engine, access }) {
    const secret = await engine.promptSecret(correlationId);
    return { secret, path: `/v1/replies/${access.tenant}/${encodeURIComponent(secret)}` };
  },
  replyWithSecret({ tenant: _, secret, payload, ...options }, { engine }) {
    return engine.reply(secret, payload, options);
  },
};

/** The prompt that was not found is the one to go on after. */
function toldOfCursor(error: unknown): never {
  throw error instanceof HeddleError && error.code === 'PROMPT_NOT_FOUND' ? invalidCursor() : error;
}
