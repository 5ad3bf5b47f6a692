// Answer watch: tells whoever counts or logs what requests came to: by operation, never by address, for addresses may have
// secrets in them.
//
// Always true: with nobody to tell, nothing is noted; whoever is told and fails hurts no answer.

import type { Clock } from '../actor/ports.ts';
import type { OperationName } from '../operations/operations.ts';

/** What a request came to. */
export interface Answered {
  readonly method: string;
  /** Null: it was refused before it was known what it is, or there is no such route. */
  readonly operation: OperationName | null;
  /** Null: it was refused before it was known whose it is. */
  readonly tenant: string | null;
  readonly status: number;
  /** Until the answer begins. */
  readonly ms: number;
}

type Noted = Pick<Answered, 'operation' | 'tenant'>;
type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>;

const unknown: Noted = { operation: null, tenant: null };

export class AnswerWatch {
  readonly #noted = new WeakMap<Request, Noted>();
  readonly #onAnswer: ((answered: Answered) => void) | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock, onAnswer: ((answered: Answered) => void) | undefined) {
    this.#clock = clock;
    this.#onAnswer = onAnswer;
  }

  note(request: Request, noted: Noted): void {
    if (this.#onAnswer !== undefined) this.#noted.set(request, noted);
  }

  around(answer: Fetch): Fetch {
    const onAnswer = this.#onAnswer;
    if (onAnswer === undefined) return answer;
    return async (request, bindings) => {
      const from = this.#clock.now();
      const response = await answer(request, bindings);
      const ms = Math.max(0, this.#clock.now() - from);
      try {
        onAnswer({ method: request.method, ...(this.#noted.get(request) ?? unknown), status: response.status, ms });
      } catch {
        // Of whoever listens; there is nobody to tell, and the answer is as good as before.
      }
      return response;
    };
  }
}
