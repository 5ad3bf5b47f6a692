// Handlers: what runs ask of people.

import { HeddleError } from '../../base/heddle-error.ts';
import { askedPage, invalidCursor } from '../page.ts';
import type { HandlersOf } from './handler.ts';

export const promptHandlers: HandlersOf<'listPrompts' | 'replyToPrompt' | 'createPromptSecret' | 'replyWithSecret'> = {
  listPrompts({ query }, { engine }) {
    const { runId, ...paging } = query;
    const ofRun = runId === undefined ? {} : { runId };
    return askedPage(
      paging,
      (page) => engine.prompts({ ...page, ...ofRun }).catch(toldOfCursor),
      ({ correlationId }) => correlationId,
    );
  },
  replyToPrompt({ params, body }, { engine }) {
    const { payload, ...options } = body;
    return engine.run(params.runId).reply(params.correlationId, payload, options);
  },
  async createPromptSecret({ params }, { engine, access }) {
    const secret = await engine.promptSecret(params.correlationId);
    return { secret, path: `/v1/replies/${access.tenant}/${encodeURIComponent(secret)}` };
  },
  replyWithSecret({ params, body }, { engine }) {
    const { payload, ...options } = body;
    return engine.reply(params.secret, payload, options);
  },
};

/** The prompt that was not found is the one to go on after. */
function toldOfCursor(error: unknown): never {
  throw error instanceof HeddleError && error.code === 'PROMPT_NOT_FOUND' ? invalidCursor() : error;
}
