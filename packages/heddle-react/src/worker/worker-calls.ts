// Worker calls: a table of functions that a web worker answers, asked for by name from the page. One message each way.
//
// Always true: what a function throws is thrown on the other side, with its code and what to do; questions are answered in
// the order in which they were asked.

/** What can be asked: functions of one argument. */
export type CallTable = Readonly<Record<string, (argument: never) => unknown>>;

type ArgumentOf<Call> = Call extends (argument: infer Argument) => unknown ? Argument : never;
type AnswerOf<Call> = Call extends (argument: never) => infer Answer ? Awaited<Answer> : never;

export type Caller<Table extends CallTable> = <Name extends keyof Table & string>(
  name: Name,
  argument: ArgumentOf<Table[Name]>,
) => Promise<AnswerOf<Table[Name]>>;

/** A worker as the page sees it, and the page as its worker sees it. */
export interface Port {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'error', listener: (event: { readonly message?: string }) => void): void;
}

interface Question {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

type Reply =
  | { readonly id: number; readonly answer: unknown }
  | {
      readonly id: number;
      readonly fault: { readonly message: string; readonly code?: string; readonly hint?: string };
    };

/** In the page. A worker that cannot even be loaded fails all that was asked of it. */
export function callsTo<Table extends CallTable>(worker: Port): Caller<Table> {
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  let asked = 0;
  worker.addEventListener('message', ({ data }) => {
    const reply = data as Reply; // as `answerCalls` sends it
    const asker = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('fault' in reply) asker?.reject(Object.assign(new Error(reply.fault.message), reply.fault));
    else asker?.resolve(reply.answer as never); // what the function of the table gave
  });
  worker.addEventListener('error', ({ message }) => {
    const error = new Error(`Expected the worker to run, but ${message ?? 'it could not be loaded'}`);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
  return (name, argument) =>
    new Promise((resolve, reject) => {
      asked += 1;
      waiting.set(asked, { resolve, reject });
      worker.postMessage({ id: asked, name, argument } satisfies Question, []);
    });
}

/** In the worker. */
export function answerCalls(page: Port, table: CallTable): void {
  let last: Promise<unknown> = Promise.resolve();
  page.addEventListener('message', ({ data }) => {
    const { id, name, argument } = data as Question; // as `callsTo` sends it
    last = last.then(async () => page.postMessage(await replyTo(id, () => table[name]?.(argument as never)), [])); // by the table
  });
}

async function replyTo(id: number, work: () => unknown): Promise<Reply> {
  try {
    return { id, answer: await work() };
  } catch (error) {
    const { message, code, hint } = error as Error & { readonly code?: string; readonly hint?: string }; // of ours
    return { id, fault: { message, ...(code === undefined ? {} : { code }), ...(hint === undefined ? {} : { hint }) } };
  }
}
