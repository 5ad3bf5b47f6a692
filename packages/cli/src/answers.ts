// Answers: what was given with `--answer`, handed to the prompts of a run in the order in which they are asked.
//
// Always true: an answer is given once; one that is refused is not used up.

import type { Json, Prompt, RunEvent } from 'heddle';
import type { RunHandle } from 'heddle/client';
import { type ErrorReport, reportOf } from './command-error.ts';
import { readValue } from './read-document.ts';

/** Somebody else answered it meanwhile, or its time is up. */
const codesOfOver = new Set(['ALREADY_ANSWERED', 'PROMPT_EXPIRED', 'PROMPT_CANCELLED']);
const promptsPerPage = 1_000;

/** A prompt did not take its answer: it does not fit the schema. */
export class AnswerRefused extends Error {
  override name = 'AnswerRefused';
  readonly prompt: Prompt;
  readonly answer: Json;
  readonly report: ErrorReport;

  constructor(report: ErrorReport, { prompt, answer }: { readonly prompt: Prompt; readonly answer: Json }) {
    super(report.message);
    this.report = report;
    this.prompt = prompt;
    this.answer = answer;
  }
}

export class Answers {
  readonly #left: Json[];
  /** Of prompts that are asked in the same moment: who came first. */
  readonly #places = new Map<string, number>();
  /** Prompts that were answered, by whomever, or whose time was up. */
  readonly #over = new Set<string>();

  constructor(given: readonly string[] = []) {
    this.#left = given.map((text) => readValue('--answer', text));
  }

  /** How many are left. */
  get left(): number {
    return this.#left.length;
  }

  /** Takes note of what a run tells. */
  see(event: RunEvent): void {
    if (event.type !== 'input.requested' || this.#places.has(event.correlationId)) return;
    this.#places.set(event.correlationId, this.#places.size);
  }

  /** Answers all that the run and those below it ask now, as long as there are answers. */
  async give(run: RunHandle): Promise<void> {
    while (this.#left.length > 0) {
      const prompts = await this.#open(run);
      if (prompts.length === 0) return;
      for (const prompt of prompts) await this.#answer(run, prompt);
    }
  }

  async #open(run: RunHandle): Promise<readonly Prompt[]> {
    const prompts = (await listPrompts(run)).filter(({ correlationId }) => !this.#over.has(correlationId));
    const placeOf = ({ correlationId }: Prompt) => this.#places.get(correlationId) ?? this.#places.size;
    return prompts.toSorted((a, b) => a.requestedAt - b.requestedAt || placeOf(a) - placeOf(b));
  }

  async #answer(run: RunHandle, prompt: Prompt): Promise<void> {
    const [answer] = this.#left;
    if (answer === undefined) return;
    try {
      await run.reply(prompt.correlationId, answer);
      this.#left.shift();
    } catch (error) {
      const report = reportOf(error);
      if (report.code === 'PAYLOAD_INVALID') throw new AnswerRefused(report, { prompt, answer });
      if (!codesOfOver.has(report.code)) throw error;
    }
    this.#over.add(prompt.correlationId);
  }
}

/** What a run and those below it ask now. */
async function listPrompts(run: RunHandle): Promise<readonly Prompt[]> {
  const prompts: Prompt[] = [];
  for (;;) {
    const after = prompts.at(-1)?.correlationId;
    const page = await run.prompts({ limit: promptsPerPage, ...(after === undefined ? {} : { after }) });
    prompts.push(...page);
    if (page.length < promptsPerPage) return prompts;
  }
}
