// Client: an engine elsewhere, asked over HTTP. It is used as an engine in this process is, so that a program can be moved
// from the one to the other by changing one line.

import type { Registered } from '../actor/definitions.ts';
import { Heddle, replyWithSecret } from '../api/heddle.ts';
import { copyToJson } from '../base/check-json.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import { refuseUnknown } from '../base/refuse-options.ts';
import { checkText } from '../operations/check-request.ts';
import type { PromptReply, ReplyOptions } from '../operations/prompts.ts';
import { sentLimits } from './sent-json.ts';
import { Transport, type TransportOptions } from './transport.ts';

/** An engine behind HTTP. */
export function connect(options: TransportOptions): Client {
  refuseUnknown('connect', options, ['url', 'key', 'fetch', 'retries']);
  checkText('url', options.url);
  if (options.key !== undefined) checkText('key', options.key);
  return new Client(new Transport(options));
}

export class Client extends Heddle {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  override async register(definition: unknown): Promise<Registered> {
    const { json, problems } = toJson(definition);
    return json === undefined
      ? { problems, id: null, version: null, hash: null, isNew: false }
      : super.register(json as object); // the engine there says what is wrong with it
  }

  override async validate(definition: unknown): Promise<readonly Problem[]> {
    const { json, problems } = toJson(definition);
    return json === undefined
      ? problems
      : (await this.#transport.call('validateDefinition', { definition: json })).problems;
  }

  override async reply(secret: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    const { tenant } = await this.#transport.call('whoAmI', {});
    return replyWithSecret(this.#transport, tenant, { secret, payload, options });
  }

  /** A copy where the server keeps them; answers with its name. */
  async backup(): Promise<string> {
    return (await this.#transport.call('backUp', {})).file;
  }

  /** There is nothing to close: connections end by themselves. */
  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** What is no JSON cannot be sent: what is wrong with it is told as an engine tells it. */
function toJson(definition: unknown): { readonly json?: Json; readonly problems: readonly Problem[] } {
  const bounds = {
    bytesMax: Number.MAX_SAFE_INTEGER,
    depthMax: sentLimits.jsonDepthMax,
    limitName: 'definitionBytesMax',
  };
  const copied = copyToJson(definition, bounds);
  if (copied.ok) return { json: copied.value, problems: [] };
  const { code, pointer, message } = copied;
  return { problems: [{ severity: 'error', code, pointer, message }] };
}
