// Drafts: workflows that are being drawn, for users of an engine.

import type { Registered } from '../actor/definitions.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { givenOptions } from '../operations/check-request.ts';
import type { Draft, ListedDraft, PublishDraftOptions, PutDraftOptions } from '../operations/drafts.ts';
import { toJson } from './given.ts';
import { type NamePage, Part } from './parts.ts';

export class Drafts extends Part {
  /**
   * Saves what is drawn of a workflow, valid or not. Durable when it answers. Whoever did not see the newest revision is
   * refused with `DRAFT_CHANGED`, whose `details.draft` is what is there.
   */
  async put(workflow: string, content: unknown, options: PutDraftOptions): Promise<Draft> {
    return this.carrier.call('putDraft', {
      ...givenOptions('put', options),
      workflow,
      content: toJson(content),
    });
  }

  get(workflow: string): Promise<Draft> {
    return this.carrier.call('getDraft', { workflow });
  }

  /** By workflow, without their content: all of them, or a page. */
  async list(page: NamePage = {}): Promise<readonly ListedDraft[]> {
    return this.carrier.list('listDrafts', {}, givenOptions('list', page));
  }

  /** Whether there was one. */
  async remove(workflow: string, revision: number): Promise<boolean> {
    return (await this.carrier.call('removeDraft', { workflow, revision })).removed;
  }

  /** Registers it as the next version of its workflow and removes it, unless it has errors: then nothing changes. */
  async publish(workflow: string, revision: number, options: PublishDraftOptions = {}): Promise<Registered> {
    return orProblems(this.carrier.call('publishDraft', { ...givenOptions('publish', options), workflow, revision }));
  }
}

/** What is wrong with a definition is an answer, not an error. */
export async function orProblems(registering: Promise<Registered>): Promise<Registered> {
  try {
    return await registering;
  } catch (error) {
    if (!(error instanceof HeddleError) || error.code !== 'DEFINITION_INVALID') throw error;
    const { id = null } = (error.details ?? {}) as { readonly id?: string | null }; // as the engine says it
    return { problems: error.problems, id, version: null, hash: null, isNew: false };
  }
}
