// Handlers: definitions.

import type { JsonObject } from '../../base/json.ts';
import { askedPage } from '../page.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf } from './handler.ts';

export const definitionHandlers: HandlersOf<
  'registerDefinition' | 'validateDefinition' | 'listDefinitions' | 'getDefinition'
> = {
  async registerDefinition({ definition }, { engine }) {
    const registered = await engine.register(definition as JsonObject); // whatever it is: the engine says what is wrong with it
    // HT8: a definition with errors is refused with all of them, and nothing is stored.
    const errors = registered.problems.filter(({ severity }) => severity === 'error').length;
    if (registered.version !== null) return registered;
    const message = `Expected a definition without errors, but it has ${errors}`;
    const { problems, id } = registered;
    throw new RequestError(422, 'DEFINITION_INVALID', message, { problems, details: { id } });
  },
  validateDefinition({ definition }, { engine }) {
    return { problems: engine.validate(definition) };
  },
  listDefinitions({ id, ...paging }, { engine }) {
    return askedPage(paging, (page) => engine.definitions({ ...page, ...(id === undefined ? {} : { id }) }), cursorOf);
  },
  getDefinition({ id, version }, { engine }) {
    return engine.definition(id, version);
  },
};

const cursorOf = ({ id, version }: { readonly id: string; readonly version: number }): string => `${id}@${version}`;
